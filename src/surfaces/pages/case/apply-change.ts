import type { ItemAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { changedByThisCall, type FlashQuery } from './actions.ts';
import type { WorkflowChange, StepTarget } from './workflow-changes.ts';
import { workflowName, type WorkflowView } from './workflow-section.ts';

/** Workflows below one that was taken up again with which the page goes on at once; for the others there is a link at each. */
const PROCESSED_MAX = 20;

/** Makes a change of a workflow; answers what the case's page is to tell. */
export async function applyChange(
  call: PageCall,
  change: WorkflowChange,
  workflow: WorkflowView,
  target: StepTarget | undefined,
): Promise<FlashQuery> {
  const id = String(workflow.id);
  const words = String(call.form['BodyText'] ?? '').replace(/\r\n?/g, '\n');
  switch (change.name) {
    case 'cancel':
      return cancel(call, id, words);
    case 'restart':
      return restart(call, id, { DecisionStepID: String(target?.id), BodyText: words });
    case 'skip':
      await call.call('decision/skipforward', { ID: id, DecisionStepID: String(target?.id), BodyText: words });
      return { done: 'skipped', Workflow: id };
    case 'reactivate':
      return reactivate(call, id);
    case 'process':
      return { done: (await processWorkflow(call, id)) ? 'processed' : 'process-failed', Workflow: id };
    case 'requeue':
      return requeue(call, workflow, target);
    default:
      throw new Error(`Nothing carries out ${change.name}`);
  }
}

/** Cancels it. Who comes second is told so: the operation leaves a workflow that is over as it is. */
async function cancel(call: PageCall, id: string, words: string): Promise<FlashQuery> {
  const { Status = '', KeepImportForm } = call.form;
  const { alerts } = await call.call('decision/cancel', {
    ID: id,
    BodyText: words,
    ...(Status === '' ? {} : { Status: String(Status) }),
    ...(KeepImportForm === 'true' ? { KeepImportForm: 'true' } : {}),
  });
  if (alerts.some(({ code }) => code === 'STATE_REFUSES')) return { done: 'over-already', Workflow: id };
  return {
    done:
      (await changedByThisCall(call, 'Decision', Number(id), 'CanceledDate')) === false ? 'over-already' : 'canceled',
    Workflow: id,
  };
}

async function restart(call: PageCall, id: string, of: Record<string, string>): Promise<FlashQuery> {
  try {
    const { answer } = await call.call('decision/restart', { ID: id, ...of });
    return { done: 'restarted', Workflow: String((answer as ItemAnswer).row['DecisionID']) };
  } catch (error) {
    // The new workflow is there all the same; one of its steps has failed.
    if (!(error instanceof PlatformError) || error.code !== 'STEP_FAILED') throw error;
    return { done: 'restart-failed' };
  }
}

async function reactivate(call: PageCall, id: string): Promise<FlashQuery> {
  const { alerts } = await call.call('decision/reactivate', { ID: id });
  const below = alerts
    .filter(({ code }) => code === 'CHILD_REACTIVATED')
    .flatMap((alert) => (alert.id === undefined ? [] : [String(alert.id)]));
  const remarks = alerts.filter(({ code }) => code !== 'CHILD_REACTIVATED').length;
  const told = { Workflow: id, ...(remarks > 0 ? { remarks: String(remarks) } : {}) };
  if (call.form['Process'] !== 'true' || !call.may('decision/process')) return { done: 'reactivated', ...told };
  // The last are the deepest: what they complete goes on above them.
  let isGood = true;
  try {
    for (const one of [...below.slice(0, PROCESSED_MAX).reverse(), id])
      isGood = (await processWorkflow(call, one)) && isGood;
  } catch (error) {
    // It is open all the same.
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { done: 'reactivated', ...told };
  }
  return { done: isGood ? 'reactivated-on' : 'process-failed', ...told };
}

/** Makes a pass over a workflow; answers whether no step failed. */
async function processWorkflow(call: PageCall, id: string): Promise<boolean> {
  try {
    await call.call('decision/process', { ID: id });
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'STEP_FAILED') throw error;
    return false;
  }
}

/** Queues one failed step again: the time in which it was made is that of no other, as a rule. */
async function requeue(
  call: PageCall,
  { id, steps }: WorkflowView,
  target: StepTarget | undefined,
): Promise<FlashQuery> {
  const row = target && steps[target.at]?.row;
  const { answer } = await call.call('decisionstep/errorrequeue', {
    DecisionStepTemplateID: String(row?.['DecisionStepTemplateID']),
    StartDate: String(row?.['CreatedDate']),
    EndDate: String(row?.['CreatedDate']),
  });
  return {
    done: Number((answer as ItemAnswer).row['QueuedCount']) > 0 ? 'requeued' : 'requeued-none',
    Workflow: String(id),
    step: String(target?.id),
  };
}

/** What a change of a workflow that led here has done, in words. */
export function changeFlash(call: PageCall, workflows: readonly Row[]): Markup | false {
  const row = workflows.find((each) => String(each['DecisionID']) === call.query['Workflow']);
  const name = html`“<bdi>${row ? workflowName(row) : 'The workflow'}</bdi>”`;
  const note = (text: Markup): Markup =>
    html`<div class="note" role="status"><p>${text}</p>${call.query['remarks'] !== undefined && html`<p>Not all that was canceled with it could be taken up again: look at its tasks and steps.</p>`}</div>`;
  const refused = (text: Markup): Markup => html`<div class="note refused" role="alert"><p>${text}</p></div>`;
  switch (String(call.query['done'] ?? '')) {
    case 'canceled':
      return note(html`${name} is canceled.`);
    case 'over-already':
      return refused(html`${name} has ended already, by somebody else or by itself; nothing was changed by you.`);
    case 'restarted':
      return note(html`${name} has begun again. It goes on in the place of the one before.`);
    case 'restart-failed':
      return refused(
        html`The workflow has begun again. A step of the new one failed: it stands below with the reason.`,
      );
    case 'skipped':
      return note(html`${name} was skipped ahead. It goes on from there within seconds.`);
    case 'reactivated':
      return note(html`${name} is open again. Nothing of it was started.`);
    case 'reactivated-on':
      return note(
        row?.['Delayed'] === true
          ? html`${name} is open again, and on hold: it goes on when the hold ends.`
          : html`${name} is open again and goes on.`,
      );
    case 'processed':
      return note(html`${name} has gone on.`);
    case 'process-failed':
      return refused(html`${name} has gone on. A step failed: it stands below with the reason.`);
    case 'requeued':
      return note(html`The step is queued again. It is called within seconds.`);
    case 'requeued-none':
      return refused(html`Nothing was queued: the step is not failed any more, or cannot be called again.`);
    default:
      return false;
  }
}
