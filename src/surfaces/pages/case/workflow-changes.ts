import type { OperationName } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { isOpen, type StepRow, type StepView, type WorkflowRow } from './step-view.ts';

/** A workflow and its steps, as far as they decide which changes are possible. */
export interface WorkflowState {
  readonly row: WorkflowRow;
  readonly steps: readonly StepView[];
}

/** A workflow's state, with its id and the address of its case's page. */
export interface AddressedWorkflow extends WorkflowState {
  readonly id: number;
  readonly path: string;
}

/**
 * A change of a whole workflow, or of a failed step. Each has a page that shows its consequences and asks for
 * confirmation.
 */
export interface WorkflowChange {
  /** Its name in the page's address. */
  readonly name: string;
  /** The operation that makes it; the change is offered to users who may call that. */
  readonly route: OperationName;
  /** The text of the link to the page. */
  readonly link: string;
  /** The page's heading, for a workflow and, once it is chosen, a step. */
  readonly question: (workflow: Markup, step: Markup | undefined) => Markup;
  /** What the change always does, in a sentence or two. */
  readonly lead: string;
  readonly button: string;
  /** The steps to choose from, where the change needs one. */
  readonly targets?: (state: WorkflowState) => readonly StepTarget[];
  /** The label of the choice, where the step is chosen on the change's page. */
  readonly choice?: string;
  /** Its name in decision/preview. */
  readonly preview?: 'Cancel' | 'Restart' | 'SkipForward' | 'Reactivate';
  /** Whether a reason must be entered. */
  readonly isExplained?: true;
  /** Whether the workflow's state allows it. */
  readonly isPossible: (state: WorkflowState) => boolean;
}

/** A step that a change can apply to. `id`: of the step or its template; `at`: its index in the workflow's steps. */
export interface StepTarget {
  readonly id: number;
  readonly at: number;
}

const isHeld = ({ row }: WorkflowState): boolean => row.Delayed === true;

const isComplete = (row: StepRow | undefined): row is StepRow => (row?.ActualCompletion ?? null) !== null;

const completeSteps = ({ steps }: WorkflowState): readonly StepTarget[] =>
  steps.flatMap(({ row }, at) => (isComplete(row) ? [{ id: row.DecisionStepID, at }] : []));
const incompleteSteps = ({ steps }: WorkflowState): readonly StepTarget[] =>
  steps.flatMap(({ row, templateId }, at) =>
    templateId === undefined || isComplete(row) ? [] : [{ id: templateId, at }],
  );
const failedSteps = ({ steps }: WorkflowState): readonly StepTarget[] =>
  steps.flatMap(({ row }, at) => (row?.Status === 'Error' && isOpen(row) ? [{ id: row.DecisionStepID, at }] : []));

/** Queues a failed step again; offered beside each failed step. */
const requeueStep: WorkflowChange = {
  name: 'requeue',
  route: 'decisionstep/errorrequeue',
  link: 'Retry…',
  question: (workflow, step) => html`Retry ${step ?? 'a step'} of ${workflow}?`,
  lead: 'The failed step runs again within seconds. Anything it did before it failed may happen twice.',
  button: 'Retry',
  targets: failedSteps,
  isPossible: (state) => isOpen(state.row) && !isHeld(state) && failedSteps(state).length > 0,
};

