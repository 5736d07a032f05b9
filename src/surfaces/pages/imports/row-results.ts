import type { AnswerFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable } from '../components.ts';
import { noValue, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { groupedCount, importPath, liveImport, type ImportProgress, type ImportRow } from './import-display.ts';

/** Rows of one page. */
const PAGE_ROWS = 25;
/** Larger imports do not offer the list of all rows: only failures and warnings are found by an index. */
const WHOLE_ROWS_MAX = 10_000;

type RowFilter = 'failed' | 'warned' | 'all';
const filterOf: Readonly<Record<RowFilter, { readonly SqlFilters?: string }>> = {
  failed: { SqlFilters: 'Failed' },
  warned: { SqlFilters: 'Warned' },
  all: {},
};

const emptyTexts: Readonly<Record<RowFilter, string>> = {
  failed: 'No failed rows',
  warned: 'No rows with warnings',
  all: 'No rows yet',
};

/** The columns with the numbers of rows, of an import or of its progress. */
type ImportCounts = Pick<ImportRow & ImportProgress, 'SuccessCount' | 'Warnings' | 'ErrorCount'>;

/** How many rows of an import have each result. */
interface RowCounts {
  readonly failed: number;
  readonly warned: number;
  readonly total: number;
}

/** Renders the rows with one result, failures first, each with its line, name and reason. */
export async function rowResultsSection(
  call: PageCall,
  file: ImportRow,
  countRow: ImportCounts,
): Promise<Markup | false> {
  if (!call.may('importlog/search')) return false;
  const id = file.ImportFileID;
  const failed = countRow.ErrorCount ?? 0;
  const reasons = file.Status === 'Error' ? await failedLogRows(call, id) : failed;
  const counts: RowCounts = {
    failed: reasons,
    warned: countRow.Warnings ?? 0,
    total: reasons + (countRow.SuccessCount ?? 0),
  };
  const tabs = tabsOf(counts);
  const filter = tabs.find(([name]) => name === call.query['Show'])?.[0] ?? defaultFilter(counts);
  // While an import runs, the page reads again only what an index finds.
  if (call.query['Part'] === 'live' && filter === 'warned') return false;
  const start = rowOffset(call.query['RecordStart']);
  const { answer: list } = await call.call('importlog/search', {
    ImportFileID: id,
    ...filterOf[filter],
    OrderBy: 'SourceLine,ImportLogID',
    RecordStart: start,
    DisplaySize: PAGE_ROWS,
  });
  const labels = await loadLabels(call, [referencesOf(list.rows)]);
  const path = importPath(id);
  const tab = ([name, text]: Tab): Markup => {
    const current = name === filter && html` aria-current="true"`;
    return html`<a id="show-${name}" href="${path}?Show=${name}#rows"${current}>${text}</a> `;
  };
  const corrections = offersCorrections(call, file, failed);
  const download = html`<a id="corrections" href="/api/importfile/corrections?ID=${id}" download>Corrections file</a>`;
  return html`<section id="rows"${liveImport(id)} aria-labelledby="rows-head">
<h2 id="rows-head">Results</h2>
<nav class="paging" aria-label="Results">${tabs.map(tab)}${corrections && download}</nav>
${correctionsNote(call, file, failed)}
${rowTable(call, list, { filter, start, path, labels })}
</section>`;
}

/** Counts the failed rows of a log: a file that failed as a whole has one that says why, and no failed row itself. */
async function failedLogRows(call: PageCall, id: number): Promise<number> {
  const { answer } = await call.call('importlog/search', { ImportFileID: id, ...filterOf.failed, DisplaySize: 1 });
  return rowsOf(answer).count;
}

type Tab = readonly [filter: RowFilter, text: string];

function tabsOf({ failed, warned, total }: RowCounts): readonly Tab[] {
  const tabs: readonly Tab[] = [
    ['failed', `Failed ${groupedCount(failed)}`],
    ['warned', `With warnings ${groupedCount(warned)}`],
  ];
  return total <= WHOLE_ROWS_MAX ? [...tabs, ['all', `All ${groupedCount(total)}`]] : tabs;
}

/** Returns the filter to begin with: failures, if there are any, then warnings, then all rows. */
function defaultFilter({ failed, warned, total }: RowCounts): RowFilter {
  if (failed > 0) return 'failed';
  if (warned > 0) return 'warned';
  return total > 0 && total <= WHOLE_ROWS_MAX ? 'all' : 'failed';
}

/**
 * The corrections file contains SSNs in the clear: it is for the firm that sent the file and users who may see them.
 */
function offersCorrections(call: PageCall, file: ImportRow, failed: number): boolean {
  const isOwn = !call.user.universal && file.OrganizationID === call.user.organizationId;
  return hasCorrections(call, file, failed) && (isOwn || call.user.permissions.has('UnmaskSSN'));
}

function hasCorrections(call: PageCall, file: ImportRow, failed: number): boolean {
  return failed > 0 && file.Status !== 'Validation Error' && call.may('importfile/corrections');
}

function correctionsNote(call: PageCall, file: ImportRow, failed: number): Markup | false {
  if (!hasCorrections(call, file, failed)) return false;
  if (!offersCorrections(call, file, failed))
    return html`<p class="quiet">
  The corrections file contains the failed rows. Only the firm that sent them and users who can see full SSNs can
  download it.
</p>`;
  const path = `/imports/new?Template=${file.ImportFileTemplateID ?? ''}`;
  return html`<p class="quiet">
  The corrections file contains the failed rows with their reasons, and no saved rows. Fix them and
  <a id="send-again" href="${path}">upload it again</a>.
</p>`;
}

interface RowTableOptions {
  readonly filter: RowFilter;
  readonly start: number;
  readonly path: string;
  readonly labels: Labels;
}

function rowTable(
  call: PageCall,
  list: AnswerFor<'importlog/search'>,
  { filter, start, path, labels }: RowTableOptions,
): Markup {
  const { rows, count: total, isEstimate } = rowsOf(list);
  if (rows.length === 0) return html`<p class="quiet">${start > 0 ? 'No more rows' : emptyTexts[filter]}</p>`;
  const hasRecords = rows.some(({ ObjectID: id }) => id !== null);
  const to = (at: number): string => `${path}?Show=${filter}${at > 0 ? `&RecordStart=${at}` : ''}#rows`;
  const previous =
    start > 0 && html`<a id="rows-back" href="${to(Math.max(0, start - PAGE_ROWS))}" rel="prev">Previous rows</a>`;
  const next =
    start + rows.length < total && html`<a id="rows-on" href="${to(start + PAGE_ROWS)}" rel="next">Next rows</a>`;
  return html`${dataTable({
    label: 'Rows',
    caption: 'Rows and their results',
    id: 'rows-table',
    className: 'outcomes',
    heads: [{ text: 'Line', isNumber: true }, 'Row', 'Result', 'Reason', hasRecords && 'Record'],
    rows: rows.map((row) => resultRow(call, row, labels, hasRecords)),
  })}
<nav class="paging" aria-label="Pages of rows">
<span>${start + 1} to ${start + rows.length} of ${isEstimate && 'about '}${groupedCount(total)}</span>
${previous}
${next}
</nav>`;
}

const statusClasses: ReadonlyMap<string, string> = new Map([
  ['Error', ' failed'],
  ['Warning', ' warning'],
]);

function resultRow(call: PageCall, row: RowNamed<'ImportLog'>, labels: Labels, hasRecords: boolean): Markup {
  const { SourceLine: line, Operation: operation, Object: object, ObjectID: id, ImportLogID: logId } = row;
  const status = row.Status ?? '';
  const label = (row.ImportLog ?? '') || `Row ${logId}`;
  const record = object !== null && id !== null && recordLink(call, object, id, labels.get(object)?.get(id));
  const hasOperation = operation !== null && !(operation === 'None' && status === 'Error');
  return html`<tr>
<td class="number">${line !== null && line > 0 ? groupedCount(line) : noValue}</td>
<th scope="row">${recordLink(call, 'ImportLog', logId, label)}</th>
<td>
<span class="status${statusClasses.get(status)}">${status}</span>
${hasOperation && html`<span class="quiet">${operation}</span>`}
</td>
<td class="reason">${row.Message}</td>
${hasRecords && html`<td>${record}</td>`}
</tr>\n`;
}
