import type { ListAnswer, Row, TreeAnswer } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import type { Labels, DisplayedRows } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { recordLink, recordPath, localDateTime } from '../display-values.ts';
import { changeLinks, requeueLink } from './workflow-changes.ts';
import { expectedCompletion, isOpen, stateOf, stepViews, type StepView } from './step-view.ts';
import { workflowDiagram } from './workflow-diagram.ts';

/** The most steps of one workflow that the page reads. */
const STEPS_MAX = 1_000;
/** Of more steps that are under way at once the rest is folded away. */
const OPEN_STEPS_SHOWN = 12;

/** A workflow with its steps. */
export interface WorkflowView {
  readonly row: Row;
  readonly id: number;
  /** The address of its case's page. */
  readonly path: string;
  readonly steps: readonly StepView[];
  /** Whether it has more steps than are shown. */
  readonly isCut: boolean;
  /** When it is expected to be complete. */
  readonly expected: string | undefined;
}

/** Reads a workflow's steps, what its template says of them, and when those to come are expected; each as far as the user may. */
export async function readWorkflow(call: PageCall, row: Row, path: string): Promise<WorkflowView> {
  const id = Number(row['DecisionID']);
  const [rows, outline, projected] = await Promise.all([
    call.may('decisionstep/search')
      ? listOf(call, `decision/${id}/decisionstep/search`, {
          OrderBy: 'InsertedSequence',
          DisplaySize: String(STEPS_MAX),
          RecordCount: 'false',
        })
      : [],
    call.may('decision/outline')
      ? call
          .call('decision/outline', { ID: String(id) })
          .then(({ answer }) => (answer as TreeAnswer).root.children ?? [])
      : [],
    // What is complete or canceled has nothing to come, whatever its template says.
    isOpen(row) && call.may('decision/project') ? listOf(call, 'decision/project', { DecisionID: String(id) }) : [],
  ]);
  const last = projected[0]?.['WorkflowCompletion'];
  const expected = expectedCompletion(row) ?? (typeof last === 'string' ? last : undefined);
  return {
    row,
    id,
    path,
    steps: stepViews(outline, rows, projected, !isOpen(row) || projected.length > 0),
    isCut: rows.length === STEPS_MAX,
    expected,
  };
}

async function listOf(call: PageCall, route: string, parameters: Record<string, string>): Promise<readonly Row[]> {
  const { answer } = await call.call(route, parameters);
  return answer.kind === 'list' ? (answer as ListAnswer).rows : [];
}

/** What a workflow's part of the page mentions, so that its labels can be looked up. */
export function stepReferences({ row, steps }: WorkflowView): DisplayedRows {
  return {
    columns: [{ name: 'TeamID', field: { kind: 'id', classification: 'public', doc: 'The team.', to: 'Collection' } }],
    rows: [row, ...steps.flatMap(({ row: own }) => (own ? [own] : []))],
  };
}

/** A workflow: where it stands, what is to be done now, its picture, and all its steps. */
export function workflowSection(call: PageCall, workflow: WorkflowView, labels: Labels): Markup {
  const { row, id, path, steps, isCut, expected } = workflow;
  const name = workflowName(row);
  const now = steps.flatMap((step, at) => (step.row && isOpen(step.row) && isOpen(row) ? [{ step, at }] : []));
  const picture = workflowDiagram(id, name, steps);
  return html`<section class="workflow" id="workflow-${id}" aria-labelledby="workflow-${id}-name"><h2 id="workflow-${id}-name"><bdi>${name}</bdi> ${typeof row['Status'] === 'string' && html`<span class="status">${row['Status']}</span>`}${row['Delayed'] === true && html` <span class="status warning">On hold</span>`}</h2>
<p class="quiet">${progressLine(call, row, steps, expected)} · ${recordLink(call, 'Decision', id, 'The workflow as a record')}</p>
${changeLinks(call, path, id, workflow, name)}
<div class="sides">${isOpen(row) && html`<section aria-labelledby="now-${id}"><h3 id="now-${id}">Now</h3>${now.length === 0 ? html`<p class="quiet">No step is under way.</p>` : openStepLists(call, workflow, now, labels)}</section>`}${picture && html`<div>${picture}</div>`}</div>
<details${picture === false && html` open`}><summary>All ${steps.length} steps, as a list</summary>${stepTable(call, workflow, labels)}${isCut && html`<p class="quiet">Only the first ${STEPS_MAX} steps are shown; <a href="/records/decisionstep?DecisionID=${id}">all of them</a>.</p>`}</details></section>`;
}

