import type { ItemAnswer, ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { errorNote } from '../error.ts';
import { readChanges } from '../history.ts';
import type { PageCall } from '../page-call.ts';
import { localDateTime } from '../display-values.ts';
import { isOpen } from './step-view.ts';

/** What was done, as it stands in the address of the page that tells of it. */
export type FlashQuery = Record<string, string>;

/** Does what a button of the page says. */
export async function performAction(call: PageCall): Promise<FlashQuery> {
  const { Action = '', StepID = '', HoldID = '', DecisionDelay = '', DecisionID = '', ReasonDetail = '' } = call.form;
  switch (Action) {
    case 'complete':
      return complete(call, String(StepID), undefined);
    case 'complete true':
    case 'complete false':
      return complete(call, String(StepID), Action === 'complete true');
    case 'start':
      await call.call('decisionstep/start', { ID: String(StepID) });
      return { done: 'started', step: String(StepID) };
    case 'hold':
      await call.call('decisiondelay/save', {
        DecisionID: String(DecisionID),
        DecisionDelay: String(DecisionDelay),
        ...(ReasonDetail === '' ? {} : { ReasonDetail: String(ReasonDetail).replace(/\r\n?/g, '\n') }),
      });
      return { done: 'held' };
    case 'endhold':
      return endHold(call, String(HoldID));
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected complete, start, hold or endhold.',
      });
  }
}

/** Completes a step. Who comes second is told so: the operation leaves a step that is complete as it is, and says nothing. */
async function complete(call: PageCall, id: string, isTrue: boolean | undefined): Promise<FlashQuery> {
  if (!isOpen(await stepRow(call, id))) return { done: 'already', step: id };
  try {
    await call.call('decisionstep/complete', { ID: id, ...(isTrue === undefined ? {} : { IsTrue: String(isTrue) }) });
  } catch (error) {
    // The step is complete all the same; what came after it has failed.
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

/** Whether this very call completed a step, which its history says; for who may not see that, whether it ended as was wanted. */
async function completedByThisCall(call: PageCall, row: Row, isTrue: boolean | undefined): Promise<boolean> {
  return (
    (await changedByThisCall(call, 'DecisionStep', Number(row['DecisionStepID']), 'ActualCompletion')) ??
    (isTrue === undefined || row['IsTrue'] === isTrue)
  );
}

/** Whether this very call was the last to change a field, which history says; undefined for who may not see that. */
export async function changedByThisCall(
  call: PageCall,
  name: string,
  id: number,
  field: string,
): Promise<boolean | undefined> {
  const record = call.platform.registry.requireRecord(name, 'ID');
  if (!call.may(`${record.module}/history`)) return undefined;
  const changes = await readChanges(call, record, id, 0);
  const last = changes.find((change) => change['Field'] === field);
  return last === undefined || last['CallID'] === call.correlationId;
}

async function endHold(call: PageCall, id: string): Promise<FlashQuery> {
  const { answer } = await call.call('decisiondelay/select', { ID: id });
  if (((answer as ItemAnswer).row['ActualCompletion'] ?? null) !== null) return { done: 'hold-ended-already' };
  await call.call('decisiondelay/save', { ID: id, ActualCompletion: call.platform.clock.now() });
  return { done: 'hold-ended' };
}

async function stepRow(call: PageCall, id: string): Promise<Row> {
  const { answer } = await call.call('decisionstep/search', { ID: id, DisplaySize: '1', RecordCount: 'false' });
  const [row] = (answer as ListAnswer).rows;
  if (!row) throw new PlatformError('NOT_FOUND', { message: 'There is no such step within reach.' });
  return row;
}

/** What a change that led here has done, in words that name the step. */
export async function actionFlash(call: PageCall): Promise<Markup | false> {
  const done = String(call.query['done'] ?? '');
  const id = String(call.query['step'] ?? '');
  const step = /^\d{1,15}$/.test(id) ? await stepRow(call, id).catch(() => undefined) : undefined;
  const name = html`“<bdi>${String(step?.['DecisionStep'] ?? 'The step')}</bdi>”`;
  const note = (text: Markup): Markup => html`<div class="note" role="status"><p>${text}</p></div>`;
  switch (done) {
    case 'completed':
      return note(html`${name} is complete.`);
    case 'started':
      return note(html`${name} was started. It is ${String(step?.['Status'] ?? 'under way')} now.`);
    case 'already':
      return html`<div class="note refused" role="alert"><p>${name} ${settledText(call, step)}. Somebody else was quicker; nothing was changed by you.</p></div>`;
    case 'ended':
      return html`<div class="note refused" role="alert"><p>${name} was not completed: its workflow has ended meanwhile.</p></div>`;
    case 'next-failed':
      return html`<div class="note refused" role="alert"><p>${name} is complete. A step after it failed: it stands below with the reason.</p></div>`;
    case 'held':
      return note(html`The case is on hold.`);
    case 'hold-ended':
      return note(html`The hold has ended.`);
    case 'hold-ended-already':
      return errorNote(
        new PlatformError('STATE_REFUSES', {
          message: 'Somebody else has ended this hold already; nothing was changed by you.',
        }),
      );
    default:
      return false;
  }
}

function settledText(call: PageCall, step: Row | undefined): string {
  if (typeof step?.['CanceledDate'] === 'string') return `was canceled at ${localDateTime(call, step['CanceledDate'])}`;
  const result = typeof step?.['IsTrue'] === 'boolean' ? `, with the result ${step['IsTrue'] ? 'yes' : 'no'}` : '';
  return typeof step?.['ActualCompletion'] === 'string'
    ? `was already completed at ${localDateTime(call, step['ActualCompletion'])}${result}`
    : 'was already completed';
}
