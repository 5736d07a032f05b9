import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { selectField, textField } from '../design/field.ts';
import { keyHint } from '../design/keys.ts';
import { table } from '../design/table.ts';
import { dueWords } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { loadPeople, type PeopleNames } from '../people.ts';
import { receivers } from '../work/give-away.ts';
import {
  caseKey,
  itemTitle,
  loadItemCases,
  recordAddress,
  type ItemCases,
  type RecordReference,
} from '../work/item-cases.ts';
import { teamPath, type TeamFilter } from './team-filter.ts';

/** Items of a page. */
const ITEMS_MAX = 50;

type ItemRow = RowNamed<'SmartWorklistMember'>;

/** Renders the open items of a team, with what a team lead may do to several at once. */
export async function itemsCard(call: PageCall, filter: TeamFilter): Promise<Markup | false> {
  if (!call.may('smartworklistmember/search')) return false;
  const mayMove = call.may('smartworklistmember/reassign');
  const [{ answer }, choices] = await Promise.all([
    call.call('smartworklistmember/search', {
      TeamID: filter.team,
      CompletionDate: 'null',
      CancelledDate: 'null',
      ...(filter.queue === undefined ? {} : { SmartWorklistID: filter.queue }),
      ...(filter.person === undefined ? {} : { PersonID: filter.person === 'none' ? 'null' : filter.person }),
      OrderBy: 'DueDate',
      DisplaySize: ITEMS_MAX,
      Cursor: filter.cursor ?? '*',
      RecordCount: 'false',
    }),
    mayMove ? receivers(call, filter.team) : [],
  ]);
  const { rows } = answer;
  const abouts = await casesOfItems(call, rows);
  const [cases, labels, people] = await Promise.all([
    loadItemCases(call, [...abouts.values()]),
    loadLabels(call, [referencesOf(rows, ['SmartWorklistID', 'SmartWorklist'])]),
    loadPeople(
      call,
      rows.map(({ PersonID: id }) => id),
    ),
  ]);
  const next = rows.at(-1)?.NextCursor;
  const isFiltered = filter.queue !== undefined || filter.person !== undefined;
  const of = await listedOf(call, filter, labels);
  const more =
    next !== undefined &&
    html`<p class="card-body">
<a class="link" href="${teamPath({ ...filter, cursor: next })}#items">More items</a></p>`;
  return card({
    id: 'items',
    title: of === '' ? 'Open items' : html`Open items: <bdi>${of}</bdi>`,
    note: 'by due date',
    actions: html`<a class="button quiet" href="${teamPath({ team: filter.team, person: 'none' })}#items">Unassigned</a>
${isFiltered && html`<a class="button quiet" href="${teamPath({ team: filter.team })}#items">All</a>`}`,
    body:
      rows.length === 0
        ? emptyState({ title: 'No open items match.', text: 'Completed and canceled items are not listed here.' })
        : html`<record-list><form method="post" action="/team">${csrfField(call)}${filterFields(filter)}
${itemTable(call, rows, { abouts, cases, labels, people, mayMove })}
${mayMove && moveBar(choices)}</form></record-list>${more}`,
  });
}

/** Returns whose items are listed, or of which queue; empty for all of the team. */
async function listedOf(call: PageCall, filter: TeamFilter, labels: Labels): Promise<string> {
  const { queue, person } = filter;
  if (person === 'none') return 'unassigned';
  if (person !== undefined) return (await loadPeople(call, [Number(person)])).get(Number(person)) ?? '';
  return queue === undefined ? '' : (labels.get('SmartWorklist')?.get(queue) ?? '');
}

/** Renders the filter as fields, so that an action leads back to the same list. */
export function filterFields({ team, queue, person }: TeamFilter): Markup {
  return html`${hiddenField('team', team)}${queue !== undefined && hiddenField('queue', queue)}${
    person !== undefined && hiddenField('person', person)
  }`;
}

