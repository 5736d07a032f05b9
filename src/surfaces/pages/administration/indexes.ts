import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable, hiddenField, option } from '../components.ts';
import { localDateTime } from '../display-values.ts';
import { administrationCrumb, csrfField } from '../layout.ts';
import { errorNote, flashNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { columnText, plainText } from '../plain-text.ts';

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
  return {
    title: 'Indexes',
    wide: true,
    status: error?.status ?? 200,
    body: html`${administrationCrumb()}
<h1>Indexes</h1>
<p class="quiet">An index speeds up searches by its columns and slightly slows down every change to the records.</p>
${flashNote(flashMessages, call.query['done'])}
${error && errorNote(error.masked())}
${slow && slowSection(call, slow.answer.rows)}
<section aria-labelledby="indexes">
<h2 id="indexes">${indexesTitle(call, recordType)}</h2>
${recordTypeForm(call, recordType)}
${shown.length === 0 ? html`<p class="quiet">None</p>` : indexTable(call, shown)}
</section>
${call.may('system/createindex') && createForm(call, error !== undefined)}`,
  };
}

function isAdded(row: IndexRow): boolean {
  return columnText(row, 'SearchIndexID') !== '';
}

function slowSection(call: PageCall, rows: readonly SlowSearchRow[]): Markup {
  return html`<section aria-labelledby="slow">
<h2 id="slow">Slow searches</h2>
${
  rows.length === 0
    ? html`<p class="quiet">No slow searches have read a whole table.</p>`
    : dataTable({
        label: 'Slow searches',
        caption: 'Slow searches',
        heads: [
          'Records',
          'Filters',
          'Order',
          ...['Searches', 'Last (ms)', 'Worst (ms)'].map((text) => ({ text, isNumber: true })),
          'Last',
          { text: 'Actions', isHidden: true },
        ],
        rows: rows.map((row) => slowRow(call, row)),
      })
}
</section>`;
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
<button class="quiet">Add index<span class="hidden"> on ${columns} of ${recordType}</span></button>
</form>`;
  return html`<tr>
<th scope="row">${call.platform.registry.titleOf(recordType)}</th>
<td>${commaSpaced(columnText(row, 'Filters'))}</td>
<td>${commaSpaced(columnText(row, 'OrderBy'))}</td>
${numbers.map((name) => html`<td class="number">${columnText(row, name)}</td>`)}
<td>${localDateTime(call, columnText(row, 'LastDate'))}</td>
<td>${add}</td>
</tr>\n`;
}

function commaSpaced(names: string): string {
  return names.split(',').join(', ');
}

function indexTable(call: PageCall, rows: readonly IndexRow[]): Markup {
  return dataTable({
    label: 'Indexes',
    caption: 'Indexes',
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
<button class="quiet" name="Action" value="delete">Delete<span class="hidden"> ${name}</span></button>
</form>`;
  return html`<tr>
<th scope="row"><code>${name}</code></th>
<td>${call.platform.registry.titleOf(columnText(row, 'RecordType'))}</td>
<td>${commaSpaced(columnText(row, 'Columns'))}</td>
<td>${columnText(row, 'IndexKind')}</td>
<td><span class="status">${columnText(row, 'State')}</span>${percent !== '' && ` ${percent} %`}
${columnText(row, 'Message')}</td>
<td class="number">${size !== '' && (Number(size) / 1_048_576).toFixed(1)}</td>
<td class="number">${columnText(row, 'Reads')}</td>
<td>${lastRead !== '' && localDateTime(call, lastRead)}</td>
<td>${remove}</td>
</tr>\n`;
}

/** Renders the form that selects the record type whose indexes are shown. */
function recordTypeForm(call: PageCall, selected: string): Markup {
  const added = option('', 'Added indexes only', selected === '');
  return html`<form class="filters" action="${PATH}" method="get">
<p>
<label for="of">Record type</label>
<select id="of" name="RecordType">${added}${recordTypeOptions(call, selected)}</select>
<button class="quiet">Show</button>
</p>
</form>`;
}

function indexesTitle({ platform }: PageCall, recordType: string): string {
  return recordType === '' ? 'Added indexes' : `Indexes of ${platform.registry.titleOf(recordType)} records`;
}

function recordTypeOptions(call: PageCall, selected: string): readonly Markup[] {
  return call.platform.registry
    .records()
    .map(({ name }) =>
      option(name, call.platform.registry.titleOf(name), name.toLowerCase() === selected.toLowerCase()),
    );
}

/** Renders the form that adds an index; after an error, with the values entered. */
function createForm(call: PageCall, isRefused: boolean): Markup {
  const entered = (name: string): string => (isRefused ? plainText(call.form[name]) : '');
  return html`<section aria-labelledby="add">
<h2 id="add">Add an index</h2>
<form class="filters" method="post" action="${PATH}">
${csrfField(call)}
<p>
<label for="type">Records</label>
<select id="type" name="RecordType">${recordTypeOptions(call, entered('RecordType'))}</select>
<label for="columns">Columns</label>
<input id="columns" name="Columns" value="${entered('Columns')}" required placeholder="Status,-DateOpened">
<label for="kind">Kind</label>
<select id="kind" name="IndexKind">
${option('Value', 'Equality, ranges and sorting', entered('IndexKind') !== 'Contains')}
${option('Contains', 'Text searches with *', entered('IndexKind') === 'Contains')}
</select>
<button>Add index</button>
</p>
</form>
</section>`;
}
