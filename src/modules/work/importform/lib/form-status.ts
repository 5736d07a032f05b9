import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import type { Form, FormStatus, Transition } from './form.ts';

/** The permission without which what a completed task says is not changed any more. */
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

/** The moves that the caller may make from a status: one for each status that they lead to, of several the one that names where it comes from. */
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

/** The moves that the caller may make with a task as it stands: one that is complete is opened again only by who may change it, and none on hold is ended. */
export function availableMoves(
  ctx: Pick<Context, 'user'>,
  form: Form,
  task: Row,
  isOnHold: boolean,
): readonly Transition[] {
  if ((task['ActualCompletion'] ?? null) !== null && !ctx.user.permissions.has(CHANGE_COMPLETED)) return [];
  const moves = movesFrom(ctx, form, (task['Status'] ?? null) as string | null);
  return isOnHold ? moves.filter((move) => !endsTask(form, move)) : moves;
}

/** Whether a move's status ends the task. */
export function endsTask(form: Form, move: Transition): boolean {
  return isFinal(form, move.to);
}

/**
 * Sees to it that a task's status goes where its form's moves lead: a new one begins with the first status, a final status completes
 * the task, completing it takes the one final status that can be reached, and leaving a final status opens it again.
 */
export function enforceStatus(ctx: Context, form: Form, values: Map<string, unknown>, stored: Row | undefined): void {
  if (form.statuses.length === 0) return;
  const before = (stored?.['Status'] ?? null) as string | null;
  const wasComplete = (stored?.['ActualCompletion'] ?? null) !== null;
  const initial = stored ? null : (form.statuses[0]?.name ?? null);
  const from = before ?? initial;
  const after = statusAfter(ctx, form, values, { stored: stored !== undefined, before, from });
  const completes = !wasComplete && (values.get('actualcompletion') ?? null) !== null;
  const moved = !sameStatus(after, before);
  if (isFinal(form, after)) {
    if (values.has('actualcompletion') && values.get('actualcompletion') === null)
      throw statusRefused(
        ctx,
        form,
        from,
        'ActualCompletion',
        `ActualCompletion: the task is complete in the status ${String(after)}; it is opened by another status`,
      );
    if (!wasComplete && !completes) values.set('actualcompletion', ctx.clock.now());
  } else if (completes)
    sameStatus(after, from) ? completeByDate(ctx, form, values, from) : refuseOpen(ctx, form, from, after);
  else if (moved && wasComplete && isFinal(form, before)) values.set('actualcompletion', null);
}

/** The status that a save leaves the task in, checked and in its own spelling. */
function statusAfter(
  ctx: Context,
  form: Form,
  values: Map<string, unknown>,
  { stored, before, from }: { readonly stored: boolean; readonly before: string | null; readonly from: string | null },
): string | null {
  const sent = values.get('status');
  if (!values.has('status') || (!stored && sent === null)) {
    if (!stored) values.set('status', from);
    return from;
  }
  const wanted = typeof sent === 'string' ? sent : null;
  // A task from before the form had statuses keeps its own until it is moved.
  if (sameStatus(wanted, stored ? before : from)) {
    const known = statusNamed(form, wanted);
    if (known) values.set('status', known.name);
    return known?.name ?? wanted;
  }
  const start = before === null && sameStatus(wanted, form.statuses[0]?.name ?? null);
  const known = wanted === null ? undefined : statusNamed(form, wanted);
  if (!known)
    throw statusRefused(
      ctx,
      form,
      from,
      'Status',
      `Status: ${wanted === null ? 'a task of this form has one' : `${wanted.slice(0, 100)} is no status of ${form.name}`}`,
    );
  if (!start && !movesFrom(ctx, form, from).some(({ to }) => sameStatus(to, known.name)))
    throw statusRefused(
      ctx,
      form,
      from,
      'Status',
      `Status: you may not move the task from ${from ?? 'no status'} to ${known.name}`,
    );
  values.set('status', known.name);
  return known.name;
}

/** A task that is completed by its date takes the final status, where it is clear which. */
function completeByDate(ctx: Context, form: Form, values: Map<string, unknown>, from: string | null): void {
  const finals = movesFrom(ctx, form, from).filter((move) => endsTask(form, move));
  const [only, ...more] = finals;
  if (!only || more.length > 0)
    throw statusRefused(
      ctx,
      form,
      from,
      'ActualCompletion',
      `ActualCompletion: ${only ? 'several final statuses can be reached; send the Status that is meant' : `you can complete the task from ${from ?? 'no status'} by no status`}`,
    );
  values.set('status', statusNamed(form, only.to)?.name ?? only.to);
}

function refuseOpen(ctx: Context, form: Form, from: string | null, after: string | null): never {
  throw statusRefused(
    ctx,
    form,
    from,
    'Status',
    `Status: ${String(after)} is not final, so that the task cannot be completed in it`,
  );
}

function statusRefused(ctx: Context, form: Form, from: string | null, field: string, what: string): PlatformError {
  const moves = movesFrom(ctx, form, from).map(({ to }) => statusNamed(form, to)?.name ?? to);
  return new PlatformError('STATE_REFUSES', {
    field,
    message: `${what}. Possible now: ${moves.join(', ') || 'none'}.`,
    details: { Statuses: moves },
  });
}