function openStepLists(
  call: PageCall,
  workflow: WorkflowView,
  now: readonly { readonly step: StepView; readonly at: number }[],
  labels: Labels,
): Markup {
  const items = now.map(({ step, at }) => openStep(call, workflow, step, at, labels));
  const rest = items.slice(OPEN_STEPS_SHOWN);
  return html`<ul class="now">${items.slice(0, OPEN_STEPS_SHOWN)}</ul>${rest.length > 0 && html`<details><summary>${rest.length} more under way</summary><ul class="now">${rest}</ul></details>`}`;
}

/** How a workflow is called. */
export function workflowName(row: Row): string {
  return String(row['Decision'] ?? '') || `Workflow ${String(row['DecisionID'])}`;
}

function progressLine(call: PageCall, row: Row, steps: readonly StepView[], expected: string | undefined): Markup {
  const done = steps.filter((step) => stateOf(step).kind === 'done').length;
  const date = (name: string): Markup | undefined => (typeof row[name] === 'string' ? day(call, row[name]) : undefined);
  const end = date('ActualCompletion');
  const canceled = date('CanceledDate');
  return html`Started ${date('ActualStart')} · ${done} of ${steps.length} steps complete${end ? html` · complete since ${end}` : canceled ? html` · canceled ${canceled}` : expected !== undefined && html` · expected to be complete ${day(call, expected)}`}`;
}

/** A day, with its time where the pointer rests on it. */
export function day(call: PageCall, instant: string): Markup {
  const text = localDateTime(call, instant);
  return html`<time datetime="${instant}" title="${text}">${text.slice(0, 10)}</time>`;
}

function stateMark(step: StepView): Markup {
  const { word, mark, kind } = stateOf(step);
  return html`<span class="state ${kind}"><span aria-hidden="true">${mark}</span> ${word}</span>`;
}

/** A step that is under way: how it stands, what it waits for, why it failed, and what the user may do about it. */
function openStep(call: PageCall, workflow: WorkflowView, step: StepView, at: number, labels: Labels): Markup {
  const { row } = step;
  if (!row) return html``;
  const id = Number(row['DecisionStepID']);
  const due = step.expected;
  const isLate = due !== undefined && Date.parse(due) < call.platform.clock.milliseconds();
  const team = row['TeamID'];
  return html`<li><p><strong><bdi>${step.name}</bdi></strong> ${stateMark(step)}${isLate && html` <span class="state late"><span aria-hidden="true">⚑</span> Overdue</span>`}</p>
<p class="quiet">${typeof row['ActualStart'] === 'string' && html`since ${day(call, row['ActualStart'])}`}${due !== undefined && html` · expected ${day(call, due)}`}${typeof team === 'number' && html` · ${recordLink(call, 'Collection', team, labels.get('Collection')?.get(team))}`}${createdRecordLink(call, row, labels)}</p>
${row['Status'] === 'Error' && html`<p class="wrong">${String(row['ErrorMessage'] ?? 'It failed.')}</p><p class="quiet">${typeof row['ErrorDate'] === 'string' && html`Failed ${localDateTime(call, row['ErrorDate'])}, `}found in the error log by <code>${String(row['ErrorGUID'] ?? '')}</code></p>`}
${stepActions(call, workflow, step, id, at)}</li>`;
}

/** What a step has made: a task's form, or another record. */
function createdRecordLink(call: PageCall, row: Row, labels: Labels): Markup | false {
  const { Object: name, ObjectID: id } = row as { readonly Object?: string | null; readonly ObjectID?: number | null };
  if (typeof name !== 'string' || typeof id !== 'number') return false;
  const label = labels.get(name)?.get(id);
  if (name === 'ImportForm' && call.may('importform/describe'))
    return html` · task <a href="/form/${id}"><bdi>${label ?? `Form ${id}`}</bdi></a>`;
  if (name === 'Decision') return html` · workflow <a href="#workflow-${id}"><bdi>${label ?? id}</bdi></a>`;
  return html` · ${recordLink(call, name, id, label)}`;
}

