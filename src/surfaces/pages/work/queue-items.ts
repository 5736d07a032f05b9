import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { caseLink } from '../case/case-link.ts';
import { dueMark } from '../days.ts';
import { badge } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { rowsOf } from '../table.ts';

/** Open items that the page of a queue shows; the list has the rest. */
const SHOWN_MAX = 50;
/** Most borrowers that are read for the shown items. */
const BORROWERS_MAX = 200;

type ItemRow = RowNamed<'SmartWorklistMember'>;

/** A record by its type and id. */
interface RecordKey {
  readonly name: string;
  readonly id: number;
}

/** The shown items of a queue, with what they are about. */
interface QueueItems {
  readonly rows: readonly ItemRow[];
  readonly count: number;
  /** The case of each task, by the task's id. */
  readonly cases: ReadonlyMap<number, RecordKey>;
  /** The borrowers' names by the key of the case. */
  readonly borrowers: ReadonlyMap<string, readonly string[]>;
  readonly labels: Labels;
}

/** Renders the open items of a queue, the most urgent first: task, case, borrower, due date, person and team. */
export async function queueItemsSection(call: PageCall, worklistId: number): Promise<Markup | false> {
  if (!call.may('smartworklistmember/search')) return false;
  const items = await readItems(call, worklistId);
  const query = new URLSearchParams({
    SmartWorklistID: String(worklistId),
    CompletionDate: 'null',
    CancelledDate: 'null',
  });
  return card({
    id: 'items',
    title: 'Work items',
    note: String(items.count),
    actions: html`<a class="link small" href="/records/smartworklistmember?${query.toString()}">View all</a>`,
    body:
      items.rows.length === 0
        ? emptyState({ icon: 'work', title: 'No open work items' })
        : table({
            label: 'Work items',
            heads: ['Item', 'Task', 'Case', 'Borrower', 'Due', 'Assigned to', 'Team', 'Status'],
            rows: items.rows.map((row) => itemRow(call, items, row)),
          }),
  });
}

async function readItems(call: PageCall, worklistId: number): Promise<QueueItems> {
  const { answer } = await call.call('smartworklistmember/search', {
    SmartWorklistID: worklistId,
    CompletionDate: 'null',
    CancelledDate: 'null',
    OrderBy: 'Priority,DueDate',
    DisplaySize: SHOWN_MAX,
  });
  const { rows, count } = rowsOf(answer);
  const cases = await casesOfTasks(call, rows);
  const ofItems = rows.map((row) => cases.get(row.SourceObjectID) ?? sourceOf(row));
  const [borrowers, labels] = await Promise.all([
    borrowersOf(call, ofItems),
    loadLabels(call, [
      referencesOf(rows, ['PersonID', 'Person'], ['TeamID', 'Collection']),
      {
        columns: [],
        rows: [...ofItems, ...rows.map(sourceOf)].map(({ name, id }) => ({ Object: name, ObjectID: id })),
      },
    ]),
  ]);
  return { rows, count, cases, borrowers, labels };
}

function sourceOf({ SourceObject: name, SourceObjectID: id }: ItemRow): RecordKey {
  return { name, id };
}

function keyOf({ name, id }: RecordKey): string {
  return `${name} ${id}`;
}

/** Returns the records to which the items' tasks belong. */
async function casesOfTasks(call: PageCall, rows: readonly ItemRow[]): Promise<ReadonlyMap<number, RecordKey>> {
  const ids = rows.filter(({ SourceObject: name }) => name === 'ImportForm').map(({ SourceObjectID: id }) => id);
  if (ids.length === 0 || !call.may('importform/search')) return new Map();
  const { answer } = await call.call('importform/search', {
    ID: ids.join(','),
    DisplaySize: SHOWN_MAX,
    RecordCount: 'false',
  });
  return new Map(
    answer.rows.flatMap(({ ImportFormID: task, Object: name, ObjectID: id }) =>
      name === null || id === null ? [] : [[task, { name, id }] as const],
    ),
  );
}

/** Returns the names of the people of the cases' loans. */
async function borrowersOf(
  call: PageCall,
  records: readonly RecordKey[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (!call.may('contact/search') || !call.may('process/search')) return new Map();
  const { registry } = call.platform;
  const isCase = ({ name }: RecordKey): boolean => registry.record(name)?.root.name === 'Process';
  const loans = new Map(records.filter(({ name }) => name === 'Loan').map((key) => [keyOf(key), key.id] as const));
  const ids = [...new Set(records.filter(isCase).map(({ id }) => id))];
  if (ids.length > 0) {
    const { answer } = await call.call('process/search', {
      ID: ids.join(','),
      DisplaySize: SHOWN_MAX,
      RecordCount: 'false',
    });
    for (const { RecordClass: name, ProcessID: id, LoanID: loan } of answer.rows)
      if (name !== null && loan !== null) loans.set(keyOf({ name, id }), loan);
  }
  if (loans.size === 0) return new Map();
  const { answer } = await call.call('contact/search', {
    Object: 'Loan',
    ObjectID: [...new Set(loans.values())].map(String),
    OrderBy: 'ContactID',
    DisplaySize: BORROWERS_MAX,
    RecordCount: 'false',
  });
  const namesOf = (loan: number): readonly string[] =>
    answer.rows.filter(({ ObjectID: id }) => id === loan).map(({ Contact: name }) => name ?? '');
  return new Map([...loans].map(([key, loan]) => [key, namesOf(loan)] as const));
}

function itemRow(call: PageCall, { cases, borrowers, labels }: QueueItems, row: ItemRow): Markup {
  const id = row.SmartWorklistMemberID;
  const source = sourceOf(row);
  const isTask = source.name === 'ImportForm';
  const about = isTask ? cases.get(source.id) : source;
  const labelOf = ({ name, id: of }: RecordKey): string =>
    labels.get(name)?.get(of) ?? `${call.platform.registry.titleOf(name)} ${of}`;
  const link = (key: RecordKey): Markup =>
    caseLink(call, key, labelOf(key)) || recordLink(call, key.name, key.id, labelOf(key));
  const task = isTask && html`<a href="/form/${source.id}"><bdi>${labelOf(source)}</bdi></a>`;
  const people = about === undefined ? [] : (borrowers.get(keyOf(about)) ?? []);
  const { PersonID: person, TeamID: team, DueDate: due } = row;
  const unassigned = html`<span class="muted">Unassigned</span>`;
  return html`<tr>
<th scope="row">${recordLink(call, 'SmartWorklistMember', id, String(id))}</th>
<td>${task || (row.Reason ?? '')}</td>
<td>${about && link(about)}</td>
<td>${people.join('; ')}</td>
<td>${due !== null && dueMark(call, due)}</td>
<td>${person === null ? unassigned : recordLink(call, 'Person', person, labels.get('Person')?.get(person))}</td>
<td>${team !== null && recordLink(call, 'Collection', team, labels.get('Collection')?.get(team))}</td>
<td>${row.Status ?? ''}${row.HeldDate !== null && html` ${badge('On hold', 'warn', 'hold')}`}</td>
</tr>\n`;
}
