import type { RecordName, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { localDateTime } from '../display-values.ts';
import { readChanges } from '../records/read-changes.ts';
import { alertNote, statusNote } from './case-notes.ts';
import type { PageCall } from '../page-call.ts';
import { normalizeLineEnds, plainText } from '../plain-text.ts';
import { caseFromPath } from './case-address.ts';
import { caseChangeFlash, caseChanges } from './case-changes.ts';
import { isOpen, stateOf, type StepRow, type WorkflowRow } from './step-view.ts';
import { stepWait, workflowName } from './workflow-section.ts';

/** The query of the page that confirms an action: `done`, and the names in its message. */
export type FlashQuery = Record<string, string>;

/** Performs the pressed button's action. */
export async function performAction(call: PageCall): Promise<FlashQuery> {
  const action = plainText(call.form['Action']);
  const change = caseChanges.get(action);
  if (change) return change(call);
  const stepId = plainText(call.form['StepID']);
  switch (action) {
    case 'complete':
      return complete(call, stepId, undefined);
    case 'complete true':
    case 'complete false':
      return complete(call, stepId, action === 'complete true');
    case 'start':
      await call.call('decisionstep/start', { ID: stepId });
      return { done: 'started', step: stepId };
    case 'hold':
      return placeHold(call);
    case 'endhold':
      return endHold(call, plainText(call.form['HoldID']));
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected complete, start, note, task, hold, extend, endhold, assign, close, dates or undo.',
      });
  }
}

/**
 * Completes a step; one that waits for a task or a workflow only with a reason, because that is canceled. If another
 * user has already completed it, the page says so: the operation leaves a completed step as it is and reports nothing.
 */
