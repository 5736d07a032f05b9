import type { AnswerFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { table } from '../design/table.ts';
import { tabs as tabBar } from '../design/tabs.ts';
import { noValue, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { sentLines } from './sent-again.ts';
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
  const start = rowOffset(call.query['RecordStart']);
  const { answer: list } = await call.call('importlog/search', {
    ImportFileID: id,
    ...filterOf[filter],
    OrderBy: 'SourceLine,ImportLogID',
    RecordStart: start,
    DisplaySize: PAGE_ROWS,
  });
  const [labels, sent] = await Promise.all([
    loadLabels(call, [referencesOf(list.rows)]),
    sentLines(call, id, failedLinesOf(list.rows)),
  ]);
  const path = importPath(id);
  const corrections =
    offersCorrections(call, file, failed) &&
    buttonLink({
      text: 'Corrections file',
      href: `/api/importfile/corrections?ID=${id}`,
      kind: 'quiet',
      icon: 'export',
      attributes: html`id="corrections" download`,
    });
  const bar = tabBar(
    'Results',
    tabs.map(([name, text]) => ({
      href: `${path}?Show=${name}#rows`,
      text: html`<span id="show-${name}">${text}</span>`,
      isCurrent: name === filter,
    })),
  );
  return card({
    id: 'rows',
    title: 'Rows',
    actions: corrections,
    attributes: liveImport(id),
    body: html`${bar}${correctionsNote(call, file, failed)}
${rowTable(call, list, { filter, start, path, labels, canFix: await canFix(call, file, list.rows), sent })}`,
  });
}

/** Whether rows can be corrected one by one: the document has rows with columns, and the run has ended. */
async function canFix(
  call: PageCall,
  { ImportFileID: id, PreTransformID: source }: ImportRow,
  rows: readonly RowNamed<'ImportLog'>[],
): Promise<boolean> {
  const [first] = rows.filter(({ Status: status, SourceLine: line }) => status === 'Error' && (line ?? 0) > 0);
  if (source === null || !first || !call.may('importfile/correct') || !call.may('importfile/failedrows')) return false;
  const { answer } = await call.call('importfile/failedrows', { ID: id, DisplaySize: 1 });
  return answer.root.attributes.CanCorrect;
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
    return html`<p class="card-body muted small">
  The corrections file contains the failed rows. Only the firm that sent them and users who can see full SSNs can
  download it.
</p>`;
  const path = `/imports/new?Template=${file.ImportFileTemplateID ?? ''}`;
  return html`<p class="card-body prose muted small">
  To correct many rows in a spreadsheet, download the corrections file, fix the rows and
  <a id="send-again" href="${path}">upload it again</a>.
</p>`;
}

interface RowTableOptions {
  readonly filter: RowFilter;
  readonly start: number;
  readonly path: string;
  readonly labels: Labels;
  /** Whether rows can be corrected one by one. */
  readonly canFix: boolean;
  /** The imports as which lines were sent again. */
  readonly sent: ReadonlyMap<number, number>;
}

function rowTable(call: PageCall, list: AnswerFor<'importlog/search'>, options: RowTableOptions): Markup {
  const { filter, start, path } = options;
  const canFix = options.canFix || options.sent.size > 0;
  const { rows, count: total, isEstimate } = rowsOf(list);
  if (rows.length === 0) return html`<p class="card-body muted">${start > 0 ? 'No more rows' : emptyTexts[filter]}</p>`;
  const hasRecords = rows.some(({ ObjectID: id }) => id !== null);
  const to = (at: number): string => `${path}?Show=${filter}${at > 0 ? `&RecordStart=${at}` : ''}#rows`;
  const previous =
    start > 0 && html`<a id="rows-back" href="${to(Math.max(0, start - PAGE_ROWS))}" rel="prev">Previous rows</a>`;
  const next =
    start + rows.length < total && html`<a id="rows-on" href="${to(start + PAGE_ROWS)}" rel="next">Next rows</a>`;
  return html`${table({
    label: 'Rows and their results',
    id: 'rows-table',
    className: 'stacked',
    heads: [
      { text: 'Line', isNumber: true },
      'Row',
      'Result',
      'Reason',
      hasRecords && 'Record',
      canFix && { text: 'Fix', isHidden: true },
    ],
    rows: rows.map((row) => resultRow(call, row, options, hasRecords)),
  })}
<nav class="page-turn" aria-label="Pages of rows">
<span>${start + 1} to ${start + rows.length} of ${isEstimate && 'about '}${groupedCount(total)}</span>
${previous}
${next}
</nav>`;
}

function resultRow(
  call: PageCall,
  row: RowNamed<'ImportLog'>,
  { labels, path, canFix, sent }: RowTableOptions,
  hasRecords: boolean,
): Markup {
  const { SourceLine: line, Operation: operation, Object: object, ObjectID: id, ImportLogID: logId } = row;
  const status = row.Status ?? '';
  const label = (row.ImportLog ?? '') || `Row ${logId}`;
  const record = object !== null && id !== null && recordLink(call, object, id, labels.get(object)?.get(id));
  const hasLine = line !== null && line > 0;
  const fix = hasLine && status === 'Error' && fixOf(path, line, { canFix, sent });
  return html`<tr>
<td class="number muted" data-label="Line">${hasLine ? groupedCount(line) : noValue}</td>
<th scope="row">${recordLink(call, 'ImportLog', logId, label)}</th>
<td>${resultBadge(status)} ${operationOf(status, operation)}</td>
<td class="reason">${row.Message}</td>
${hasRecords && html`<td>${record}</td>`}
${(canFix || sent.size > 0) && html`<td class="number">${fix}</td>`}
</tr>\n`;
}

function operationOf(status: string, operation: string | null): Markup | false {
  if (operation === null || (operation === 'None' && status === 'Error')) return false;
  return html`<span class="muted">${operation}</span>`;
}

function fixLink(path: string, line: number): Markup {
  const text = html`Fix this row<span class="hidden"> in line ${line}</span>`;
  return html`<a class="link" id="fix-${line}" href="${path}/rows/${line}">${text}</a>`;
}

/** Renders what can be done about a failed line, or what was done. */
function fixOf(path: string, line: number, { canFix, sent }: Pick<RowTableOptions, 'canFix' | 'sent'>): Markup | false {
  const again = sent.get(line);
  return again === undefined ? canFix && fixLink(path, line) : againLink(again);
}

function againLink(id: number): Markup {
  return html`Sent again as <a class="link" href="${importPath(id)}">import ${id}</a>`;
}

function failedLinesOf(rows: readonly RowNamed<'ImportLog'>[]): readonly number[] {
  return rows.flatMap(({ Status: status, SourceLine: line }) => (status === 'Error' && line !== null ? [line] : []));
}

function resultBadge(status: string): Markup {
  if (status === 'Error') return badge(status, 'danger', 'error');
  return status === 'Warning' ? badge(status, 'warn', 'warning') : badge(status, 'ok', 'check');
}
