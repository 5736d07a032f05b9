import type { ListAnswer, Row } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { isFilterName } from '../../kernel/records/search/search.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { recordTypeFromPath } from './record-address.ts';
import { caseLink } from './case/case-link.ts';
import { errorNote } from './error.ts';
import { loadLabels, type Labels } from './labels.ts';
import { csrfField } from './layout.ts';
import type { PageCall } from './page-call.ts';
import { page } from './page.ts';
import { listColumns, recordTable, rowsOf, type TableColumn } from './table.ts';
import { fieldLabel, recordLink, recordPath, humanize } from './display-values.ts';

/** Rows of one page of a list. */
const PAGE_ROWS = 25;

/** The record types that the user may search, the work first, then configuration, then logs. */
export const recordsPage = page((call) => {
  const records = call.platform.registry.records().filter((record) => call.may(`${record.module}/search`));
  const groups: readonly (readonly [string, readonly RecordType[]])[] = [
    [
      'Cases and what belongs to them',
      records.filter(
        (record) => record.history !== false && record.reach !== 'configuration' && record.reach !== 'none',
      ),
    ],
    [
      'Configuration',
      records.filter(
        (record) => record.history !== false && (record.reach === 'configuration' || record.reach === 'none'),
      ),
    ],
    ['Logs', records.filter((record) => record.history === false)],
  ];
  return Promise.resolve({
    title: 'Records',
    body: html`<h1>Records</h1>${groups.filter(([, of]) => of.length > 0).map(([name, of]) => html`<h2>${name}</h2><dl class="index">${of.map((record) => html`<div><dt><a href="/records/${record.module}">${humanize(record.name)}</a></dt><dd>${record.doc}</dd></div>`)}</dl>`)}`,
  });
});

/** A list of one record type: filters on any column in the search's own words, sorted by a click, a page at a time. */
export const listPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const { filters, start, order } = parseListQuery(call, record);
  try {
    const { answer } = await call.call(`${record.module}/search`, {
      ...filters,
      RecordStart: String(start),
      DisplaySize: String(PAGE_ROWS),
      OrderBy: order,
    });
    const list = answer as ListAnswer;
    const { rows } = rowsOf(list);
    const columns = listColumns(record, rows);
    const labels = await loadLabels(call, [{ columns, rows }]);
    const caption = `${humanize(record.name)} records`;
    const head = (column: TableColumn): Markup => sortLink(call, record, column, order);
    return {
      title: humanize(record.name),
      wide: true,
      body: listBody(
        call,
        record,
        html`${rows.length === 0 ? html`<p>Nothing found.</p>` : recordTable(call, record, rows, { columns, labels, caption, head })}${paging(call, record, list, start)}`,
        filters,
      ),
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return {
      title: humanize(record.name),
      wide: true,
      status: 400,
      body: listBody(call, record, errorNote(error.masked()), filters),
    };
  }
});

/** What the address asks for: filters by column (also as Field, Operator-free Value pairs of the form), where to begin, what to sort by. */
function parseListQuery(
  call: PageCall,
  record: RecordType,
): { readonly filters: Record<string, string | string[]>; readonly start: number; readonly order: string } {
  const filters: Record<string, string | string[]> = {};
  const { registry } = call.platform;
  for (const [name, value] of Object.entries(call.query)) {
    if (typeof value === 'string' && value !== '' && isFilterName(registry, record, name)) filters[name] = value;
    else if (Array.isArray(value) && isFilterName(registry, record, name)) filters[name] = value.map(String);
  }
  const fields = [call.query['Field'] ?? []].flat().map(String);
  const values = [call.query['Value'] ?? []].flat().map(String);
  for (const [at, field] of fields.entries())
    if (field !== '' && (values[at] ?? '') !== '') filters[field] = values[at] ?? '';
  const start = Math.max(0, Math.trunc(Number(call.query['RecordStart'] ?? 0)) || 0);
  const order = String(call.query['OrderBy'] ?? '') || `-${record.idField}`;
  return { filters, start, order };
}

function listPath(
  record: RecordType,
  filters: Readonly<Record<string, string | readonly string[]>>,
  more: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    for (const each of [value].flat()) query.append(name, String(each));
  for (const [name, value] of Object.entries(more)) if (value !== '') query.set(name, value);
  const text = query.toString();
  return `/records/${record.module}${text === '' ? '' : `?${text}`}`;
}

function sortLink(call: PageCall, record: RecordType, { name, field }: TableColumn, order: string): Markup {
  const { filters } = parseListQuery(call, record);
  const now = order.replace(/^-/, '') === name;
  const next = now && !order.startsWith('-') ? `-${name}` : name;
  return html`<a href="${listPath(record, filters, { OrderBy: next })}"${now && html` aria-current="true"`}>${fieldLabel(name, field)}${now && (order.startsWith('-') ? ' ↓' : ' ↑')}</a>`;
}

function listBody(
  call: PageCall,
  record: RecordType,
  results: Markup,
  filters: Readonly<Record<string, string | readonly string[]>>,
): Markup {
  const csv = `/api/${record.module}/search${listPath(record, filters, { Output: 'Csv', DisplaySize: '1000' }).slice(`/records/${record.module}`.length)}`;
  return html`<p class="crumbs"><a href="/records">Records</a></p><h1>${humanize(record.name)}</h1><p class="quiet">${record.doc}</p>
${deletedNote(call, record)}
<p class="actions">${record.history !== false && call.may(`${record.module}/insert`) && html`<a class="button" href="/records/${record.module}/new" accesskey="n">New ${humanize(record.name).toLowerCase()}</a> `}<a class="button quiet" href="${csv}" download="${record.module}.csv">As CSV</a></p>
${filterForm(record, filters)}
${results}`;
}

