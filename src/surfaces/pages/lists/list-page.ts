import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { checkbox } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import { menu } from '../design/menu.ts';
import { tabs } from '../design/tabs.ts';
import { groupDigits, recordPath } from '../display-values.ts';
import { inSentence } from '../display-names.ts';
import { csrfField } from '../layout.ts';
import { numberForm } from '../records/number-search.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page, type Page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordTypeFromPath } from '../record-address.ts';
import type { Crumb } from '../shell/top-bar.ts';
import { uploadForm } from '../documents/upload-form.ts';
import { bulkButtons } from './bulk-actions.ts';
import { exportTickedButton } from './export-ticked.ts';
import { filterBar } from './filter-bar.ts';
import { PAGE_ROWS, readList, type ListData } from './list-data.ts';
import { BULK_FORM, listTable, wholeAmount } from './list-table.ts';
import { allOf, caseSource, knownSource, listAddresses, searchOf, type ListSource } from './list-sources.ts';
import {
  filterQuery,
  numberInAddress,
  orderOf,
  parentOf,
  readState,
  searchFilters,
  statePath,
  viewPath,
  type ListState,
} from './list-state.ts';
import { viewTools } from './view-menus.ts';

/** The list of cases: foreclosures and bankruptcies together. */
export const casesPage = listPageOf(caseSource);

/** The lists with their own addresses, by address. */
export const knownListPages: Readonly<Record<string, Page>> = Object.fromEntries(
  listAddresses.map((address) => [`/${address}`, listPageOf((call) => knownSource(call, address))]),
);

/** The list of any record type: that of its own address if it has one, with every field to filter and show. */
export const recordListPage = listPageOf((call) => allOf(call, recordTypeFromPath(call)));

/** Creates the page of a list. */
function listPageOf(sourceFor: (call: PageCall) => ListSource): Page {
  return page(async (call) => {
    const source = sourceFor(call);
    const [views] = await Promise.all([readViews(call, source), refreshSummaries(call, source)]);
    const state = readState(call, source, views);
    // The form of a chip sends its parts; the address has the filter.
    const isPart = call.query['Field'] !== undefined && state.refused === undefined;
    if (isPart) return { redirectTo: statePath(source, state) };
    try {
      if (state.refused !== undefined) throw numberInAddress(columnLabel(source.record, state.refused), state.refused);
      const [data, counts] = await Promise.all([readList(call, source, state), countViews(call, views)]);
      return shown(call, { source, state, views, counts, data });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status !== 400) throw error;
      return { ...shown(call, { source, state, views, counts: new Map(), error: error.masked() }), status: 400 };
    }
  });
}

/** A list that is shown, or why it cannot be. */
interface ListParts {
  readonly source: ListSource;
  readonly state: ListState;
  readonly views: readonly RowNamed<'View'>[];
  readonly counts: ReadonlyMap<number, string>;
  readonly data?: ListData;
  readonly error?: PlatformError;
}

async function readViews(call: PageCall, { record }: ListSource): Promise<readonly RowNamed<'View'>[]> {
  if (!call.may(searchOf(record))) return [];
  const { answer } = await call.call('view/mine', { RecordType: record.name });
  return answer.rows;
}

/** Brings summaries of cases that have changed up to date before they are read and counted. */
async function refreshSummaries(call: PageCall, { record, path }: ListSource): Promise<void> {
  if (record.name === 'CaseSummary' && path === '/cases') await call.call('casesummary/refresh', {});
}

/** Returns how many records the views have: "148", or "1,000+". */
async function countViews(call: PageCall, views: readonly RowNamed<'View'>[]): Promise<ReadonlyMap<number, string>> {
  if (views.length === 0) return new Map();
  const { answer } = await call.call('view/counts', { ID: views.slice(0, 40).map(({ ViewID }) => String(ViewID)) });
  return new Map(
    answer.rows.map(({ ViewID, Count, IsMore }) => [ViewID, groupDigits(String(Count)) + (IsMore ? '+' : '')] as const),
  );
}

