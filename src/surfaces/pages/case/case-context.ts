import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable, hiddenField, option } from '../components.ts';
import { dayMark, recordLink, recordPath } from '../display-values.ts';
import { referencesOf, type DisplayedRows, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { expectedCompletion, type WorkflowRow } from './step-view.ts';
import { overdueMark, workflowName } from './workflow-section.ts';

/** Open tasks and holds that the page shows; the lists have the rest. */
const SHOWN_MAX = 50;
/** Most hold types to choose from. */
const HOLD_TYPES_MAX = 200;
/** Characters of a hold's reason that the page shows. */
const REASON_CHARACTERS_MAX = 1_000;
/** Record types that the page counts, where the user may search them. */
const COUNTED: readonly string[] = ['Attachment', 'Message'];

type TaskRow = RowNamed<'ImportForm'>;
type HoldRow = RowNamed<'DecisionDelay'>;
type ItemRow = RowNamed<'SmartWorklistMember'>;

/** What a case has besides workflows. */
export interface CaseContext {
  readonly record: RecordType;
  readonly id: number;
  readonly tasks: OpenRows<TaskRow>;
  /** The open work item of each task, by the task's id. */
  readonly items: ReadonlyMap<number, ItemRow>;
  readonly holds: OpenRows<HoldRow>;
  /** Names of hold types; undefined where the user may not place a hold. */
  readonly holdTypes: readonly string[] | undefined;
  readonly counts: readonly RecordCount[];
}

interface OpenRows<R> {
  readonly rows: readonly R[];
  readonly count: number;
}

interface RecordCount {
  readonly record: RecordType;
  readonly count: number;
  readonly isEstimate: boolean;
}

/** Reads a case's open tasks and holds, and the number of its documents and messages. */
export async function readCaseContext(call: PageCall, record: RecordType, id: number): Promise<CaseContext> {
  const below = `${record.module}/${id}`;
  const [tasks, holds, holdTypes, counts] = await Promise.all([
    readOpenTasks(call, below),
    readOpenHolds(call, below),
    readHoldTypes(call, record),
    Promise.all(COUNTED.map((name) => countBelow(call, below, name))),
  ]);
  return { record, id, tasks, items: await readItems(call, tasks.rows), holds, holdTypes, counts: counts.flat() };
}

/** Reads the open work items of tasks: who has taken one is known there, not in the task. */
async function readItems(call: PageCall, tasks: readonly TaskRow[]): Promise<ReadonlyMap<number, ItemRow>> {
  // Firms do not see how staff divide the work.
  const isOpenToUser = call.user.universal && call.may('smartworklistmember/search');
  if (tasks.length === 0 || !isOpenToUser) return new Map();
  const { answer } = await call.call('smartworklistmember/search', {
    SourceObject: 'ImportForm',
    SourceObjectID: tasks.map(({ ImportFormID: id }) => String(id)),
    CompletionDate: 'null',
    CancelledDate: 'null',
    DisplaySize: 2 * SHOWN_MAX,
    RecordCount: 'false',
  });
  return new Map(answer.rows.map((row) => [row.SourceObjectID, row]));
}

async function readOpenTasks(call: PageCall, below: string): Promise<OpenRows<TaskRow>> {
  if (!call.may('importform/search')) return { rows: [], count: 0 };
  const { answer } = await call.callBelow(below, 'importform/search', {
    DisplaySize: SHOWN_MAX,
    ActualCompletion: 'null',
    CanceledDate: 'null',
  });
  return rowsOf(answer);
}

async function readOpenHolds(call: PageCall, below: string): Promise<OpenRows<HoldRow>> {
  if (!call.may('decisiondelay/search')) return { rows: [], count: 0 };
  const { answer } = await call.callBelow(below, 'decisiondelay/search', {
    DisplaySize: SHOWN_MAX,
    ActualCompletion: 'null',
  });
  return rowsOf(answer);
}

async function countBelow(call: PageCall, below: string, name: string): Promise<readonly RecordCount[]> {
  const record = call.platform.registry.record(name);
  if (!record || !call.mayOf(record, 'search')) return [];
  const { answer } = await call.callOf(record, 'search', { DisplaySize: '1', SqlColumns: record.idField }, below);
  const { count, isEstimate } = rowsOf(answer);
  return [{ record, count, isEstimate }];
}

/** Reads the names of the hold types for a case's record type, its base types, and any record type. */
async function readHoldTypes(call: PageCall, record: RecordType): Promise<readonly string[] | undefined> {
  if (!call.may('decisiondelay/save') || !call.may('decisiondelaytemplate/search')) return undefined;
  const { answer } = await call.call('decisiondelaytemplate/search', {
    SqlColumns: 'DecisionDelayTemplate,AppliesTo',
    OrderBy: 'DecisionDelayTemplate',
    DisplaySize: HOLD_TYPES_MAX,
    RecordCount: 'false',
  });
  const fits = new Set<unknown>([null, undefined, '']);
  for (let at: RecordType | undefined = record; at; at = at.base) fits.add(at.name);
  const names = answer.rows.filter((row) => fits.has(row.AppliesTo)).map((row) => row.DecisionDelayTemplate ?? '');
  return [...new Set(names)];
}

/** Returns the references of tasks and holds, for looking up their labels. */
export function contextReferences({ tasks, items, holds }: CaseContext): readonly DisplayedRows[] {
  return [
    referencesOf(tasks.rows, ['AssignedPersonID', 'Person'], ['AssignedCollectionID', 'Collection']),
    referencesOf([...items.values()], ['PersonID', 'Person'], ['TeamID', 'Collection']),
    referencesOf(holds.rows),
  ];
}

/** What the rows of tasks need besides themselves. */
interface TaskView {
  readonly labels: Labels;
  /** Tasks that cannot be completed, because a workflow that waits for them is on hold. */
  readonly heldTasks: ReadonlySet<number>;
}

/** Renders the open tasks, the one due first at the top. */
export function taskSection(call: PageCall, context: CaseContext, view: TaskView): Markup | false {
  if (!call.may('importform/search')) return false;
  const { tasks, items } = context;
  const due = (row: TaskRow): string => expectedCompletion(row) ?? '9999';
  const sorted = [...tasks.rows].sort((a, b) => Number(due(a) > due(b)) - Number(due(a) < due(b)));
  const table = dataTable({
    label: 'Open tasks',
    heads: ['Task', 'Status', 'Due', 'Assigned to'],
    rows: sorted.map((row) => taskRow(call, { row, item: items.get(row.ImportFormID) }, view)),
  });
  return html`<section aria-labelledby="tasks">
<h2 id="tasks">Open tasks <span class="count">${tasks.count}</span></h2>
${sorted.length === 0 ? html`<p class="quiet">No open tasks</p>` : table}
<p><a href="/records/importform?${childQuery(context)}">View all tasks</a></p>
</section>`;
}

/** A task with its open work item. */
interface TaskWithItem {
  readonly row: TaskRow;
  readonly item: ItemRow | undefined;
}

function taskRow(call: PageCall, { row, item }: TaskWithItem, { labels, heldTasks }: TaskView): Markup {
  const id = row.ImportFormID;
  const due = expectedCompletion(row);
  const name = (row.ImportForm ?? '') || `Task ${id}`;
  const path = call.may('importform/describe') ? `/form/${id}` : recordPath('importform', id);
  return html`<tr>
<th scope="row"><a href="${path}"><bdi>${name}</bdi></a></th>
<td>${row.Status !== null && html`<span class="status">${row.Status}</span>`}
${heldTasks.has(id) && html`<span class="status warning">On hold</span>`}</td>
<td>${due !== undefined && html`${dayMark(call, due)}${overdueMark(call, due)}`}</td>
<td>${assignee(call, { row, item }, labels)}</td>
</tr>\n`;
}

/** Renders who works on a task: the user of its work item, or the task's own user, or else the team of either. */
function assignee(call: PageCall, { row, item }: TaskWithItem, labels: Labels): Markup {
  const person = item?.PersonID ?? row.AssignedPersonID;
  const team = item?.TeamID ?? row.AssignedCollectionID;
  const name = person === null ? 'Collection' : 'Person';
  const id = person ?? team;
  return id !== null
    ? recordLink(call, name, id, labels.get(name)?.get(id))
    : html`<span class="quiet">Unassigned</span>`;
}

/** Renders the active holds, each with a button that ends it, and the form that places another. */
export function holdSection(call: PageCall, context: CaseContext, workflows: readonly WorkflowRow[]): Markup | false {
  if (!call.may('decisiondelay/search')) return false;
  const { holds, holdTypes } = context;
  const names = new Map<number | null, string>(workflows.map((row) => [row.DecisionID, workflowName(row)]));
  const canPlace = holdTypes !== undefined && holdTypes.length > 0;
  const list = html`<ul class="now">${holds.rows.map((row) => holdItem(call, row, names.get(row.DecisionID)))}</ul>`;
  return html`<section aria-labelledby="holds">
<h2 id="holds">Holds <span class="count">${holds.count}</span></h2>
${holds.rows.length === 0 ? html`<p class="quiet">No active holds</p>` : list}
${canPlace && newHoldForm(call, holdTypes, workflows)}
</section>`;
}

function holdItem(call: PageCall, row: HoldRow, workflow: string | undefined): Markup {
  const id = row.DecisionDelayID;
  const { ActualStart: start, ProjectedCompletion: end, ReasonDetail: reason } = row;
  const name = (row.DecisionDelay ?? '') || `Hold ${id}`;
  const since = start !== null && html` since ${dayMark(call, start)}`;
  const until = end !== null ? html`expected to end ${dayMark(call, end)}` : 'no end date';
  const of =
    row.DecisionID === null
      ? html`, on the case`
      : html`, on the workflow <bdi>${workflow ?? row.DecisionID}</bdi> only`;
  const note = reason !== null && html`<p class="text">${reason.slice(0, REASON_CHARACTERS_MAX)}</p>`;
  return html`<li>
<p><strong>${recordLink(call, 'DecisionDelay', id, name)}</strong>${since}${of}, ${until}</p>
${note}
${call.may('decisiondelay/save') && endHoldForm(call, id, name)}
</li>`;
}

function endHoldForm(call: PageCall, id: number, name: string): Markup {
  return html`<form method="post" class="actions">
${csrfField(call)}${hiddenField('HoldID', id)}${hiddenField('At', 'holds')}
<button name="Action" value="endhold">End hold<span class="hidden"> ${name}</span></button>
</form>`;
}

function newHoldForm(call: PageCall, holdTypes: readonly string[], workflows: readonly WorkflowRow[]): Markup {
  const isSent = call.form['Action'] === 'hold';
  const sent = (name: string): string => (isSent ? plainText(call.form[name]) : '');
  const types = holdTypes.map((type) => option(type, type, type === sent('DecisionDelay')));
  const choices = workflows.map((row) => {
    const id = String(row.DecisionID);
    return option(id, `Only the workflow ${workflowName(row)}`, id === sent('DecisionID'));
  });
  return html`<details${isSent && html` open`}><summary>Place on hold</summary>
<form method="post" class="stacked">
${csrfField(call)}${hiddenField('At', 'holds')}
<p>
<label for="hold-kind">Hold type</label>
<select id="hold-kind" name="DecisionDelay" required><option value=""></option>${types}</select>
</p>
<p>
<label for="hold-of">What to hold</label>
<select id="hold-of" name="DecisionID"><option value="">The whole case</option>${choices}</select>
</p>
<p>
<label for="hold-why">Reason</label>
<textarea id="hold-why" name="ReasonDetail" rows="3">\n${sent('ReasonDetail')}</textarea>
</p>
<p><button name="Action" value="hold">Place on hold</button></p>
</form>
</details>`;
}

/** Links to the case's documents and messages, with their numbers, its history and its fields. */
export function relatedLinks(call: PageCall, context: CaseContext): Markup {
  const { record, id, counts } = context;
  const path = recordPath(record.module, id);
  const query = childQuery(context);
  const countLink = ({ record: child, count, isEstimate }: RecordCount): Markup => {
    const link = html`<a href="/records/${child.module}?${query}">${child.titlePlural}</a>`;
    return html`<li>${link} <span class="count">${isEstimate && 'about '}${count}</span></li>`;
  };
  const hasHistory = record.history !== false && call.mayOf(record, 'history');
  return html`<ul class="inline">
${counts.map(countLink)}
${hasHistory && html`<li><a href="${path}/history">History</a></li>`}
<li><a href="${path}">View details</a></li>
</ul>`;
}

function childQuery({ record, id }: CaseContext): string {
  return new URLSearchParams({ Object: record.root.name, ObjectID: String(id) }).toString();
}
