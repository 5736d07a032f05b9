import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { rowsOf } from '../table.ts';
import { recordLink } from '../display-values.ts';
import { groupedCount, importPath } from './import-display.ts';

/** Rows of the log on one page. */
const PAGE_ROWS = 25;
/** Logs up to this many rows are shown whole, in the order of the source; of larger ones the failures and warnings, which are found by an index. */
const WHOLE_MAX = 10_000;

type RowFilter = 'failed' | 'warned' | 'all';
const filterOf: Readonly<Record<RowFilter, Readonly<Record<string, string>>>> = {
  failed: { SqlFilters: 'Failed' },
  warned: { SqlFilters: 'Warned' },
  all: {},
};

/** What became of the rows, by outcome: the failures first, each with its line, what it was about, and why. */
export async function rowResultsSection(call: PageCall, row: Row, counts: Row): Promise<Markup | false> {
  if (!call.may('importlog/search')) return false;
  const id = Number(row['ImportFileID']);
  const [failed, warned, saved] = [counts['ErrorCount'], counts['Warnings'], counts['SuccessCount']].map((value) =>
    Number(value ?? 0),
  ) as [number, number, number];
  const total = failed + saved;
  const tabs: readonly (readonly [RowFilter, string])[] = [
    ['failed', `Failed ${groupedCount(failed)}`],
    ['warned', `With a warning ${groupedCount(warned)}`],
    ...(total <= WHOLE_MAX ? [['all', `All ${groupedCount(total)}`] as const] : []),
  ];
  const asked = tabs.find(([name]) => name === call.query['Show'])?.[0];
  const show =
    asked ??
    (failed === 0 && warned > 0 ? 'warned' : failed === 0 && total > 0 && total <= WHOLE_MAX ? 'all' : 'failed');
  // While a run goes on only what an index finds is looked up again and again.
  if (call.query['Part'] === 'live' && show === 'warned') return false;
  const start = Math.max(0, Math.trunc(Number(call.query['RecordStart'] ?? 0)) || 0);
  const { answer } = await call.call('importlog/search', {
    ImportFileID: String(id),
    ...filterOf[show],
    OrderBy: 'SourceLine,ImportLogID',
    RecordStart: String(start),
    DisplaySize: String(PAGE_ROWS),
  });
  const list = answer as ListAnswer;
  const labels = await loadLabels(call, [{ columns: [], rows: rowsOf(list).rows }]);
  const path = importPath(id);
  return html`<section id="rows" data-live aria-labelledby="rows-head"><h2 id="rows-head">What became of the rows</h2>
<nav class="paging" aria-label="Outcomes">${tabs.map(([name, text]) => html`<a id="show-${name}" href="${path}?Show=${name}#rows"${name === show && html` aria-current="true"`}>${text}</a> `)}${offersCorrections(call, row, failed) && html`<a id="corrections" href="/api/importfile/corrections?ID=${id}" download>Corrections file</a>`}</nav>
${offersCorrections(call, row, failed) && html`<p class="quiet">The corrections file holds the failed rows as they were sent, each with its reason. Mend them in it and <a id="send-again" href="/imports/new?Template=${String(row['ImportFileTemplateID'] ?? '')}">send it</a>; what was saved is not in it.</p>`}${!offersCorrections(call, row, failed) && hasCorrections(call, row, failed) && html`<p class="quiet">The corrections file holds the failed rows as they were sent. It is for the firm that sent them, and for users who may unmask numbers of people.</p>`}
${logTable(call, list, { show, start, path, labels })}</section>`;
}

/** What was sent stands in it in the clear, so it is offered to the firm that sent it and to who may see such numbers. */
function offersCorrections(call: PageCall, row: Row, failed: number): boolean {
  const isOwn = !call.user.universal && row['OrganizationID'] === call.user.organizationId;
  return hasCorrections(call, row, failed) && (isOwn || call.user.permissions.has('UnmaskSSN'));
}

function hasCorrections(call: PageCall, row: Row, failed: number): boolean {
  return failed > 0 && row['Status'] !== 'Validation Error' && call.may('importfile/corrections');
}

const emptyTexts: Readonly<Record<RowFilter, string>> = {
  failed: 'No row failed.',
  warned: 'No row has a warning.',
  all: 'There are no rows yet.',
};

function logTable(
  call: PageCall,
  list: ListAnswer,
  {
    show,
    start,
    path,
    labels,
  }: { readonly show: RowFilter; readonly start: number; readonly path: string; readonly labels: Labels },
): Markup {
  const { rows, count: total, isEstimate } = rowsOf(list);
  if (rows.length === 0) return html`<p class="quiet">${start > 0 ? 'There are no more.' : emptyTexts[show]}</p>`;
  const hasRecords = rows.some(({ ObjectID: of }) => typeof of === 'number');
  const to = (at: number): string => `${path}?Show=${show}${at > 0 ? `&RecordStart=${at}` : ''}#rows`;
  return html`<div class="scroll" role="region" tabindex="0" id="rows-table" aria-label="Rows"><table class="outcomes"><caption class="hidden">Rows and what became of them</caption>
<thead><tr><th scope="col" class="number">Line</th><th scope="col">Row</th><th scope="col">Outcome</th><th scope="col">Reason</th>${hasRecords && html`<th scope="col">Record</th>`}</tr></thead>
<tbody>${rows.map((row) => logRow(call, row, labels, hasRecords))}</tbody></table></div>
<nav class="paging" aria-label="Pages of rows"><span>${start + 1} to ${start + rows.length} of ${isEstimate && 'about '}${groupedCount(total)}</span>${start > 0 && html` <a id="rows-back" href="${to(Math.max(0, start - PAGE_ROWS))}" rel="prev">Earlier rows</a>`}${start + rows.length < total && html` <a id="rows-on" href="${to(start + PAGE_ROWS)}" rel="next">Later rows</a>`}</nav>`;
}

const statusClasses: ReadonlyMap<string, string> = new Map([
  ['Error', ' failed'],
  ['Warning', ' warning'],
]);

function logRow(call: PageCall, row: Row, labels: Labels, hasRecords: boolean): Markup {
  const {
    SourceLine: line,
    Operation: operation,
    Status: status,
    Object: object,
    ObjectID: id,
    ImportLogID: logId,
  } = row;
  const label = String(row['ImportLog'] ?? '') || `Row ${String(logId)}`;
  return html`<tr><td class="number">${typeof line === 'number' && line > 0 ? groupedCount(line) : html`<span class="quiet">–</span>`}</td><th scope="row">${recordLink(call, 'ImportLog', Number(logId), label)}</th><td><span class="status${statusClasses.get(String(status)) ?? ''}">${String(status ?? '')}</span> ${typeof operation === 'string' && !(operation === 'None' && status === 'Error') && html`<span class="quiet">${operation}</span>`}</td><td class="reason">${String(row['Message'] ?? '')}</td>${hasRecords && html`<td>${typeof object === 'string' && typeof id === 'number' && recordLink(call, object, id, labels.get(object)?.get(id))}</td>`}</tr>\n`;
}
