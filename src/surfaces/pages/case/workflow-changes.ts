import type { Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { isOpen, type StepView } from './step-view.ts';

/** A workflow as far as it decides what can be done to it. */
export interface WorkflowState {
  readonly row: Row;
  readonly steps: readonly StepView[];
}

/** What people do to a workflow as a whole, or to a step that failed. Each has a page that says what will happen, and asks. */
export interface WorkflowChange {
  /** As it stands in the page's address. */
  readonly name: string;
  /** The operation that does it; who may call it is offered the change. */
  readonly route: string;
  /** What leads to the page. */
  readonly link: string;
  /** What the page asks of a workflow and, where one is named, a step. */
  readonly question: (workflow: Markup, step: Markup | undefined) => Markup;
  /** What it does in any case, in a sentence or two. */
  readonly lead: string;
  readonly button: string;
  /** What is chosen from, where a step must be named: its id and its place in the workflow's steps. */
  readonly targets?: (standing: WorkflowState) => readonly StepTarget[];
  /** What stands before the choice, where the choice is made on the page itself. */
  readonly choice?: string;
  /** The name under which decision/preview knows it. */
  readonly preview?: 'Cancel' | 'Restart' | 'SkipForward' | 'Reactivate';
  /** Whether words are wanted for it. */
  readonly isExplained?: true;
  /** Whether the state of the workflow allows it. */
  readonly isPossible: (standing: WorkflowState) => boolean;
}

/** A step that a change can name. */
export interface StepTarget {
  readonly id: number;
  readonly at: number;
}

const isHeld = ({ row }: WorkflowState): boolean => row['Delayed'] === true;

const completeSteps = ({ steps }: WorkflowState): readonly StepTarget[] =>
  steps.flatMap(({ row }, at) =>
    typeof row?.['ActualCompletion'] === 'string' ? [{ id: Number(row['DecisionStepID']), at }] : [],
  );
const incompleteSteps = ({ steps }: WorkflowState): readonly StepTarget[] =>
  steps.flatMap(({ row, templateId }, at) =>
    templateId === undefined || typeof row?.['ActualCompletion'] === 'string' ? [] : [{ id: templateId, at }],
  );
const failedSteps = ({ steps }: WorkflowState): readonly StepTarget[] =>
  steps.flatMap(({ row }, at) =>
    row?.['Status'] === 'Error' && isOpen(row) ? [{ id: Number(row['DecisionStepID']), at }] : [],
  );

/** All of them, in the order in which they are offered. */
export const workflowChanges: readonly WorkflowChange[] = [
  {
    name: 'process',
    route: 'decision/process',
    link: 'Go on …',
    question: (workflow) => html`Go on with ${workflow}?`,
    lead: 'Steps that nothing keeps from starting are started now, and those after them as they become ready.',
    button: 'Go on',
    // Nothing starts by itself in a workflow that was taken up again.
    isPossible: (standing) => isOpen(standing.row) && standing.row['Status'] === 'Reactivated' && !isHeld(standing),
  },
  {
    name: 'skip',
    route: 'decision/skipforward',
    link: 'Skip ahead …',
    question: (workflow, step) => (step ? html`Skip ${workflow} ahead to ${step}?` : html`Skip ${workflow} ahead`),
    lead: 'The step and all that come before it become complete. Nothing that they are for is done. The workflow goes on after it within seconds.',
    button: 'Skip ahead',
    targets: incompleteSteps,
    choice: 'The step to be complete, with all before it',
    preview: 'SkipForward',
    isExplained: true,
    isPossible: (standing) => isOpen(standing.row) && !isHeld(standing) && incompleteSteps(standing).length > 0,
  },
  {
    name: 'restart',
    route: 'decision/restart',
    link: 'Go back …',
    question: (workflow, step) =>
      step ? html`Go back in ${workflow} to after ${step}?` : html`Go back in ${workflow}`,
    lead: 'The workflow ends, and a new one goes on in its place: it takes over what is complete, but for what comes after the step. What was open begins anew, with new tasks. That the old one ended cannot be taken back.',
    button: 'Go back',
    targets: completeSteps,
    choice: 'The complete step after which it begins again',
    preview: 'Restart',
    isExplained: true,
    isPossible: (standing) =>
      (standing.row['CanceledDate'] ?? null) === null && !isHeld(standing) && completeSteps(standing).length > 0,
  },
  {
    name: 'cancel',
    route: 'decision/cancel',
    link: 'Cancel …',
    question: (workflow) => html`Cancel ${workflow}?`,
    lead: 'The workflow ends, with its open tasks and the open workflows that its steps have started. It can be taken up again.',
    button: 'Cancel the workflow',
    preview: 'Cancel',
    isExplained: true,
    isPossible: ({ row }) => isOpen(row),
  },
  {
    name: 'reactivate',
    route: 'decision/reactivate',
    link: 'Take it up again …',
    question: (workflow) => html`Take ${workflow} up again?`,
    lead: 'The workflow opens, with the steps and tasks that were canceled with it.',
    button: 'Take it up again',
    preview: 'Reactivate',
    isPossible: ({ row }) => !isOpen(row) && row['Status'] !== 'Restart',
  },
  {
    name: 'requeue',
    route: 'decisionstep/errorrequeue',
    link: 'Queue it again …',
    question: (workflow, step) => html`Queue ${step ?? 'a step'} of ${workflow} again?`,
    lead: 'The failed step is called again from its queue, within seconds. What it had done before it failed may be done a second time.',
    button: 'Queue it again',
    targets: failedSteps,
    isPossible: (standing) => isOpen(standing.row) && !isHeld(standing) && failedSteps(standing).length > 0,
  },
];

/** The address of the page that asks before a change. */
function changePath(path: string, { name }: Pick<WorkflowChange, 'name'>, workflow: number, step?: number): string {
  return `${path}/${name}?${new URLSearchParams({ Workflow: String(workflow), ...(step === undefined ? {} : { Step: String(step) }) }).toString()}`;
}

/** Links to what the user may do to a workflow as it stands. */
export function changeLinks(
  call: PageCall,
  path: string,
  id: number,
  standing: WorkflowState,
  workflow: string,
): Markup | false {
  // Of a change without a choice of its own the step's place on the page says which step is meant.
  const offered = workflowChanges.filter(
    (change) =>
      (change.targets === undefined || change.choice !== undefined) &&
      call.may(change.route) &&
      change.isPossible(standing),
  );
  const dates = isOpen(standing.row) && call.may('decision/project');
  if (offered.length === 0 && !dates) return false;
  const of = html`<span class="hidden"> ${workflow}</span>`;
  return html`<p class="actions ways">${dates && html`<a class="button quiet" href="${changePath(path, { name: 'dates' }, id)}">Dates${of}</a> `}${offered.map((change) => html`<a class="button quiet" href="${changePath(path, change, id)}">${change.link}${of}</a> `)}</p>`;
}

/** A link to the page that asks before a failed step is queued again. */
export function requeueLink(
  call: PageCall,
  path: string,
  id: number,
  standing: WorkflowState,
  at: number,
): Markup | false {
  const change = workflowChanges.find(({ name }) => name === 'requeue');
  const target = change?.targets?.(standing).find((each) => each.at === at);
  if (!change || !target || !call.may(change.route) || !change.isPossible(standing)) return false;
  return html`<a class="button quiet" href="${changePath(path, change, id, target.id)}">${change.link}<span class="hidden"> ${standing.steps[at]?.name}</span></a> `;
}
