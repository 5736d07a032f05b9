import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { selectField, textField, type Choice } from '../design/field.ts';
import { table } from '../design/table.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { columnText, plainText } from '../plain-text.ts';
import { shortTimeMark } from '../due-words.ts';
import { administrationAnswer } from './frame.ts';

type IndexRow = AnswerRowFor<'system/indexes'>;
type SlowSearchRow = AnswerRowFor<'system/slowsearches'>;

const PATH = '/administration/indexes';

/** Shows the searches that read whole tables, and the indexes of the record types. */
export const indexesPage = page((call) => indexesAnswer(call));

/** Adds or removes an index. */
export const changeIndexes = page(async (call) => {
  const { form } = call;
  try {
    if (form['Action'] === 'delete')
      await call.call('system/deleteindex', { SearchIndexID: plainText(form['SearchIndexID']) });
    else
      await call.call('system/createindex', {
        RecordType: plainText(form['RecordType']),
        Columns: plainText(form['Columns']),
        IndexKind: plainText(form['IndexKind']),
      });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return indexesAnswer(call, error);
  }
  return { redirectTo: `${PATH}?done=${form['Action'] === 'delete' ? 'delete' : 'create'}` };
});

const flashMessages: ReadonlyMap<string, string> = new Map([
  ['create', 'Index added. It will be ready within minutes; nobody needs to stop working.'],
  ['delete', 'The index will be removed within a minute.'],
]);

async function indexesAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const recordType = plainText(call.query['RecordType']);
  const [slow, indexes] = await Promise.all([
    call.may('system/slowsearches') ? call.call('system/slowsearches', {}) : undefined,
    call.call('system/indexes', recordType === '' ? {} : { RecordType: recordType }),
  ]);
  const { rows } = indexes.answer;
  const shown = recordType === '' ? rows.filter((row) => isAdded(row)) : rows;
  return administrationAnswer(call, {
    title: 'Indexes',
    path: PATH,
    status: error?.status,
    intro: 'An index speeds up searches by its columns, and slightly slows down every change to the records.',
    done: flashMessages.get(plainText(call.query['done'])),
    body: html`${error && errorNote(error.masked())}
${slow && slowSection(call, slow.answer.rows)}
${card({
  id: 'indexes',
  title: indexesTitle(call, recordType),
  body: html`${recordTypeForm(call, recordType)}
${shown.length === 0 ? noIndexes : indexTable(call, shown)}`,
})}
${call.may('system/createindex') && createForm(call, error !== undefined)}`,
  });
}

const noIndexes = emptyState({
  title: 'No index was added.',
  text: 'The platform adds those that it needs itself.',
});

function isAdded(row: IndexRow): boolean {
  return columnText(row, 'SearchIndexID') !== '';
}

function slowSection(call: PageCall, rows: readonly SlowSearchRow[]): Markup {
  return card({
    id: 'slow',
    title: 'Slow searches',
    note: rows.length > 0 && 'Searches that read a whole table. An index on their columns makes them fast.',
    body:
      rows.length === 0
        ? emptyState({ title: 'No slow search has read a whole table.', icon: 'check' })
        : table({
            label: 'Searches that were slow',
            heads: [
              'Records',
              'Filters',
              'Order',
              ...['Searches', 'Last (ms)', 'Worst (ms)'].map((text) => ({ text, isNumber: true })),
              'Last',
              { text: 'Actions', isHidden: true },
            ],
            rows: rows.map((row) => slowRow(call, row)),
          }),
  });
}

function slowRow(call: PageCall, row: SlowSearchRow): Markup {
  const [kind, columns] = [columnText(row, 'IndexKind'), columnText(row, 'IndexColumns')];
  const recordType = columnText(row, 'RecordType');
  const numbers = ['Searches', 'LastMilliseconds', 'WorstMilliseconds'] as const;
  const add =
    kind !== '' &&
    call.may('system/createindex') &&
    html`<form method="post" action="${PATH}">
${csrfField(call)}${hiddenField('RecordType', recordType)}${hiddenField('Columns', columns)}
${hiddenField('IndexKind', kind)}
${button({
  text: 'Add index',
  of: `on ${columnTitles(call, recordType, columns)} of ${call.platform.registry.titleOf(recordType)}`,
})}
</form>`;
  return html`<tr>
<th scope="row">${call.platform.registry.titleOf(recordType)}</th>
<td>${columnTitles(call, recordType, columnText(row, 'Filters'))}</td>
<td>${columnTitles(call, recordType, columnText(row, 'OrderBy'))}</td>
${numbers.map((name) => html`<td class="number">${columnText(row, name)}</td>`)}
<td>${shortTimeMark(call, columnText(row, 'LastDate'))}</td>
<td>${add}</td>
</tr>\n`;
}

