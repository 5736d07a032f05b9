import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { selectField, textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { dueWords } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { assigneeChoices } from '../work/action-pages.ts';
import { caseKey, itemTitle, loadItemCases, type ItemCases, type RecordReference } from '../work/item-cases.ts';
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
    mayMove ? assigneeChoices(call, filter.team) : [],
  ]);
  const { rows } = answer;
  const abouts = await casesOfItems(call, rows);
  const [cases, labels] = await Promise.all([
    loadItemCases(call, [...abouts.values()]),
    loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'], ['SmartWorklistID', 'SmartWorklist'])]),
  ]);
  const next = rows.at(-1)?.NextCursor;
  const isFiltered = filter.queue !== undefined || filter.person !== undefined;
  const more =
    next !== undefined &&
    html`<p class="card-body">
<a class="link" href="${teamPath({ ...filter, cursor: next })}#items">More items</a></p>`;
  return card({
    id: 'items',
    title: 'Open items',
    note: isFiltered ? 'filtered' : 'by due date',
    actions: html`<a class="button quiet" href="${teamPath({ team: filter.team, person: 'none' })}#items">Unassigned</a>
${isFiltered && html`<a class="button quiet" href="${teamPath({ team: filter.team })}#items">All</a>`}`,
    body:
      rows.length === 0
        ? emptyState({ title: 'No open items match.', text: 'Completed and canceled items are not listed here.' })
        : html`<form method="post" action="/team">${csrfField(call)}${filterFields(filter)}
${itemTable(call, rows, { abouts, cases, labels, mayMove })}
${mayMove && moveBar(choices)}</form>${more}`,
  });
}

/** Renders the filter as fields, so that an action leads back to the same list. */
export function filterFields({ team, queue, person }: TeamFilter): Markup {
  return html`${hiddenField('team', team)}${queue !== undefined && hiddenField('queue', queue)}${
    person !== undefined && hiddenField('person', person)
  }`;
}

/** Renders what can be done to the ticked items. */
function moveBar(choices: Parameters<typeof selectField>[0]['choices']): Markup {
  return html`<div class="move-bar">
${selectField({ label: 'Move the ticked items to', name: 'To', choices, empty: 'Choose a person or a team' })}
${button({ text: 'Move', kind: 'primary', name: 'Do', value: 'move' })}
${textField({ label: 'Set their priority', name: 'Priority', type: 'number', hint: 'Lower comes first; empty: none' })}
${button({ text: 'Set priority', name: 'Do', value: 'prioritize' })}
</div>`;
}

/** What the lines of the table show besides the items. */
interface ItemTable {
  readonly abouts: ReadonlyMap<number, RecordReference>;
  readonly cases: ItemCases;
  readonly labels: Labels;
  readonly mayMove: boolean;
}

function itemTable(call: PageCall, rows: readonly ItemRow[], { abouts, cases, labels, mayMove }: ItemTable): Markup {
  const line = (row: ItemRow): Markup => {
    const id = row.SmartWorklistMemberID;
    const due = dueWords(call, row.DueDate);
    const about = abouts.get(id);
    const { name = '', place = '' } = (about && cases.get(caseKey(about))) ?? {};
    const title = itemTitle(call, row);
    const owner = row.PersonID === null ? undefined : labels.get('Person')?.get(row.PersonID);
    const tick = html`<input class="tick" type="checkbox" name="Item" value="${id}" aria-label="${title}, ${name}">`;
    return html`<tr>${mayMove && html`<td>${tick}</td>`}
<th scope="row"><a href="/item/why?item=${id}"><bdi>${title}</bdi></a>${
      row.HeldDate !== null && html` ${badge('On hold', 'warn', 'hold')}`
    }</th>
<td><bdi>${name}</bdi> <bdi class="muted">${place}</bdi></td>
<td><bdi>${labels.get('SmartWorklist')?.get(row.SmartWorklistID) ?? ''}</bdi></td>
<td>${owner === undefined ? html`<span class="muted">Unassigned</span>` : html`<bdi>${owner}</bdi>`}</td>
<td class="number">${row.Priority}</td><td class="${due.tone}">${due.text}</td></tr>\n`;
  };
  return table({
    label: 'Items by due date',
    heads: [
      mayMove && { text: 'Tick', isHidden: true },
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