function shown(call: PageCall, parts: ListParts): Extract<PageAnswer, { title: string }> {
  const { source, state, data, error } = parts;
  const viewName = state.view?.View ?? undefined;
  return {
    title: viewName === undefined ? source.title : `${viewName} · ${source.title}`,
    place: source.place,
    crumbs: [
      ...crumbsAbove(source),
      { text: source.title, href: source.path },
      ...(viewName === undefined ? [] : [{ text: viewName }]),
    ],
    entries: source.record.name === 'Attachment' ? ['list', 'upload'] : ['list'],
    hasPanes: true,
    body: html`<record-list class="record-list" id="record-list">
${head(call, parts)}
<div class="list-bar">${filterBar(call, source, state, data)}${viewTools(call, source, state, data)}</div>
<div class="list-body">
<div class="list-rows">
${deletedNote(call, source)}
${error && banner({ tone: 'danger', text: error.message, role: 'alert' })}
${data && rows(call, source, state, data)}
${data && foot(source, state, data)}
</div>
<aside class="preview scroll" id="preview" aria-label="Preview" hidden tabindex="0"></aside>
</div>
</record-list>`,
  };
}

function rows(call: PageCall, source: ListSource, state: ListState, data: ListData): Markup {
  if (data.rows.length === 0) return empty(source, state);
  const isTicked = hasTicks(call, source);
  return html`${listTable(call, { source, state, data, hasTicks: isTicked })}
${isTicked && bulkBar(call, source, state, data)}`;
}

function head(call: PageCall, { source, state, views, counts, data }: ListParts): Markup {
  const all = { href: viewPath(source, undefined), text: 'All', isCurrent: state.view === undefined };
  const viewTabs = views.map((view) => {
    const number = counts.get(view.ViewID);
    return {
      href: viewPath(source, view),
      text: html`<bdi>${view.View}</bdi>`,
      isCurrent: state.view?.ViewID === view.ViewID,
      ...(number !== undefined && { count: number }),
    };
  });
  return html`<div class="list-head">
<h1>${source.title}</h1>
${views.length > 0 && tabs('Views', [...viewTabs, all])}
<span class="row end">${exportMenu(source, state, data)}${addButton(call, source, state)}</span>
</div>
${numberForm(call, source.record)}`;
}

/** Renders the files that the list can be exported to. */
function exportMenu(source: ListSource, state: ListState, data: ListData | undefined): Markup {
  const query = exportQuery(source, state, data);
  const { module, titlePlural } = source.record;
  const file = (text: string, operation: string, name: string): Markup =>
    html`<a class="menu-entry" href="/api/view/${operation}" download="${name}" data-no-morph><span>${text}</span></a>`;
  const summary = html`<summary class="button">${icon('export')}<span>Export</span></summary>`;
  return menu(summary, [
    file('Excel workbook (.xlsx)', `exportworkbook?${query}`, `${titlePlural}.xlsx`),
    file('Comma-separated values (.csv)', `exportrecords?${query}&Output=Csv`, `${module}.csv`),
  ]);
}

function exportQuery(source: ListSource, state: ListState, data: ListData | undefined): string {
  const own = source.columns ?? data?.columns.map(({ name }) => name) ?? [];
  const columns = state.columns.length > 0 ? state.columns : own;
  return new URLSearchParams({
    RecordType: source.record.name,
    Filters: filterQuery(state).toString(),
    Columns: columns.join(','),
    OrderBy: orderOf(source, state),
  }).toString();
}

/** Renders the way to add a record: a form, or for documents of a record, the upload of files. */
function addButton(call: PageCall, source: ListSource, state: ListState): Markup | false {
  const created = source.path === '/cases' ? 'Foreclosure' : source.record.name;
  const type = call.platform.registry.record(created);
  if (!type || type.history === false || !call.mayOf(type, 'insert')) return false;
  const parent = parentOf(call, state);
  if (parent && type.name === 'Attachment' && call.may('attachment/uploadchunk')) return uploadForm(call, parent);
  const isBelow = parent && type.parent !== undefined;
  const query = isBelow ? new URLSearchParams({ Object: parent.record.name, ObjectID: String(parent.id) }) : '';
  return buttonLink({
    text: source.path === '/cases' ? 'New case' : `New ${inSentence(source.record.title)}`,
    kind: 'primary',
    href: `/records/${type.module}/new${isBelow ? `?${query.toString()}` : ''}`,
  });
}

function crumbsAbove({ place }: ListSource): readonly Crumb[] {
  return place === 'records' ? [{ text: 'All records', href: '/records' }] : [];
}