/** A row for each filter that holds, and an empty one; the grammar is that of the search. */
function filterForm(record: RecordType, filters: Readonly<Record<string, string | readonly string[]>>): Markup {
  const names = record.shown.map(({ name }) => name);
  const rows = [
    ...Object.entries(filters).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)] as const)),
    [record.name, ''] as const,
  ];
  return html`<form class="filters" action="/records/${record.module}" method="get" role="search" aria-label="Filter">${rows.map(([name, value], at) => html`<p><label class="hidden" for="field-${at}">Field</label><select id="field-${at}" name="Field">${[...new Set([...names, name])].map((each) => html`<option value="${each}"${each.toLowerCase() === name.toLowerCase() && html` selected`}>${humanize(each)}</option>`)}</select><label class="hidden" for="value-${at}">Value</label><input id="value-${at}" name="Value" value="${value}" placeholder="value, Smith*, &gt;=100, null, 2026-01-01 - 2026-02-01"></p>`)}<p><button>Filter</button> <a class="button quiet" href="/records/${record.module}">Clear</a></p></form>`;
}

function paging(call: PageCall, record: RecordType, list: ListAnswer, start: number): Markup | false {
  const { rows, count, isEstimate } = rowsOf(list);
  const { filters } = parseListQuery(call, record);
  const order = String(call.query['OrderBy'] ?? '');
  if (rows.length === 0 && start === 0) return false;
  const to = (at: number): string =>
    listPath(record, filters, { OrderBy: order, RecordStart: at === 0 ? '' : String(at) });
  return html`<nav class="paging" aria-label="Pages"><span>${start + 1} to ${start + rows.length} of ${isEstimate && 'about '}${count}</span>${start > 0 && html` <a href="${to(Math.max(0, start - PAGE_ROWS))}" rel="prev">Earlier page</a>`}${start + rows.length < count && html` <a href="${to(start + PAGE_ROWS)}" rel="next">Next page</a>`}</nav>`;
}

/** After a deletion: what was deleted, and the way back for who may go it. */
function deletedNote(call: PageCall, record: RecordType): Markup | false {
  const id = Number(call.query['deleted']);
  if (!Number.isSafeInteger(id) || id < 1) return false;
  const back = call.user.universal && call.may(`${record.module}/undelete`);
  return html`<div class="note" role="status"><p>${humanize(record.name)} ${id} was deleted.</p>${back && html`<form method="post" action="${recordPath(record.module, id)}/undelete">${csrfField(call)}<button class="quiet">Bring it back</button></form>`}</div>`;
}

/** What a search across all record types found. */
export const searchPage = page(async (call) => {
  const text = String(call.query['Text'] ?? '').trim();
  const intro = html`<h1>Search</h1><form class="filters" action="/search" method="get" role="search"><p><label class="hidden" for="text">What to look for</label><input id="text" name="Text" type="search" value="${text}" autofocus placeholder="Case or loan number, name, address, outside identifier"> <button>Search</button></p></form>
<p class="quiet">Finds the beginning of labels; <code>*</code> stands for anything, so that <code>*Mary</code> finds it inside too.</p>`;
  if (text === '') return { title: 'Search', wide: true, body: intro };
  try {
    const { answer } = await call.call('record/find', { Text: text });
    const rows = (answer as ListAnswer).rows;
    const labels = await loadLabels(call, [
      { columns: [], rows: rows.map((row) => ({ Object: row['Parent'], ObjectID: row['ParentID'] })) },
    ]);
    const groups = Object.entries(Object.groupBy(rows, (row) => String(row['Object'])));
    const only = rows.length === 1 ? rows[0] : undefined;
    if (only) return { redirectTo: recordPath(String(only['Object']), Number(only['ObjectID'])) };
    return {
      title: `Search: ${text}`,
      wide: true,
      body: html`${intro}${groups.length === 0 && html`<p role="status">Nothing within your reach begins with this.</p>`}${groups.map(([name, found]) => searchResultGroup(call, name, found ?? [], { text, labels }))}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return { title: 'Search', wide: true, status: 400, body: html`${intro}${errorNote(error.masked())}` };
  }
});

function searchResultGroup(
  call: PageCall,
  name: string,
  rows: readonly Row[],
  { text, labels }: { readonly text: string; readonly labels: Labels },
): Markup {
  const parent = ({ Parent: of, ParentID: id }: Row): Markup | false =>
    typeof of === 'string' &&
    typeof id === 'number' &&
    html` <span class="quiet">of ${recordLink(call, of, id, labels.get(of)?.get(id))}</span>`;
  const more = `/records/${name.toLowerCase()}?${new URLSearchParams({ [name]: `${text}*` }).toString()}`;
  return html`<section aria-labelledby="found-${name}"><h2 id="found-${name}">${humanize(name)}</h2><ul class="found">${rows.map((row) => html`<li><a href="${recordPath(name, Number(row['ObjectID']))}">${String(row['Label'] ?? '') || `${name} ${String(row['ObjectID'])}`}</a> ${typeof row['Status'] === 'string' && html`<span class="status">${row['Status']}</span>`} ${caseLink(call, name, Number(row['ObjectID']), 'Workflows and tasks')}${parent(row)}${row['FoundBy'] !== 'Label' && html` <span class="quiet">by ${String(row['FoundBy'])}</span>`}</li>`)}</ul>${rows.length >= 5 && html`<p><a href="${more}">All of them</a></p>`}</section>`;
}
