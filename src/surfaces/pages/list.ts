import type { RecordAnswerFor } from '../../kernel/declare/catalog.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { isFilterName } from '../../kernel/records/search/search.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { fact, option } from './components.ts';
import { failedStepMark, withFailedSteps } from './failed-steps.ts';
import { fieldLabel, columnLabel } from '../../kernel/declare/labels.ts';
import { inSentence } from './display-names.ts';
import { recordPath } from './display-values.ts';
import { loadLabels } from './labels.ts';
import { csrfField } from './layout.ts';
import { errorNote, statusNote } from './notes.ts';
import type { PageCall } from './page-call.ts';
import { numberColumn, numberForm } from './number-search.ts';
import { page } from './page.ts';
import { plainText, plainTexts, rowOffset } from './plain-text.ts';
import { recordTypeFromPath } from './record-address.ts';
import { listColumns, recordTable, rowsOf, type TableColumn } from './table.ts';
import { UPLOAD_SCRIPT, uploadForm, type UploadTarget } from './upload-form.ts';

/** Rows of one page of a list. */
const PAGE_ROWS = 25;

/** Lists the record types that the user may search: cases first, then configuration, then logs. */
export const recordsPage = page((call) => {
  const records = call.platform.registry.records().filter((record) => call.mayOf(record, 'search'));
  const isConfiguration = ({ reach }: RecordType): boolean => reach === 'configuration' || reach === 'none';
  const groups: readonly (readonly [string, readonly RecordType[]])[] = [
    ['Cases', records.filter((record) => record.history !== false && !isConfiguration(record))],
    ['Configuration', records.filter((record) => record.history !== false && isConfiguration(record))],
    ['Logs', records.filter((record) => record.history === false)],
  ];
  return Promise.resolve({
    title: 'Records',
    body: html`<h1>Records</h1>
${groups.filter(([, of]) => of.length > 0).map(([name, of]) => recordTypeGroup(name, of))}`,
  });
});

function recordTypeGroup(name: string, records: readonly RecordType[]): Markup {
  const entry = (record: RecordType): Markup =>
    fact(html`<a href="/records/${record.module}">${record.titlePlural}</a>`, record.doc);
  return html`<h2>${name}</h2>
<dl class="index">${records.map(entry)}</dl>`;
}

/** Filters of a list, by column. */
type ListFilters = Readonly<Record<string, string | readonly string[]>>;

/**
 * The query of a list's URL. `start`: number of rows before the page. `cursor`: where the page begins, if reached from
 * the previous one. `order`: a column, with a leading `-` for descending.
 */
interface ListQuery {
  readonly filters: ListFilters;
  /** A filter on a Social Security number, which may not be part of an address. */
  readonly refused: string | undefined;
  readonly start: number;
  readonly cursor: string;
  readonly order: string;
}

/** Lists the records of one type, with filters on any column, sortable, one page at a time. */
export const listPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const query = parseListQuery(call, record);
  const { filters, refused } = query;
  const title = record.titlePlural;
  try {
    if (refused !== undefined) throw numberInAddress(record, refused);
    const results = await resultTable(call, record, query, await searchPage(call, record, query));
    const scripts = record.name === 'Attachment' ? [UPLOAD_SCRIPT] : [];
    return { title, wide: true, scripts, body: listBody(call, record, results, filters) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return { title, wide: true, status: 400, body: listBody(call, record, errorNote(error.masked()), filters) };
  }
});

/**
 * Reads the rows of a page from its cursor, so that deep pages are fast too. A URL shared with someone else contains
 * another user's cursor, which the search refuses; the page is then read by the number of rows before it. So are pages
 * without cursors: of rows sorted by texts that are too long for one.
 */
async function searchPage(call: PageCall, record: RecordType, query: ListQuery): Promise<RecordAnswerFor<'search'>> {
  const { filters, start, cursor, order } = query;
  const search = async (from: { readonly RecordStart?: number; readonly Cursor?: string }) =>
    (await call.callOf(record, 'search', { ...filters, ...from, DisplaySize: PAGE_ROWS, OrderBy: order })).answer;
  const starts = [...(cursor === '' ? [] : [{ Cursor: cursor }]), { Cursor: '*', RecordStart: start }];
  for (const from of starts) {
    try {
      return await search(from);
    } catch (error) {
      const isRefused = error instanceof PlatformError && ['Cursor', 'OrderBy'].includes(error.field ?? '');
      if (!isRefused) throw error;
    }
  }
  return search({ RecordStart: start });
}