async function complete(call: PageCall, id: string, isTrue: boolean | undefined): Promise<FlashQuery> {
  const before = await stepRow(call, id);
  if (!isOpen(before)) return { done: 'already', step: id };
  const reason = normalizeLineEnds(plainText(call.form['BodyText']));
  if (stepWait(before) !== undefined && before.Delayed !== true && reason.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', { field: 'BodyText', message: 'Enter a reason.' });
  try {
    await call.call('decisionstep/complete', {
      ID: id,
      ...(isTrue === undefined ? {} : { IsTrue: isTrue }),
      ...(reason.trim() === '' ? {} : { BodyText: reason }),
    });
  } catch (error) {
    // Where another step failed, this one is complete all the same.
    if (
      !(error instanceof PlatformError) ||
      error.code !== 'STEP_FAILED' ||
      error.details?.['DecisionStepID'] === Number(id)
    )
      throw error;
    return { done: 'next-failed', step: id };
  }
  const after = await stepRow(call, id);
  if (isOpen(after)) return { done: 'ended', step: id };
  return { done: (await completedByThisCall(call, after, isTrue)) ? 'completed' : 'already', step: id };
}

/**
 * Whether this call completed a step. If the user may not see its history: whether it ended with the requested result.
 */
async function completedByThisCall(call: PageCall, row: StepRow, isTrue: boolean | undefined): Promise<boolean> {
  return (
    (await changedByThisCall(call, 'DecisionStep', row.DecisionStepID, 'ActualCompletion')) ??
    (isTrue === undefined || row.IsTrue === isTrue)
  );
}

/** Whether this call was the last to change a field, by its history; undefined where the user may not see that. */
export async function changedByThisCall<N extends RecordName>(
  call: PageCall,
  name: N,
  id: number,
  field: keyof RowNamed<N>,
): Promise<boolean | undefined> {
  const record = call.platform.registry.requireRecord(name, 'ID');
  if (!call.mayOf(record, 'history')) return undefined;
  const changes = await readChanges(call, record, id);
  const last = changes.find((change) => change.Field === field);
  return last === undefined || last.CallID === call.correlationId;
}

/** Holds the whole case, unless one of its workflows was chosen. */
async function placeHold(call: PageCall): Promise<FlashQuery> {
  const reason = normalizeLineEnds(plainText(call.form['ReasonDetail']));
  const workflow = plainText(call.form['DecisionID']);
  const review = plainText(call.form['ReviewDate']);
  const { record, id } = caseFromPath(call);
  await call.call('decisiondelay/save', {
    ...(workflow === '' ? { Object: record.name, ObjectID: id } : { DecisionID: workflow }),
    DecisionDelay: plainText(call.form['DecisionDelay']),
    ...(reason === '' ? {} : { ReasonDetail: reason }),
    ...(review !== '' && { ProjectedCompletion: review }),
  });
  return { done: 'held' };
}

async function endHold(call: PageCall, id: string): Promise<FlashQuery> {
  const { answer } = await call.call('decisiondelay/select', { ID: id });
  if (answer.row.ActualCompletion !== null) return { done: 'hold-ended-already' };
  await call.call('decisiondelay/save', { ID: id, ActualCompletion: call.platform.clock.now() });
  return { done: 'hold-ended' };
}

async function stepRow(call: PageCall, id: string): Promise<StepRow> {
  const { answer } = await call.call('decisionstep/search', { ID: id, DisplaySize: '1', RecordCount: 'false' });
  const [row] = answer.rows;
  if (!row) throw new PlatformError('NOT_FOUND', { message: "Step not found, or you don't have access to it." });
  return row;
}

/**
 * Renders the result of the action that led here, naming the step; `workflows` are those of the case that are open.
 */
export async function actionFlash(call: PageCall, workflows: readonly WorkflowRow[]): Promise<Markup | false> {
  const id = plainText(call.query['step']);
  const step = /^\d{1,15}$/.test(id) ? await stepRow(call, id).catch(() => undefined) : undefined;
  const name = html`“<bdi>${step ? step.DecisionStep : 'The step'}</bdi>”`;
  switch (plainText(call.query['done'])) {
    case 'completed':
      return statusNote(html`${name} is done.`);
    case 'started':
      return statusNote(html`${name} was started. Status: ${step ? startedState(step) : 'In progress'}.`);
    case 'already':
      return alertNote(html`${name} ${settledText(call, step)} by someone else. Nothing else was changed.`);
    case 'ended':
      return alertNote(html`${name} was not completed: its workflow has ended.`);
    case 'next-failed':
      return alertNote(html`${name} is done, but a later step failed. See the reason below.`);
    case 'held':
      return statusNote(heldText(workflows));
    case 'hold-ended':
      return statusNote('Hold ended');
    case 'hold-ended-already':
      return alertNote('Someone else already ended this hold. Nothing else was changed.');
    default:
      return caseChangeFlash(call);
  }
}

/** Returns which of the open workflows are on hold, and which continue. */
function heldText(workflows: readonly WorkflowRow[]): Markup {
  const [held, others] = [true, false].map((isHeld) => workflows.filter((row) => (row.Delayed === true) === isHeld));
  if (others === undefined || others.length === 0)
    return html`The case is on hold. No step starts and none can be completed until the hold ends.`;
  if (held === undefined || held.length === 0) return html`The case is on hold, but its workflows continue.`;
  return html`On hold: ${workflowNames(held)}. Not on hold: ${workflowNames(others)}.`;
}

function workflowNames(workflows: readonly WorkflowRow[]): readonly Markup[] {
  return workflows.map((row, n) => html`${n > 0 && ', '}<bdi>${workflowName(row)}</bdi>`);
}

function startedState(step: StepRow): string {
  return stateOf({ row: step, outlook: 'comes' }).word;
}

function settledText(call: PageCall, step: StepRow | undefined): string {
  if (!step) return 'was already completed';
  const { CanceledDate: canceled, ActualCompletion: completed, IsTrue: isTrue } = step;
  if (canceled !== null) return `was canceled on ${localDateTime(call, canceled)}`;
  if (completed === null) return 'was already completed';
  const result = isTrue === null ? '' : ` with the result ${isTrue ? 'yes' : 'no'}`;
  return `was already completed on ${localDateTime(call, completed)}${result}`;
}