/** Returns the labels of columns, which are separated by commas; of an order, a minus says that it descends. */
function columnTitles({ platform }: PageCall, recordType: string, names: string): string {
  const record = platform.registry.record(recordType);
  if (!record || names === '') return names;
  return names
    .split(',')
    .map((name) => {
      const label = columnLabel(record, name.replace(/^-/, ''));
      return name.startsWith('-') ? `${label}, descending` : label;
    })
    .join('; ');
}

function indexTable(call: PageCall, rows: readonly IndexRow[]): Markup {
  return table({
    label: 'Indexes and their use',
    heads: [
      'Index',
      'Records',
      'Columns',
      'Kind',
      'State',
      { text: 'Size (MB)', isNumber: true },
      { text: 'Reads', isNumber: true },
      'Last read',
      { text: 'Actions', isHidden: true },
    ],
    rows: rows.map((row) => indexRow(call, row)),
  });
}

function indexRow(call: PageCall, row: IndexRow): Markup {
  const [name, size] = [columnText(row, 'IndexName'), columnText(row, 'SizeBytes')];
  const [percent, lastRead] = [columnText(row, 'Percent'), columnText(row, 'LastReadDate')];
  const remove =
    isAdded(row) &&
    columnText(row, 'State') !== 'Removing' &&
    call.may('system/deleteindex') &&
    html`<form method="post" action="${PATH}">
${csrfField(call)}${hiddenField('SearchIndexID', columnText(row, 'SearchIndexID'))}
${button({ text: 'Delete', kind: 'quiet', name: 'Action', value: 'delete', of: name })}
</form>`;
  return html`<tr>
<th scope="row"><code>${name}</code></th>
<td>${call.platform.registry.titleOf(columnText(row, 'RecordType'))}</td>
<td>${columnTitles(call, columnText(row, 'RecordType'), columnText(row, 'Columns'))}</td>
<td>${columnText(row, 'IndexKind')}</td>
<td>${badge(columnText(row, 'State'))}${percent !== '' && ` ${percent} %`}
${columnText(row, 'Message')}</td>
<td class="number">${size !== '' && (Number(size) / 1_048_576).toFixed(1)}</td>
<td class="number">${columnText(row, 'Reads')}</td>
<td>${shortTimeMark(call, lastRead)}</td>
<td>${remove}</td>
</tr>\n`;
}

/** Renders the form that selects the record type whose indexes are shown. */
function recordTypeForm(call: PageCall, selected: string): Markup {
  return html`<form class="filter-line" action="${PATH}" method="get">
${selectField({
  label: 'Record type',
  name: 'RecordType',
  id: 'of',
  value: canonical(call, selected),
  empty: 'Added indexes only',
  choices: recordTypeChoices(call),
})}
${button({ text: 'Show' })}
</form>`;
}

function indexesTitle({ platform }: PageCall, recordType: string): string {
  return recordType === '' ? 'Added indexes' : `Indexes of ${platform.registry.titleOf(recordType)} records`;
}

function canonical({ platform }: PageCall, name: string): string {
  return platform.registry.record(name)?.name ?? name;
}

function recordTypeChoices({ platform }: PageCall): readonly Choice[] {
  return platform.registry
    .records()
    .map(({ name, title }) => ({ value: name, text: title }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
}

/** Renders the form that adds an index; after an error, with the values entered. */
function createForm(call: PageCall, isRefused: boolean): Markup {
  const entered = (name: string): string => (isRefused ? plainText(call.form[name]) : '');
  return card({
    id: 'add',
    title: 'Add an index',
    body: html`<form class="filter-line" method="post" action="${PATH}">
${csrfField(call)}
${selectField({
  label: 'Records',
  name: 'RecordType',
  id: 'type',
  value: entered('RecordType'),
  choices: recordTypeChoices(call),
})}
${textField({
  label: 'Columns',
  name: 'Columns',
  id: 'columns',
  value: entered('Columns'),
  isRequired: true,
  attributes: html`placeholder="Status,-DateOpened"`,
})}
${selectField({
  label: 'Kind',
  name: 'IndexKind',
  id: 'kind',
  value: entered('IndexKind'),
  choices: [
    { value: 'Value', text: 'Equality, ranges and sorting' },
    { value: 'Contains', text: 'Text searches with *' },
  ],
})}
${button({ text: 'Add index' })}
</form>`,
  });
}
