import type { Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { groupDigits } from '../display-values.ts';

/** Statuses in which something happens by itself, so that the page looks again. */
const activeStatuses = new Set(['Queued', 'Importing']);
const failed = new Set(['Error', 'Validation Error', 'Canceled']);

/** Whether an import waits for its turn or runs. */
export function isActive(row: Row): boolean {
  return activeStatuses.has(String(row['Status'] ?? ''));
}

/** How a file is called: the name of its submission, or its number. */
export function fileName(row: Row): string {
  return String(row['ImportFile'] ?? '') || `Import ${String(row['ImportFileID'])}`;
}

/** The address of an import's page. */
export function importPath(id: number | string): string {
  return `/imports/${id}`;
}

/** A count with its digits grouped; what is not known is 0. */
export function groupedCount(value: unknown): string {
  return groupDigits(String(value ?? 0));
}

/** A number with its noun. */
export function countWithNoun(value: number, one: string, many = `${one}s`): string {
  return `${groupedCount(value)} ${value === 1 ? one : many}`;
}

/** Where a file stands, in words; the border only repeats them. The page's script announces when they change. */
export function statusMark(row: Row): Markup {
  const status = String(row['Status'] ?? 'New');
  const kind = failed.has(status) ? ' failed' : status === 'Stopped' ? ' warning' : '';
  return html`<span class="status${kind}" id="status-${String(row['ImportFileID'])}" data-told="${fileName(row)}"${isActive(row) && html` data-running`}>${status}</span>`;
}

/** A length of time as people say it. */
function duration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  if (seconds < 90) return countWithNoun(Math.round(seconds), 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return countWithNoun(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0
    ? countWithNoun(hours, 'hour')
    : `${countWithNoun(hours, 'hour')} ${countWithNoun(minutes % 60, 'minute')}`;
}

/** How long a run took, or has taken so far; undefined where it has not begun. */
export function elapsedText(call: PageCall, row: Row): string | undefined {
  const { ImportStart: start, ImportComplete: end } = row;
  if (typeof start !== 'string') return undefined;
  if (typeof end === 'string') return duration((Date.parse(end) - Date.parse(start)) / 1_000);
  return row['Status'] === 'Importing'
    ? `${duration((call.platform.clock.milliseconds() - Date.parse(start)) / 1_000)} so far`
    : undefined;
}

/** How far a run is: a bar, and the same in words. Without a known total the bar says only that something happens. */
export function progressBar(row: Row, progress: Row): Markup {
  const { PercentDone: percent, RowsDone: done, RowsTotal: total } = progress;
  const known =
    typeof percent === 'number' || typeof percent === 'string'
      ? Math.min(100, Math.max(0, Number(percent)))
      : undefined;
  const rows = `${groupedCount(done)}${total === null || total === undefined ? '' : ` of ${groupedCount(total)}`} rows`;
  return html`<progress max="100"${known !== undefined && html` value="${known}"`} aria-label="Progress of ${fileName(row)}">${known === undefined ? '' : `${known} %`}</progress> <span class="rows">${rows}${known !== undefined && `, ${known} %`}</span>`;
}

/** What remains of a run, in words; undefined where nobody can say. */
export function remainingText(progress: Row): string | undefined {
  const seconds = progress['RemainingSeconds'];
  return seconds === null || seconds === undefined ? undefined : `about ${duration(Math.max(1, Number(seconds)))}`;
}