function stepActions(call: PageCall, workflow: WorkflowView, step: StepView, id: number, at: number): Markup | false {
  const { row } = step;
  const mayComplete = call.may('decisionstep/complete') && row?.['Delayed'] !== true;
  const mayStart =
    call.may('decisionstep/start') &&
    row?.['Delayed'] !== true &&
    (row?.['Status'] !== 'Pending' || (row['QueueMessageID'] !== undefined && row['QueueMessageID'] !== null));
  const requeue = requeueLink(call, workflow.path, workflow.id, workflow, at);
  if (!mayComplete && !mayStart && !requeue) return false;
  const of = html`<span class="hidden"> ${step.name}</span>`;
  const button = (action: string, text: string, isQuiet: boolean): Markup =>
    html`<button${isQuiet && html` class="quiet"`} name="Action" value="${action}">${text}${of}</button> `;
  const isFailed = row?.['Status'] === 'Error';
  // A step with a task is completed by the task; by hand is the way around it.
  const hasTask =
    row?.['Object'] === 'ImportForm' && typeof row['ObjectID'] === 'number' && call.may('importform/describe');
  // So is one that waits for a workflow, which has its own place on the page.
  const hasWorkflow = row?.['Object'] === 'Decision' && typeof row['ObjectID'] === 'number';
  const isQuiet = hasTask || hasWorkflow || isFailed;
  const completes = (): Markup => {
    if (step.isDecision)
      return html`${button('complete true', 'Complete: yes', isQuiet)}${button('complete false', 'Complete: no', isQuiet)}`;
    return button(
      'complete',
      hasTask ? 'Complete without the task' : hasWorkflow ? 'Complete without the workflow' : 'Complete',
      isQuiet,
    );
  };
  return html`<form method="post" class="actions">${csrfField(call)}<input type="hidden" name="StepID" value="${id}"><input type="hidden" name="At" value="step-${workflow.id}-${at}">${hasTask && html`<a class="button" href="/form/${Number(row['ObjectID'])}">Open the task${of}</a> `}${mayStart && button('start', isFailed ? 'Start again' : 'Start now', !isFailed)}${mayComplete && completes()}${requeue}</form>`;
}

/** All steps in the order of the template: the picture in words. */
function stepTable(call: PageCall, { id: decisionId, steps }: WorkflowView, labels: Labels): Markup {
  const after = ({ dependencies: needs }: StepView): Markup =>
    html`${needs.map(({ step, isTrue }, at) => html`${at > 0 && ', '}<a href="#step-${decisionId}-${step}"><bdi>${steps[step]?.name}</bdi></a>${isTrue !== undefined && (isTrue ? ': yes' : ': no')}`)}`;
  const end = ({ row, expected }: StepView): Markup | false => {
    const at = row?.['ActualCompletion'] ?? row?.['CanceledDate'];
    return typeof at === 'string'
      ? day(call, at)
      : expected !== undefined && html`<span class="quiet">expected</span> ${day(call, expected)}`;
  };
  return html`<div class="scroll" role="region" tabindex="0" aria-label="All steps"><table class="steps"><thead><tr><th scope="col">Step</th><th scope="col">State</th><th scope="col">Started</th><th scope="col">Complete</th><th scope="col">After</th></tr></thead>
<tbody>${steps.map((step, at) => html`<tr id="step-${decisionId}-${at}"><th scope="row">${step.row && call.may('decisionstep/select') ? html`<a href="${recordPath('decisionstep', String(step.row['DecisionStepID']))}"><bdi>${step.name}</bdi></a>` : html`<bdi>${step.name}</bdi>`}${step.times > 1 && html` <span class="count">${step.times} times</span>`}${step.row && createdRecordLink(call, step.row, labels)}</th><td>${stateMark(step)}</td><td>${typeof step.row?.['ActualStart'] === 'string' && day(call, step.row['ActualStart'])}</td><td>${end(step)}</td><td>${after(step)}</td></tr>\n`)}</tbody></table></div>`;
}
