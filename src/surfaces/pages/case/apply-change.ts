import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { alertNote, statusNote } from './case-notes.ts';
import type { PageCall } from '../page-call.ts';
import { normalizeLineEnds, plainText } from '../plain-text.ts';
import { changedByThisCall, type FlashQuery } from './actions.ts';
import type { WorkflowRow } from './step-view.ts';
import type { StepTarget, WorkflowChange } from './workflow-changes.ts';
import { workflowName, type WorkflowView } from './workflow-section.ts';

/** Most child workflows of a reopened one that the page continues at once; each of the others has a link for it. */
const PROCESSED_MAX = 20;

/** Applies a change to a workflow. Returns the message for the case's page. */
export async function applyChange(
  call: PageCall,
  change: WorkflowChange,
  workflow: WorkflowView,
  target: StepTarget | undefined,
): Promise<FlashQuery> {
  const id = String(workflow.id);
  const reason = normalizeLineEnds(plainText(call.form['BodyText']));
  switch (change.name) {
    case 'cancel':
      return cancel(call, id, reason);
    case 'restart':
      return restart(call, id, { DecisionStepID: String(target?.id), BodyText: reason });
    case 'skip':
      await call.call('decision/skipforward', { ID: id, DecisionStepID: String(target?.id), BodyText: reason });
      return { done: 'skipped', Workflow: id };
    case 'reactivate':
      return reactivate(call, id);
    case 'process':
      return { done: (await processWorkflow(call, id)) ? 'processed' : 'process-failed', Workflow: id };
    case 'requeue':
      return requeue(call, workflow, target);
    default:
      throw new Error(`No code applies the change ${change.name}.`);
  }
}

/**
 * Cancels a workflow. If it has already ended, the page says so: the operation leaves an ended workflow as it is and
 * reports nothing.
 */
async function cancel(call: PageCall, id: string, reason: string): Promise<FlashQuery> {
  const { KeepImportForm: keepsTasks } = call.form;
  const status = plainText(call.form['Status']);
  const { alerts } = await call.call('decision/cancel', {
    ID: id,
    BodyText: reason,
    ...(status === '' ? {} : { Status: status }),
    ...(keepsTasks === 'true' ? { KeepImportForm: 'true' } : {}),
  });
  if (alerts.some(({ code }) => code === 'STATE_REFUSES')) return { done: 'over-already', Workflow: id };
  const isOurs = (await changedByThisCall(call, 'Decision', Number(id), 'CanceledDate')) !== false;
  return { done: isOurs ? 'canceled' : 'over-already', Workflow: id };
}

interface RestartParameters {
  readonly DecisionStepID: string;
  readonly BodyText: string;
}

async function restart(call: PageCall, id: string, parameters: RestartParameters): Promise<FlashQuery> {
  try {
    const { answer } = await call.call('decision/restart', { ID: id, ...parameters });
    return { done: 'restarted', Workflow: String(answer.row.DecisionID) };
  } catch (error) {
    // The new workflow was created all the same; one of its steps has failed.
    if (!(error instanceof PlatformError) || error.code !== 'STEP_FAILED') throw error;
    return { done: 'restart-failed' };
  }
}

async function reactivate(call: PageCall, id: string): Promise<FlashQuery> {
  const { alerts } = await call.call('decision/reactivate', { ID: id });
  const children = alerts
    .filter(({ code }) => code === 'CHILD_REACTIVATED')
    .flatMap((alert) => (alert.id === undefined ? [] : [String(alert.id)]));
  const warnings = alerts.filter(({ code }) => code !== 'CHILD_REACTIVATED').length;
  const query = { Workflow: id, ...(warnings > 0 ? { remarks: String(warnings) } : {}) };
  if (call.form['Process'] !== 'true' || !call.may('decision/process')) return { done: 'reactivated', ...query };
  // The last children are the deepest: what they complete continues the workflows above them.
  let isGood = true;
  try {
    for (const each of [...children.slice(0, PROCESSED_MAX).reverse(), id])
      isGood = (await processWorkflow(call, each)) && isGood;
  } catch (error) {
    // The workflow is open all the same.
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { done: 'reactivated', ...query };
  }
  return { done: isGood ? 'reactivated-on' : 'process-failed', ...query };
}

/** Runs a pass over a workflow. Returns whether no step failed. */
async function processWorkflow(call: PageCall, id: string): Promise<boolean> {
  try {
    await call.call('decision/process', { ID: id });
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'STEP_FAILED') throw error;
    return false;
  }
}

/**
 * Queues one failed step again. Its template and the instant of its creation select it: as a rule no other step has
 * both.
 */
async function requeue(
  call: PageCall,
  { id, steps }: WorkflowView,
  target: StepTarget | undefined,
): Promise<FlashQuery> {
  const row = target && steps[target.at]?.row;
  const created = row?.CreatedDate ?? '';
  const { answer } = await call.call('decisionstep/errorrequeue', {
    DecisionStepTemplateID: row?.DecisionStepTemplateID ?? '',
    StartDate: created,
    EndDate: created,
  });
  return {
    done: answer.row.QueuedCount > 0 ? 'requeued' : 'requeued-none',
    Workflow: String(id),
    step: String(target?.id),
  };
}

/** Messages of changes on the case's page, by the address's `done`. `isRefused`: it is an alert. */
interface FlashText {
  readonly text: (name: Markup) => Markup;
  readonly isRefused?: true;
}

const failedBelow = 'A step failed. See the reason below.';

const flashTexts: ReadonlyMap<string, FlashText> = new Map(
  Object.entries<FlashText>({
    canceled: { text: (name) => html`${name} was canceled.` },
    'over-already': { text: (name) => html`${name} has already ended. Nothing was changed.`, isRefused: true },
    restarted: { text: (name) => html`${name} was restarted. It replaces the previous workflow.` },
    'restart-failed': { text: () => html`The workflow was restarted. ${failedBelow}`, isRefused: true },
    skipped: { text: (name) => html`${name} was skipped ahead. It continues within seconds.` },
    reactivated: { text: (name) => html`${name} was reopened. No step was started.` },
    'reactivated-on': { text: (name) => html`${name} was reopened and continues.` },
    'reactivated-held': { text: (name) => html`${name} was reopened. It is on hold and continues when the hold ends.` },
    processed: { text: (name) => html`${name} continues.` },
    'process-failed': { text: (name) => html`${name} continues. ${failedBelow}`, isRefused: true },
    requeued: { text: () => html`The step is queued and runs again within seconds.` },
    'requeued-none': {
      text: () => html`Nothing was queued. The step is no longer failed, or it can't be retried.`,
      isRefused: true,
    },
  }),
);

/** Renders the result of the workflow change that led here. */
export function changeFlash(call: PageCall, workflows: readonly WorkflowRow[]): Markup | false {
  const row = workflows.find((each) => String(each.DecisionID) === call.query['Workflow']);
  const name = html`“<bdi>${row ? workflowName(row) : 'The workflow'}</bdi>”`;
  const done = plainText(call.query['done']);
  const key = done === 'reactivated-on' && row?.Delayed === true ? 'reactivated-held' : done;
  const flash = flashTexts.get(key);
  if (!flash) return false;
  if (flash.isRefused) return alertNote(flash.text(name));
  const hasWarnings = call.query['remarks'] !== undefined;
  return statusNote(
    flash.text(name),
    hasWarnings && html`<p>Some canceled tasks or steps could not be reopened. Check them below.</p>`,
  );
}