/** Renders what can be done to the ticked items. */
function moveBar(choices: Parameters<typeof selectField>[0]['choices']): Markup {
  return html`<div class="move-bar"><b class="nowrap" data-tick-count></b>
${selectField({
  label: html`Move to ${keyHint('m')}`,
  name: 'To',
  choices,
  empty: 'Choose a person or a team',
  attributes: html`data-key="m"`,
})}
${button({ text: 'Move', kind: 'primary', name: 'Do', value: 'move' })}
${textField({ label: 'Priority, lower comes first', name: 'Priority', type: 'number' })}
${button({ text: 'Set priority', name: 'Do', value: 'prioritize' })}
</div>`;
}

/** What the lines of the table show besides the items. */
interface ItemTable {
  readonly abouts: ReadonlyMap<number, RecordReference>;
  readonly cases: ItemCases;
  readonly labels: Labels;
  readonly people: PeopleNames;
  readonly mayMove: boolean;
}

function itemTable(
  call: PageCall,
  rows: readonly ItemRow[],
  { abouts, cases, labels, people, mayMove }: ItemTable,
): Markup {
  const line = (row: ItemRow): Markup => {
    const id = row.SmartWorklistMemberID;
    const due = dueWords(call, row.DueDate);
    const about = abouts.get(id);
    const { name = '', place = '' } = (about && cases.get(caseKey(about))) ?? {};
    const title = itemTitle(call, row);
    const owner = row.PersonID === null ? undefined : people.get(row.PersonID);
    const tick = html`<input class="tick" type="checkbox" name="Item" value="${id}" aria-label="${title}, ${name}">`;
    const address = about && recordAddress(call, about);
    const caseName = html`<bdi>${name}</bdi>`;
    return html`<tr>${mayMove && html`<td class="tick-cell">${tick}</td>`}
<th scope="row" class="line-1"><a href="/item/why?item=${id}"><bdi>${title}</bdi></a>${
      row.HeldDate !== null && html` ${badge('On hold', 'warn', 'hold')}`
    }</th>
<td class="line-2">${address === undefined ? caseName : html`<a href="${address}">${caseName}</a>`}
<bdi class="muted">${place}</bdi></td>
<td><bdi>${labels.get('SmartWorklist')?.get(row.SmartWorklistID) ?? ''}</bdi></td>
<td class="line-3">${owner === undefined ? html`<span class="muted">Unassigned</span>` : html`<bdi>${owner}</bdi>`}</td>
<td class="number">${row.Priority}</td><td class="side-1 ${due.tone}">${due.text}</td></tr>\n`;
  };
  const tickAll = html`<input class="tick" type="checkbox" data-tick-all aria-label="Select all items of this page">`;
  return table({
    label: 'Items by due date',
    className: 'record-rows team-items',
    heads: [
      mayMove && { text: tickAll, className: 'tick-cell' },
      ...['Item', 'Case', 'Queue', 'Assigned to', { text: 'Priority', isNumber: true }, 'Due'],
    ],
    rows: rows.map(line),
  });
}

/** Returns what each item is about, by the item's id: the task's parent, else its record. */
async function casesOfItems(call: PageCall, rows: readonly ItemRow[]): Promise<ReadonlyMap<number, RecordReference>> {
  const ids = rows.filter(({ SourceObject: type }) => type === 'ImportForm').map(({ SourceObjectID: id }) => id);
  const parents = new Map<number, RecordReference>();
  if (ids.length > 0 && call.may('importform/search')) {
    const { answer } = await call.call('importform/search', {
      ID: ids.join(','),
      SqlColumns: 'ImportFormID,Object,ObjectID',
      DisplaySize: ITEMS_MAX,
      RecordCount: 'false',
    });
    for (const { ImportFormID: id, Object: type, ObjectID: of } of answer.rows)
      parents.set(id, { Object: type, ObjectID: of });
  }
  return new Map(
    rows.map((row) => {
      const own = { Object: row.SourceObject, ObjectID: row.SourceObjectID };
      const parent = row.SourceObject === 'ImportForm' ? parents.get(row.SourceObjectID) : undefined;
      return [row.SmartWorklistMemberID, parent ?? own];
    }),
  );
}
