import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import type { Labels, DisplayedRows } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { rowsOf } from '../table.ts';
import { recordLink, recordPath, humanize } from '../display-values.ts';
import { expectedCompletion } from './step-view.ts';
import { day, workflowName } from './workflow-section.ts';

/** Open tasks and holds that the page shows; the rest are a link away. */
const SHOWN_MAX = 50;
/** Kinds of holds to choose from. */
const HOLD_TYPES_MAX = 200;
/** What is counted beside the workflows, each where the user may search it. */
const COUNTED: readonly string[] = ['Attachment', 'Message'];

/** What stands around a case's workflows. */
export interface CaseContext {
  readonly tasks: OpenRows;
  readonly holds: OpenRows;
  /** Names of kinds of holds; undefined where the user may not put the case on hold. */
  readonly holdTypes: readonly string[] | undefined;
  readonly counts: readonly { readonly record: RecordType; readonly count: number; readonly isEstimate: boolean }[];
}

interface OpenRows {
  readonly rows: readonly Row[];
  readonly count: number;
}

const NO_ROWS: OpenRows = { rows: [], count: 0 };

/** Reads a case's open tasks and holds, and how many documents and messages it has. */
export async function readCaseContext(call: PageCall, record: RecordType, id: number): Promise<CaseContext> {
  const childQuery = `${record.module}/${id}`;
  const find = async (module: string, filters: Record<string, string>): Promise<OpenRows> => {
    if (!call.may(`${module}/search`)) return NO_ROWS;
    return rowsOf(
      (await call.call(`${childQuery}/${module}/search`, { DisplaySize: String(SHOWN_MAX), ...filters }))
        .answer as ListAnswer,
    );
  };
  const count = async (name: string): Promise<CaseContext['counts']> => {
    const of = call.platform.registry.record(name);
    if (!of || !call.may(`${of.module}/search`)) return [];
    const { count: number, isEstimate } = rowsOf(
      (await call.call(`${childQuery}/${of.module}/search`, { DisplaySize: '1', SqlColumns: of.idField }))
        .answer as ListAnswer,
    );
    return [{ record: of, count: number, isEstimate }];
  };
  const [tasks, holds, kinds, counts] = await Promise.all([
    find('importform', { ActualCompletion: 'null', CanceledDate: 'null' }),
    find('decisiondelay', { ActualCompletion: 'null' }),
    readHoldTypes(call, record),
    Promise.all(COUNTED.map(count)),
  ]);
  return { tasks, holds, holdTypes: kinds, counts: counts.flat() };
}

/** The kinds of holds that fit a case: those for its type or what it derives from, and those for any. */
async function readHoldTypes(call: PageCall, record: RecordType): Promise<readonly string[] | undefined> {
  if (!call.may('decisiondelay/save') || !call.may('decisiondelaytemplate/search')) return undefined;
  const { answer } = await call.call('decisiondelaytemplate/search', {
    SqlColumns: 'DecisionDelayTemplate,AppliesTo',
    OrderBy: 'DecisionDelayTemplate',
    DisplaySize: String(HOLD_TYPES_MAX),
    RecordCount: 'false',
  });
  const fits = new Set<unknown>([null, undefined, '']);
  for (let at: RecordType | undefined = record; at; at = at.base) fits.add(at.name);
  return [
    ...new Set(
      (answer as ListAnswer).rows
        .filter((row) => fits.has(row['AppliesTo']))
        .map((row) => String(row['DecisionDelayTemplate'] ?? '')),
    ),
  ];
}

/** What these parts mention, so that its labels can be looked up. */
export function contextReferences({ tasks, holds }: CaseContext): readonly DisplayedRows[] {
  const person = (name: string, to: string): DisplayedRows['columns'][number] => ({
    name,
    field: { kind: 'id', classification: 'public', doc: '', to },
  });
  return [
    { columns: [person('AssignedPersonID', 'Person'), person('AssignedCollectionID', 'Collection')], rows: tasks.rows },
    { columns: [], rows: holds.rows },
  ];
}