/** All changes, in the order in which they are offered. */
export const workflowChanges: readonly WorkflowChange[] = [
  {
    name: 'process',
    route: 'decision/process',
    link: 'Continue…',
    question: (workflow) => html`Continue ${workflow}?`,
    lead: 'Starts every step that is ready now. Later steps start as they become ready.',
    button: 'Continue',
    // A reactivated workflow starts nothing until a user continues it.
    isPossible: (state) => isOpen(state.row) && state.row.Status === 'Reactivated' && !isHeld(state),
  },
  {
    name: 'skip',
    route: 'decision/skipforward',
    link: 'Skip to step…',
    question: (workflow, step) => (step ? html`Skip ${workflow} to ${step}?` : html`Skip ${workflow} to a step`),
    lead:
      "This step and all steps before it become done. Their actions won't run. The workflow continues after it " +
      'within seconds.',
    button: 'Skip to step',
    targets: incompleteSteps,
    choice: 'Last step to skip',
    preview: 'SkipForward',
    isExplained: true,
    isPossible: (state) => isOpen(state.row) && !isHeld(state) && incompleteSteps(state).length > 0,
  },
  {
    name: 'restart',
    route: 'decision/restart',
    link: 'Restart from step…',
    question: (workflow, step) =>
      step ? html`Restart ${workflow} after ${step}?` : html`Restart ${workflow} from a step`,
    lead:
      'This workflow ends and a new one replaces it. Steps that were done stay done, except those after the chosen ' +
      "step. Open steps start over, with new tasks. You can't undo this.",
    button: 'Restart from step',
    targets: completeSteps,
    choice: 'Restart after this step',
    preview: 'Restart',
    isExplained: true,
    isPossible: (state) => state.row.CanceledDate === null && !isHeld(state) && completeSteps(state).length > 0,
  },
  {
    name: 'cancel',
    route: 'decision/cancel',
    link: 'Cancel…',
    question: (workflow) => html`Cancel ${workflow}?`,
    lead: 'The workflow ends, with its open tasks and the open workflows that its steps started. You can reopen it.',
    button: 'Cancel workflow',
    preview: 'Cancel',
    isExplained: true,
    isPossible: ({ row }) => isOpen(row),
  },
  {
    name: 'reactivate',
    route: 'decision/reactivate',
    link: 'Reopen…',
    question: (workflow) => html`Reopen ${workflow}?`,
    lead: 'The workflow opens again, with the steps and tasks that were canceled with it.',
    button: 'Reopen workflow',
    preview: 'Reactivate',
    isPossible: ({ row }) => !isOpen(row) && row.Status !== 'Restart',
  },
  requeueStep,
];

/** Returns the address of the page that asks before a change. */
function changePath({ path, id }: AddressedWorkflow, name: string, step?: number): string {
  const query = new URLSearchParams({ Workflow: String(id), ...(step === undefined ? {} : { Step: String(step) }) });
  return `${path}/${name}?${query.toString()}`;
}

/** Links to the changes that the user may make now, and to the workflow's dates. */
export function changeLinks(call: PageCall, workflow: AddressedWorkflow, name: string): Markup | false {
  // Changes of a step without a choice on their page are offered beside the step.
  const offered = workflowChanges.filter(
    (change) =>
      (change.targets === undefined || change.choice !== undefined) &&
      call.may(change.route) &&
      change.isPossible(workflow),
  );
  const hasDates = isOpen(workflow.row) && call.may('decision/project');
  if (offered.length === 0 && !hasDates) return false;
  const of = html`<span class="hidden"> ${name}</span>`;
  const link = (page: string, text: string): Markup =>
    html`<a class="button quiet" href="${changePath(workflow, page)}">${text}${of}</a> `;
  return html`<p class="actions ways">
${hasDates && link('dates', 'Dates')}
${offered.map((change) => link(change.name, change.link))}
</p>`;
}

/** Links to the page that asks before a failed step is queued again. `at`: the step's index. */
export function requeueLink(call: PageCall, workflow: AddressedWorkflow, at: number): Markup | false {
  const target = failedSteps(workflow).find((each) => each.at === at);
  if (!target || !call.may(requeueStep.route) || !requeueStep.isPossible(workflow)) return false;
  const of = html`<span class="hidden"> ${workflow.steps[at]?.name}</span>`;
  const path = changePath(workflow, requeueStep.name, target.id);
  return html`<a class="button quiet" href="${path}">${requeueStep.link}${of}</a> `;
}
