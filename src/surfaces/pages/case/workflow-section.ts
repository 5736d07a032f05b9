import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { table } from '../design/table.ts';
import { dayMark, localDateTime, recordLink, recordPath } from '../display-values.ts';
import { referencesOf, type DisplayedRows, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import {
  expectedCompletion,
  isOpen,
  stateOf,
  stepViews,
  type StepDependency,
  type StepRow,
  type StepView,
  type WorkflowRow,
} from './step-view.ts';
import { changeLinks, requeueLink, type AddressedWorkflow } from './workflow-changes.ts';
import { workflowDiagram } from './workflow-diagram.ts';

/** Most steps of one workflow that the page reads. */
const STEPS_MAX = 1_000;
/** Open steps that are shown at once; more are folded. */
const OPEN_STEPS_SHOWN = 12;

/** A workflow with its steps. */
export interface WorkflowView extends AddressedWorkflow {
  /** Whether it has more steps than were read. */
  readonly isCut: boolean;
  /** When it is expected to be complete. */
  readonly expected: string | undefined;
}

/** Reads a workflow's steps, its template's outline and the projected dates, each as far as the user may. */
export async function readWorkflow(call: PageCall, row: WorkflowRow, path: string): Promise<WorkflowView> {
  const id = row.DecisionID;
  const [rows, outline, projected] = await Promise.all([
    call.may('decisionstep/search')
      ? call
          .callBelow(`decision/${id}`, 'decisionstep/search', {
            OrderBy: 'InsertedSequence',
            DisplaySize: STEPS_MAX,
            RecordCount: 'false',
          })
          .then(({ answer }) => answer.rows)
      : [],
    call.may('decision/outline')
      ? call.call('decision/outline', { ID: id }).then(({ answer }) => answer.root.children)
      : [],
    // A workflow that has ended has no upcoming steps, whatever its template says.
    isOpen(row) && call.may('decision/project')
      ? call.call('decision/project', { ID: id }).then(({ answer }) => answer.rows)
      : [],
  ]);
  const expected = expectedCompletion(row) ?? projected[0]?.WorkflowCompletion ?? undefined;
  return {
    row,
    id,
    path,
    steps: stepViews(outline, rows, projected, unprojectedOutlook(row, projected.length > 0)),
    isCut: rows.length === STEPS_MAX,
    expected,
  };
}

/** Returns the outlook of steps that are not projected. */
function unprojectedOutlook(row: WorkflowRow, isProjected: boolean): 'comes' | 'not' | 'unreached' {
  if (row.CanceledDate !== null) return 'unreached';
  return isOpen(row) && !isProjected ? 'comes' : 'not';
}

/** Returns the references of a workflow and its steps, for looking up their labels. */
export function stepReferences({ row, steps }: WorkflowView): readonly DisplayedRows[] {
  const rows = steps.flatMap(({ row: own }) => (own ? [own] : []));
  return [referencesOf([row]), referencesOf(rows, ['TeamID', 'Collection'])];
}

/** Renders a workflow: its progress, what can be done, its open steps, its diagram and the list of all steps. */
export function workflowSection(call: PageCall, workflow: WorkflowView, labels: Labels): Markup {
  const { row, id, steps } = workflow;
  const name = workflowName(row);
  const diagram = workflowDiagram(id, name, steps);
  const heading = html`<bdi>${name}</bdi>
${row.Status !== null && badge(html`<bdi>${row.Status}</bdi>`)}
${row.Delayed === true && badge('On hold', 'warn', 'hold')}`;
  return html`<section class="workflow" id="workflow-${id}" aria-labelledby="workflow-${id}-name">
<h2 id="workflow-${id}-name">${heading}</h2>
<p class="muted small">${progressLine(call, workflow)} · ${recordLink(call, 'Decision', id, 'View details')}</p>
${changeLinks(call, workflow, name)}
<div class="sides">${openStepsSection(call, workflow, labels)}${diagram && html`<div>${diagram}</div>`}</div>
<details${diagram === false && html` open`}>
<summary>${steps.length === 1 ? 'The step' : `All ${steps.length} steps`}, as a list</summary>
${stepTable(call, workflow, labels)}
${workflow.isCut && cutNote(id)}
</details>
</section>`;
}

function cutNote(id: number): Markup {
  const all = html`<a href="/records/decisionstep?DecisionID=${id}">View all</a>`;
  return html`<p class="muted small">Showing the first ${STEPS_MAX} steps. ${all}</p>`;
}

/** A step with its index in the workflow's steps, by which the list's rows are named. */
interface IndexedStep {
  readonly step: StepView;
  readonly at: number;
}

function openStepsSection(call: PageCall, workflow: WorkflowView, labels: Labels): Markup | false {
  const { row, id, steps } = workflow;
  if (!isOpen(row)) return false;
  const open = steps.flatMap((step, at) => (step.row && isOpen(step.row) ? [{ step, at }] : []));
  const items = open.map((each) => openStep(call, workflow, each, labels));
  return html`<section aria-labelledby="now-${id}">
<h3 id="now-${id}">In progress</h3>
${items.length === 0 ? html`<p class="muted">No step is in progress</p>` : openStepLists(items)}
</section>`;
}

function openStepLists(items: readonly Markup[]): Markup {
  const rest = items.slice(OPEN_STEPS_SHOWN);
  const more =
    rest.length > 0 &&
    html`<details><summary>${rest.length} more in progress</summary><ul class="now">${rest}</ul></details>`;
  return html`<ul class="now">${items.slice(0, OPEN_STEPS_SHOWN)}</ul>${more}`;
}

/** Returns a workflow's name, or its id where it has none. */
export function workflowName({ Decision: name, DecisionID: id }: Pick<WorkflowRow, 'Decision' | 'DecisionID'>): string {
  return (name ?? '') || `Workflow ${id}`;
}

function progressLine(call: PageCall, { row, steps, expected }: WorkflowView): Markup {
  const done = steps.filter((step) => stateOf(step).kind === 'done').length;
  const start = row.ActualStart;
  const started = start !== null ? html`Started ${dayMark(call, start)}` : html`Not started`;
  const noun = steps.length === 1 ? 'step' : 'steps';
  return html`${started} · ${done} of ${steps.length} ${noun} done${endText(call, row, expected)}`;
}

function endText(call: PageCall, row: WorkflowRow, expected: string | undefined): Markup | false {
  const { ActualCompletion: end, CanceledDate: canceled } = row;
  if (end !== null) return html` · done ${dayMark(call, end)}`;
  if (canceled !== null) return html` · canceled ${dayMark(call, canceled)}`;
  return expected !== undefined && html` · expected to be done ${dayMark(call, expected)}`;
}

/** Marks what was due before now. */
function overdueMark(call: PageCall, due: string | undefined): Markup | false {
  return (
    due !== undefined &&
    Date.parse(due) < call.platform.clock.milliseconds() &&
    html` <span class="state late"><span aria-hidden="true">⚑</span> Overdue</span>`
  );
}

function stateMark(step: StepView): Markup {
  const { word, mark, kind } = stateOf(step);
  return html`<span class="state ${kind}"><span aria-hidden="true">${mark}</span> ${word}</span>`;
}

/** Renders an open step: its state, dates, team and created record, its error, and what the user may do about it. */
function openStep(call: PageCall, workflow: WorkflowView, { step, at }: IndexedStep, labels: Labels): Markup {
  const { row, expected } = step;
  if (!row) return html``;
  const { ActualStart: start, TeamID: team } = row;
  const details: readonly (Markup | false)[] = [
    start !== null && html`since ${dayMark(call, start)}`,
    expected !== undefined && html`expected ${dayMark(call, expected)}`,
    team !== null && recordLink(call, 'Collection', team, labels.get('Collection')?.get(team)),
    createdRecordLink(call, row, labels),
  ];
  const shown = details.filter((each) => each !== false).map((each, n) => html`${n > 0 && ' · '}${each}`);
  return html`<li>
<p><strong><bdi>${step.name}</bdi></strong> ${stateMark(step)}${overdueMark(call, expected)}</p>
<p class="muted small">${shown}</p>
${row.Status === 'Error' && stepError(call, row)}
${stepActions(call, workflow, { step, at })}
</li>`;
}

function stepError(call: PageCall, { ErrorDate: date, ErrorMessage: message, ErrorGUID: logId }: StepRow): Markup {
  const when = date !== null && html`Failed ${localDateTime(call, date)}. `;
  return html`<p class="wrong">${(message ?? '') || 'The step failed.'}</p>
<p class="muted small">${when}Error log ID: <code>${logId}</code></p>`;
}

/** Links to what a step created: a task's form, a workflow on the page, or another record. */
function createdRecordLink(call: PageCall, row: StepRow, labels: Labels): Markup | false {
  const { Object: name, ObjectID: id } = row;
  if (name === null || id === null) return false;
  const label = labels.get(name)?.get(id);
  if (name === 'ImportForm' && call.may('importform/describe'))
    return html`task <a href="/form/${id}"><bdi>${label ?? `Task ${id}`}</bdi></a>`;
  if (name === 'Decision') return html`workflow <a href="#workflow-${id}"><bdi>${label ?? id}</bdi></a>`;
  return recordLink(call, name, id, label);
}

/** What a step waits for. Such a step can also be completed by hand, which cancels that. */
type StepWait = 'task' | 'workflow' | undefined;

/** Returns what a step waits for; undefined if for a person. */
export function stepWait({ Object: name, ObjectID: id }: StepRow): StepWait {
  if (id === null) return undefined;
  if (name === 'ImportForm') return 'task';
  return name === 'Decision' ? 'workflow' : undefined;
}

function mayStart(call: PageCall, row: StepRow): boolean {
  const isInQueue = row.QueueMessageID !== null;
  return call.may('decisionstep/start') && row.Delayed !== true && (row.Status !== 'Pending' || isInQueue);
}

/**
 * Renders the user's actions on an open step. While the step is on hold, it can only be queued again.
 */
function stepActions(call: PageCall, workflow: WorkflowView, { step, at }: IndexedStep): Markup | false {
  const { row } = step;
  if (!row) return false;
  const canComplete = call.may('decisionstep/complete') && row.Delayed !== true;
  const canStart = mayStart(call, row);
  const requeue = requeueLink(call, workflow, at);
  if (!canComplete && !canStart && !requeue) return false;
  const of = html`<span class="hidden"> ${step.name}</span>`;
  const button: StepButton = (action, text, isQuiet) =>
    html`<button class="button${isQuiet && ' quiet'}" name="Action" value="${action}">${text}${of}</button> `;
  const isFailed = row.Status === 'Error';
  const wait = stepWait(row);
  const openTask =
    wait === 'task' &&
    call.may('importform/describe') &&
    html`<a class="button" href="/form/${row.ObjectID}">Open task${of}</a> `;
  return html`<form method="post" class="actions">
${csrfField(call)}${hiddenField('StepID', row.DecisionStepID)}
${hiddenField('At', `step-${workflow.id}-${at}`)}
${openTask}
${canStart && button('start', isFailed ? 'Start again' : 'Start now', !isFailed)}
${canComplete && wait === undefined && completeButtons(button, step, { isQuiet: isFailed, verb: 'Complete' })}
${requeue}
</form>
${canComplete && wait !== undefined && skipForm(call, workflow, { step, at }, wait)}`;
}

/** Asks for the reason before a step is completed without what it waits for. */
function skipForm(
  call: PageCall,
  workflow: WorkflowView,
  { step, at }: IndexedStep,
  wait: NonNullable<StepWait>,
): Markup {
  const id = step.row?.DecisionStepID ?? 0;
  const isSent = call.form['StepID'] === String(id) && plainText(call.form['Action']).startsWith('complete');
  const field = `skip-${workflow.id}-${at}`;
  const button: StepButton = (action, text) =>
    html`<button class="button" name="Action" value="${action}">${text}</button> `;
  const canceled = wait === 'task' ? 'Its task and work item are canceled' : 'The workflow that it started is canceled';
  return html`<details${isSent && html` open`}>
<summary>Skip ${wait}…<span class="hidden"> ${step.name}</span></summary>
<form method="post" class="stacked">
${csrfField(call)}${hiddenField('StepID', id)}${hiddenField('At', `step-${workflow.id}-${at}`)}
<p>The step is completed. ${canceled}, and the workflow continues. The reason is saved as a note on the case.</p>
<p><label for="${field}">Reason</label>
<textarea class="input" id="${field}" name="BodyText" rows="2" required></textarea></p>
<p>${completeButtons(button, step, { isQuiet: false, verb: `Skip ${wait}` })}</p>
</form>
</details>`;
}

type StepButton = (action: string, text: string, isQuiet: boolean) => Markup;

function completeButtons(
  button: StepButton,
  { isDecision }: StepView,
  { isQuiet, verb }: { readonly isQuiet: boolean; readonly verb: string },
): Markup {
  if (isDecision)
    return html`${button('complete true', `${verb}: yes`, isQuiet)}
${button('complete false', `${verb}: no`, isQuiet)}`;
  return button('complete', verb, isQuiet);
}

/** Renders all steps in the template's order: the diagram in words. */
function stepTable(call: PageCall, { id: decisionId, steps }: WorkflowView, labels: Labels): Markup {
  const dependency = ({ step, isTrue }: StepDependency, at: number): Markup => {
    const link = html`<a href="#step-${decisionId}-${step}"><bdi>${steps[step]?.name}</bdi></a>`;
    return html`${at > 0 && ', '}${link}${resultText(isTrue)}`;
  };
  const line = (step: StepView, at: number): Markup => {
    const start = step.row?.ActualStart ?? undefined;
    return html`<tr id="step-${decisionId}-${at}">
<th scope="row">${stepNameCell(call, step, labels)}</th>
<td>${stateMark(step)}</td>
<td>${start !== undefined && dayMark(call, start)}</td>
<td>${stepEnd(call, step)}</td>
<td>${step.dependencies.map(dependency)}</td>
</tr>\n`;
  };
  return table({
    label: 'All steps',
    className: 'steps',
    heads: ['Step', 'Status', 'Started', 'Done', 'After'],
    rows: steps.map(line),
  });
}

function resultText(isTrue: boolean | undefined): string {
  if (isTrue === undefined) return '';
  return isTrue ? ': yes' : ': no';
}

function stepNameCell(call: PageCall, { row, name, times }: StepView, labels: Labels): Markup {
  const text = html`<bdi>${name}</bdi>`;
  const link =
    row && call.may('decisionstep/select')
      ? html`<a href="${recordPath('decisionstep', row.DecisionStepID)}">${text}</a>`
      : text;
  const created = row && createdRecordLink(call, row, labels);
  const repeated = times > 1 && html` <span class="count">${times} times</span>`;
  return html`${link}${repeated}${created && html` · ${created}`}`;
}

function stepEnd(call: PageCall, { row, expected }: StepView): Markup | false {
  const at = row?.ActualCompletion ?? row?.CanceledDate ?? undefined;
  if (at !== undefined) return dayMark(call, at);
  return expected !== undefined && html`<span class="muted">expected</span> ${dayMark(call, expected)}`;
}