async function resultTable(
  call: PageCall,
  record: RecordType,
  query: ListQuery,
  list: RecordAnswerFor<'search'>,
): Promise<Markup> {
  const { rows } = rowsOf(list);
  const columns = listColumns(record, rows);
  const [labels, failed] = await Promise.all([
    loadLabels(call, [{ columns, rows }]),
    withFailedSteps(call, record, rows),
  ]);
  const mark = (id: number): Markup | false => failed.has(id) && failedStepMark(record, id);
  const caption = record.titlePlural;
  const head = (column: TableColumn): Markup => sortLink(record, query, column);
  const empty = html`<p>No ${inSentence(caption)} match these filters.</p>`;
  const table =
    rows.length === 0 ? empty : recordTable(call, { record, rows, columns }, { labels, caption, head, mark });
  return html`${table}${paging(call, record, query, list)}`;
}

/** Reads filters by column, also sent by the filter form as pairs of `Field` and `Value`. */
function parseListQuery({ query, platform }: PageCall, record: RecordType): ListQuery {
  const named = Object.entries(query).flatMap(([name, value]): [string, string | string[]][] => {
    if (value === '' || !isFilterName(platform.registry, record, name)) return [];
    if (typeof value === 'string') return [[name, value]];
    return Array.isArray(value) ? [[name, value.map(plainText)]] : [];
  });
  const values = plainTexts(query['Value']);
  const paired = plainTexts(query['Field']).flatMap((field, at): [string, string][] => {
    const value = values[at] ?? '';
    return field === '' || value === '' ? [] : [[field, value]];
  });
  const sent = [...named, ...paired];
  const isNumber = ([name, value]: (typeof sent)[number]): boolean =>
    name.toLowerCase() === numberColumn(record)?.name.toLowerCase() && !/^(?:not )?null$/i.test([value].flat().join());
  return {
    filters: Object.fromEntries(sent.filter((filter) => !isNumber(filter))),
    refused: sent.find(isNumber)?.[0],
    start: rowOffset(query['RecordStart']),
    cursor: plainText(query['Cursor']),
    order: plainText(query['OrderBy']) || `-${record.idField}`,
  };
}

function numberInAddress(record: RecordType, name: string): PlatformError {
  const label = columnLabel(record, name);
  return new PlatformError('BAD_PARAMETER', {
    field: name,
    message: `${label}: use “Find by ${label}”, so that the number does not become part of the address.`,
  });
}

function listPath(record: RecordType, filters: ListFilters, more: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) for (const each of [value].flat()) query.append(name, each);
  for (const [name, value] of Object.entries(more)) if (value !== '') query.set(name, value);
  const text = query.toString();
  return `/records/${record.module}${text === '' ? '' : `?${text}`}`;
}

/** Renders the head of a column as a link that sorts by it; by the current one, the other way round. */
function sortLink(record: RecordType, { filters, order }: ListQuery, { name, field }: TableColumn): Markup {
  const isCurrent = order.replace(/^-/, '') === name;
  const isDescending = order.startsWith('-');
  const next = isCurrent && !isDescending ? `-${name}` : name;
  const arrow = isDescending ? ' ↓' : ' ↑';
  const current = isCurrent && html` aria-current="true"`;
  const label = fieldLabel(name, field);
  return html`<a href="${listPath(record, filters, { OrderBy: next })}"${current}>${label}${isCurrent && arrow}</a>`;
}

function listBody(call: PageCall, record: RecordType, results: Markup, filters: ListFilters): Markup {
  return html`<p class="crumbs"><a href="/records">Records</a></p>
<h1>${record.titlePlural}</h1>
<p class="quiet">${record.doc}</p>
${deletedNote(call, record)}
${listActions(call, record, filters)}
${filterForm(record, filters)}
${numberForm(call, record)}
${results}`;
}

function listActions(call: PageCall, record: RecordType, filters: ListFilters): Markup {
  const query = listPath(record, filters, { Output: 'Csv', DisplaySize: '1000' }).split('?')[1] ?? '';
  const title = inSentence(record.title);
  const uploads = record.name === 'Attachment' && call.may('attachment/uploadchunk');
  const parent = uploads ? parentOfFilters(call, filters) : undefined;
  const newLink = html`<a class="button" href="${newPath(record, filters)}" accesskey="n">New ${title}</a>`;
  const newButton =
    record.history !== false &&
    call.mayOf(record, 'insert') &&
    (parent === undefined ? newLink : uploadForm(call, parent));
  const csv = `/api/${record.module}/search?${query}`;
  return html`<div class="actions">
${newButton}
<a class="button quiet" href="${csv}" download="${record.module}.csv">Download CSV</a>
</div>`;
}