/** Names the record that was just deleted, and offers to restore it if the user may. */
function deletedNote(call: PageCall, { record }: ListSource): Markup | false {
  const id = Number(call.query['deleted']);
  if (!Number.isSafeInteger(id) || id < 1) return false;
  const mayRestore = call.user.universal && call.mayOf(record, 'undelete');
  return banner({
    tone: 'ok',
    role: 'status',
    text: `${record.title} ${id} was deleted.`,
    actions:
      mayRestore &&
      html`<form method="post" action="${recordPath(record.module, id)}/undelete">
${csrfField(call)}${button({ text: 'Restore' })}</form>`,
  });
}

/** Whether several rows can be changed together. */
function hasTicks(call: PageCall, { record }: ListSource): boolean {
  return call.user.universal && record.reach !== 'configuration' && call.may('bulkrun/start');
}

function bulkBar(call: PageCall, source: ListSource, state: ListState, data: ListData): Markup {
  const { record } = source;
  const isMore = data.count > data.rows.length;
  return html`<form class="bulk-bar" id="${BULK_FORM}" method="post" action="/bulk/${record.module}"
 aria-label="Actions for selected rows">
${csrfField(call)}
<input type="hidden" name="Path" value="${statePath(source, state)}">
<input type="hidden" name="Filters" value="${filterQuery(resolved(call, source, state)).toString()}">
<input type="hidden" name="Export" value="${exportQuery(source, state, data)}">
<b data-tick-count>Selected rows</b>
${isMore && checkbox({ label: `All ${countText(data)}`, name: 'All' })}
<span class="row wrap" role="group" aria-label="Actions">${bulkButtons(call, source)}${exportTickedButton}</span>
<button type="reset" class="bulk-button" data-clear-ticks>Clear${keyHint('Esc')}</button>
</form>`;
}

/** Returns the list with the user's own id in place of "me": the run starts later. */
function resolved(call: PageCall, source: ListSource, state: ListState): Pick<ListState, 'filters' | 'named'> {
  const { SqlFilters: _named, ...filters } = searchFilters(call, source, state);
  return {
    named: state.named,
    filters: Object.entries(filters).flatMap(([name, value]) =>
      [value].flat().map((text) => ({ name, text: plainText(text) })),
    ),
  };
}

function empty({ record, title }: ListSource, state: ListState): Markup {
  const isFiltered = state.filters.length > 0 || state.named.length > 0;
  return emptyState({
    icon: 'filter',
    title: isFiltered ? `No ${inSentence(title)} match these filters.` : `There are no ${inSentence(title)} yet.`,
    text: isFiltered ? 'Remove a filter above, or look at all of them.' : record.doc,
    action: isFiltered && html`<a class="button" href="?View=all" data-list-link>Show all ${inSentence(title)}</a>`,
  });
}

function countText({ count, isEstimate }: ListData): string {
  return `${isEstimate ? 'about ' : ''}${groupDigits(String(count))}`;
}

/** Renders the number of records, their sum, the other pages, and the keys of the list. */
function foot(source: ListSource, state: ListState, data: ListData): Markup {
  const { rows, count, totals, nextCursor } = data;
  const noun = inSentence(count === 1 ? source.record.title : source.title);
  const end = state.start + rows.length;
  const hasNext = nextCursor !== undefined || (rows.length === PAGE_ROWS && end < count);
  const to = (start: number, cursor: string): string =>
    statePath(source, state, {}, { RecordStart: start === 0 ? '' : String(start), Cursor: cursor });
  const previous =
    state.start > 0 &&
    html`<a class="link" href="${to(Math.max(0, state.start - PAGE_ROWS), '')}" rel="prev" data-list-link>Previous</a>`;
  const next = hasNext && html`<a class="link" href="${to(end, nextCursor ?? '')}" rel="next" data-list-link>Next</a>`;
  const sum = totals?.sum !== undefined && html` · $${wholeAmount(totals.sum)} unpaid balance`;
  const among = totals && totals.among > 0 && html` · ${totals.among} ${source.totals?.amongText}`;
  const place = (state.start > 0 || hasNext) && html` · ${state.start + 1} to ${end}`;
  const hint = (keys: readonly string[], text: string): Markup =>
    html`${keys.map((key) => keyHint(key))}<span>${text}</span>`;
  const total = html`<b>${countText(data)}</b> ${noun}${sum}${among}${place}`;
  return html`<footer class="list-foot"><span role="status">${total}</span>
<nav class="row" aria-label="Pages">${previous}${next}</nav>
<span class="row end hints" aria-hidden="true">${hint(['j', 'k'], 'move')}${hint(['x'], 'select')}
${hint(['Enter'], 'open')}${hint(['Space'], 'preview')}</span></footer>`;
}