/** Open tasks, the one that is due first first. */
export function taskSection(
  call: PageCall,
  record: RecordType,
  id: number,
  { tasks }: CaseContext,
  labels: Labels,
): Markup | false {
  if (!call.may('importform/search')) return false;
  const due = (row: Row): string => expectedCompletion(row) ?? '9999';
  const sorted = [...tasks.rows].sort((a, b) => (due(a) < due(b) ? -1 : due(a) > due(b) ? 1 : 0));
  const now = call.platform.clock.milliseconds();
  const who = (row: Row): Markup => {
    const [name, at] =
      typeof row['AssignedPersonID'] === 'number'
        ? (['Person', row['AssignedPersonID']] as const)
        : (['Collection', row['AssignedCollectionID']] as const);
    return typeof at === 'number'
      ? recordLink(call, name, at, labels.get(name)?.get(at))
      : html`<span class="quiet">nobody yet</span>`;
  };
  const line = (row: Row): Markup => {
    const at = expectedCompletion(row);
    const name = String(row['ImportForm'] ?? '') || `Task ${String(row['ImportFormID'])}`;
    const path = call.may('importform/describe')
      ? `/form/${String(row['ImportFormID'])}`
      : recordPath('importform', String(row['ImportFormID']));
    return html`<tr><th scope="row"><a href="${path}"><bdi>${name}</bdi></a></th><td>${typeof row['Status'] === 'string' && html`<span class="status">${row['Status']}</span>`}</td><td>${at !== undefined && day(call, at)}${at !== undefined && Date.parse(at) < now && html` <span class="state late"><span aria-hidden="true">⚑</span> Overdue</span>`}</td><td>${who(row)}</td></tr>\n`;
  };
  return html`<section aria-labelledby="tasks"><h2 id="tasks">Open tasks <span class="count">${tasks.count}</span></h2>
${sorted.length === 0 ? html`<p class="quiet">None.</p>` : html`<div class="scroll" role="region" tabindex="0" aria-label="Open tasks"><table><thead><tr><th scope="col">Task</th><th scope="col">Status</th><th scope="col">Due</th><th scope="col">With</th></tr></thead><tbody>${sorted.map(line)}</tbody></table></div>`}
<p><a href="/records/importform?${below(record, id)}">All tasks, also those that are done</a></p></section>`;
}

/** Open holds, each with its end; and a new one. */
export function holdSection(
  call: PageCall,
  { holds, holdTypes: kinds }: CaseContext,
  workflows: readonly Row[],
): Markup | false {
  if (!call.may('decisiondelay/search')) return false;
  const names = new Map(workflows.map((row) => [row['DecisionID'], workflowName(row)]));
  const line = (row: Row): Markup => {
    const id = Number(row['DecisionDelayID']);
    const name = String(row['DecisionDelay'] ?? '') || `Hold ${id}`;
    const of = names.get(row['DecisionID']);
    return html`<li><p><strong>${recordLink(call, 'DecisionDelay', id, name)}</strong>${typeof row['ActualStart'] === 'string' && html` since ${day(call, row['ActualStart'])}`}${of !== undefined && html`, holds <bdi>${of}</bdi>`}${typeof row['ProjectedCompletion'] === 'string' && html`, expected to end ${day(call, row['ProjectedCompletion'])}`}</p>
${typeof row['ReasonDetail'] === 'string' && html`<p class="text">${row['ReasonDetail'].slice(0, 1_000)}</p>`}
${call.may('decisiondelay/save') && html`<form method="post" class="actions">${csrfField(call)}<input type="hidden" name="HoldID" value="${id}"><input type="hidden" name="At" value="holds"><button name="Action" value="endhold">End the hold<span class="hidden"> ${name}</span></button></form>`}</li>`;
  };
  return html`<section aria-labelledby="holds"><h2 id="holds">Holds <span class="count">${holds.count}</span></h2>
${holds.rows.length === 0 ? html`<p class="quiet">Nothing holds the case.</p>` : html`<ul class="now">${holds.rows.map(line)}</ul>`}
${kinds !== undefined && kinds.length > 0 && workflows.length > 0 && newHold(call, kinds, workflows)}</section>`;
}

function newHold(call: PageCall, kinds: readonly string[], workflows: readonly Row[]): Markup {
  const kept = (name: string): string => (call.form['Action'] === 'hold' ? String(call.form[name] ?? '') : '');
  const option = (value: string, text: string, isChosen: boolean): Markup =>
    html`<option value="${value}"${isChosen && html` selected`}>${text}</option>`;
  return html`<details${kept('Action') === 'hold' && html` open`}><summary>Put it on hold</summary><form method="post" class="stacked">${csrfField(call)}<input type="hidden" name="At" value="holds">
<p><label for="hold-kind">Kind of hold</label><select id="hold-kind" name="DecisionDelay" required><option value=""></option>${kinds.map((kind) => option(kind, kind, kind === kept('DecisionDelay')))}</select></p>
<p><label for="hold-of">Workflow</label><select id="hold-of" name="DecisionID">${workflows.map((row) => option(String(row['DecisionID']), workflowName(row), String(row['DecisionID']) === kept('DecisionID')))}</select></p>
<p><label for="hold-why">Why</label><textarea id="hold-why" name="ReasonDetail" rows="3">\n${kept('ReasonDetail')}</textarea></p>
<p><button name="Action" value="hold">Put it on hold</button></p></form></details>`;
}

/** How many documents and messages there are, and where the case's changes are told. */
export function relatedLinks(call: PageCall, record: RecordType, id: number, { counts }: CaseContext): Markup {
  const path = recordPath(record.module, id);
  return html`<ul class="inline">${counts.map(({ record: of, count, isEstimate }) => html`<li><a href="/records/${of.module}?${below(record, id)}">${of.name === 'Attachment' ? 'Documents' : `${humanize(of.name)}s`}</a> <span class="count">${isEstimate && 'about '}${count}</span></li>`)}${record.history !== false && call.may(`${record.module}/history`) && html`<li><a href="${path}/history">History</a></li>`}<li><a href="${path}">The whole record</a></li></ul>`;
}

function below(record: RecordType, id: number): string {
  return new URLSearchParams({ Object: record.root.name, ObjectID: String(id) }).toString();
}
