import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import type { Form, FormStatus, Transition } from './form.ts';
import { reportedCompletion } from './reported-completion.ts';
import type { importForm, Task } from '../importform.record.ts';
import type { Values } from '../../../../kernel/declare/values.ts';

/** The permission to change completed tasks. */
export const CHANGE_COMPLETED = 'ImportFormChangeCompleted';

function sameStatus(a: string | null, b: string | null): boolean {
  return fold(a ?? '') === fold(b ?? '');
}

function statusNamed(form: Form, name: string | null): FormStatus | undefined {
  return form.statuses.find((status) => sameStatus(status.name, name));
}

function isFinal(form: Form, name: string | null): boolean {
  return statusNamed(form, name)?.isFinal === true;
}

/** Whether a complete task in this status leaves open in which of several final statuses it ended. */
export function lacksFinalStatus(form: Form, status: string | null): boolean {
  return form.statuses.filter((one) => one.isFinal === true).length > 1 && !isFinal(form, status);
}

/**
 * Returns the moves that the caller may make from a status: one per target, preferring one that names its source
 * status.
 */
function movesFrom(ctx: Pick<Context, 'user'>, form: Form, from: string | null): readonly Transition[] {
  const held = new Set(ctx.user.roles.map(fold));
  const open = form.transitions.filter(
    (move) =>
      (move.from === null || sameStatus(move.from, from)) &&
      !sameStatus(move.to, from) &&
      statusNamed(form, move.to) !== undefined &&
      (move.roles === null || splitCommaList(move.roles).some((role) => held.has(fold(role)))),
  );
  open.sort((a, b) => Number(a.from === null) - Number(b.from === null));
  return open.filter((move, at) => open.findIndex((other) => sameStatus(other.to, move.to)) === at);
}

/**
 * Returns the moves that the caller may make with a task. Reopening a complete one needs a permission; a hold blocks
 * final statuses.
 */
export function availableMoves(
  ctx: Pick<Context, 'user'>,
  form: Form,
  task: Pick<Partial<Task>, 'ActualCompletion' | 'Status'>,
  isOnHold: boolean,
): readonly Transition[] {
  if ((task.ActualCompletion ?? null) !== null && !ctx.user.permissions.has(CHANGE_COMPLETED)) return [];
  const moves = movesFrom(ctx, form, task.Status ?? null);
  return isOnHold ? moves.filter((move) => !endsTask(form, move)) : moves;
}

/** Whether a move leads to a final status. */
export function endsTask(form: Form, move: Transition): boolean {
  return isFinal(form, move.to);
}

/**
 * Enforces the moves of a form. A new task gets the first status. A final status completes the task, completing it sets
 * the one final status that can be reached, and leaving a final status reopens it.
 */
export function enforceStatus(
  ctx: Context,
  form: Form,
  values: Values<typeof importForm>,
  stored: Task | undefined,
): void {
  if (form.statuses.length === 0) return;
  const before = statusOf(stored);
  const initial = stored ? null : (form.statuses[0]?.name ?? null);
  const move: StatusMove = { ctx, form, isNew: stored === undefined, before, from: before ?? initial };
  const after = statusAfter(move, values);
  const wasComplete = (stored?.ActualCompletion ?? null) !== null;
  if (isFinal(form, after)) completeByStatus(move, values, after, wasComplete);
  else if (!wasComplete && hasDate(values)) completeByDate(move, values, after);
  else if (wasComplete && !sameStatus(after, before) && isFinal(form, before)) values.ActualCompletion = null;
}

function statusOf(task: Task | undefined): string | null {
  return task?.Status ?? null;
}

function hasDate(values: Values<typeof importForm>): boolean {
  return (values.ActualCompletion ?? null) !== null;
}

/** Completes a task that gets a final status. */
function completeByStatus(
  move: StatusMove,
  values: Values<typeof importForm>,
  after: string | null,
  wasComplete: boolean,
): void {
  if (values.ActualCompletion === null)
    throw statusRefused(
      move,
      'ActualCompletion',
      `ActualCompletion: the task is complete in the status ${String(after)}; another status reopens it`,
    );
  if (!wasComplete && !hasDate(values)) values.ActualCompletion = move.ctx.clock.now();
}

/** A save that may change the status of a task. */
interface StatusMove {
  readonly ctx: Context;
  readonly form: Form;
  readonly isNew: boolean;
  /** The stored status. */
  readonly before: string | null;
  /** The status that the task leaves: the stored one, or the first of the form. */
  readonly from: string | null;
}

/** Returns the status after a save, checked and in the form's spelling. */
function statusAfter(move: StatusMove, values: Values<typeof importForm>): string | null {
  const { form, isNew, before, from } = move;
  const sent = values.Status;
  if (values.Status === undefined || (isNew && sent === null)) {
    if (isNew) values.Status = from;
    return from;
  }
  const target = typeof sent === 'string' ? sent : null;
  // A task older than the form's statuses keeps its own until it is moved.
  if (sameStatus(target, isNew ? from : before)) {
    const known = statusNamed(form, target);
    if (known) values.Status = known.name;
    return known?.name ?? target;
  }
  const { name } = reachableStatus(move, target);
  values.Status = name;
  return name;
}

/** Returns the status of a name. @throws STATE_REFUSES if the caller may not move the task there */
function reachableStatus(move: StatusMove, target: string | null): FormStatus {
  const { ctx, form, before, from } = move;
  const known = target === null ? undefined : statusNamed(form, target);
  if (!known)
    throw statusRefused(
      move,
      'Status',
      target === null
        ? 'Status: a task of this form has a status'
        : `Status: ${target.slice(0, 100)} is not a status of ${form.name}`,
    );
  const isFirst = before === null && sameStatus(target, form.statuses[0]?.name ?? null);
  if (!isFirst && !movesFrom(ctx, form, from).some(({ to }) => sameStatus(to, known.name)))
    throw statusRefused(
      move,
      'Status',
      `Status: you may not move the task from ${from ?? 'no status'} to ${known.name}`,
    );
  return known;
}

/** Gives a task that is completed by its date the final status, if only one can be reached. */
function completeByDate(move: StatusMove, values: Values<typeof importForm>, after: string | null): void {
  const { ctx, form, from } = move;
  if (!sameStatus(after, from)) throw notFinal(move, after);
  const [only, ...more] = movesFrom(ctx, form, from).filter((one) => endsTask(form, one));
  const report = only && more.length === 0 ? undefined : reportedCompletion(ctx);
  if (report) {
    // As tasks that event files complete: a person moves the task that asks for the answers.
    report.missing.add('Status');
    values.Status = 'Complete';
    return;
  }
  if (!only || more.length > 0)
    throw statusRefused(
      move,
      'ActualCompletion',
      only
        ? 'ActualCompletion: several final statuses are possible; send the Status'
        : `ActualCompletion: no move from ${from ?? 'no status'} that you may make completes the task`,
    );
  values.Status = statusNamed(form, only.to)?.name ?? only.to;
}

function notFinal(move: StatusMove, after: string | null): PlatformError {
  return statusRefused(move, 'Status', `Status: ${String(after)} is not final, so the task cannot be completed in it`);
}

function statusRefused({ ctx, form, from }: StatusMove, field: string, what: string): PlatformError {
  const moves = movesFrom(ctx, form, from).map(({ to }) => statusNamed(form, to)?.name ?? to);
  return new PlatformError('STATE_REFUSES', {
    field,
    message: `${what}. Possible now: ${moves.join(', ') || 'none'}.`,
    details: { Statuses: moves },
  });
}