/** Returns the record below which the list is; undefined for a list of all records. */
function parentOfFilters(call: PageCall, filters: ListFilters): UploadTarget | undefined {
  const { Object: name, ObjectID: id } = filters;
  const record = typeof name === 'string' ? call.platform.registry.record(name) : undefined;
  return record && typeof id === 'string' && /^\d{1,15}$/.test(id) ? { record, id: Number(id) } : undefined;
}

/** Returns the address of the form for a new record, which has the parent of the list. */
function newPath(record: RecordType, filters: ListFilters): string {
  const { Object: name, ObjectID: id } = filters;
  const hasParent = record.parent !== undefined && typeof name === 'string' && typeof id === 'string';
  const query = hasParent ? `?${new URLSearchParams({ Object: name, ObjectID: id }).toString()}` : '';
  return `/records/${record.module}/new${query}`;
}

/** Renders a row for each filter in use and an empty one. Values use the search's syntax. */
function filterForm(record: RecordType, filters: ListFilters): Markup {
  const names = record.shown.filter(({ field }) => field.kind !== 'ssn').map(({ name }) => name);
  const rows = [
    ...Object.entries(filters).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const)),
    [record.name, ''] as const,
  ];
  return html`<form class="filters" action="/records/${record.module}" method="get" role="search" aria-label="Filter">
${rows.map(([name, value], at) => filterRow(record, names, { name, value, at }))}
<p>
<button>Filter</button>
<a class="button quiet" href="/records/${record.module}">Clear</a>
</p>
</form>`;
}

function filterRow(
  record: RecordType,
  names: readonly string[],
  { name, value, at }: { readonly name: string; readonly value: string; readonly at: number },
): Markup {
  const choices = [...new Set([...names, name])].map((each) =>
    option(each, columnLabel(record, each), each.toLowerCase() === name.toLowerCase()),
  );
  return html`<p>
<label class="hidden" for="field-${at}">Field</label>
<select id="field-${at}" name="Field">${choices}</select>
<label class="hidden" for="value-${at}">Value</label>
<input id="value-${at}" name="Value" value="${value}"
  placeholder="Try Smith*, &gt;=100, null or 2026-01-01 - 2026-02-01">
</p>`;
}

function paging(
  call: PageCall,
  record: RecordType,
  { filters, start }: ListQuery,
  list: RecordAnswerFor<'search'>,
): Markup | false {
  const { rows, count, isEstimate } = rowsOf(list);
  const order = plainText(call.query['OrderBy']);
  if (rows.length === 0 && start === 0) return false;
  const to = (at: number, cursor = ''): string =>
    listPath(record, filters, { OrderBy: order, RecordStart: at === 0 ? '' : String(at), Cursor: cursor });
  const previous = start > 0 && html`<a href="${to(Math.max(0, start - PAGE_ROWS))}" rel="prev">Previous page</a>`;
  const cursor = rows.at(-1)?.NextCursor;
  const end = start + rows.length;
  // Without cursors the number of rows shows whether others follow.
  const hasNext = cursor !== undefined || (rows.length === PAGE_ROWS && end < count);
  const next = hasNext && html`<a href="${to(end, cursor)}" rel="next">Next page</a>`;
  return html`<nav class="paging" aria-label="Pages">
<span>${start + 1} to ${start + rows.length} of ${isEstimate && 'about '}${count}</span>
${previous}
${next}
</nav>`;
}

/** Names the deleted record, and offers to restore it if the user may. */
function deletedNote(call: PageCall, record: RecordType): Markup | false {
  const id = Number(call.query['deleted']);
  if (!Number.isSafeInteger(id) || id < 1) return false;
  const mayRestore = call.user.universal && call.mayOf(record, 'undelete');
  return statusNote(
    `${record.title} ${id} was deleted.`,
    mayRestore &&
      html`<form method="post" action="${recordPath(record.module, id)}/undelete">
${csrfField(call)}
<button class="quiet">Restore</button>
</form>`,
  );
}
