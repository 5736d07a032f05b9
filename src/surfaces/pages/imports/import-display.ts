import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { groupDigits } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';

/** The row of an import. */
export type ImportRow = RowNamed<'ImportFile'>;

/** How far an import is. */
export type ImportProgress = AnswerRowFor<'importfile/progress'>;

/** Statuses that change without user action, so that the page polls for them. */
const activeStatuses = new Set(['Queued', 'Importing']);

/** Whether an import is queued or running. */
export function isActive(row: ImportRow): boolean {
  return activeStatuses.has(row.Status ?? '');
}

/** Returns an import's name, or its number where it has none. */
export function fileName({ ImportFile: name, ImportFileID: id }: ImportRow): string {
  return (name ?? '') || `Import ${id}`;
}

/**
 * Returns an import type's name for people: `LegacyEvents`, as programs and sFTP accounts name it, is "Legacy events".
 * Initialisms stay: `POCUpdate` is "POC update". Names of several words are returned as they are.
 */
export function typeTitle(name: string): string {
  return /^[A-Z][A-Za-z]*$/.test(name) ? sentenceOf(name) : name;
}

/** Returns why a row failed for people: a declared name at its beginning becomes words, as "Event actual date: …". */
export function reasonText(message: string): string {
  return message.replace(/^[A-Z][A-Za-z]*(?=: )/, sentenceOf);
}

function sentenceOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return words.replace(/ [A-Z](?=[a-z])/g, (start) => start.toLowerCase());
}

/** Returns the address of an import's page. */
export function importPath(id: number | string): string {
  return `/imports/${id}`;
}

/** Returns a count with its digits grouped; 0 where it is not known. */
export function groupedCount(value: number | null): string {
  return groupDigits(String(value ?? 0));
}

/** Returns a count with its noun. */
export function countWithNoun(value: number, one: string, many = `${one}s`): string {
  return `${groupedCount(value)} ${value === 1 ? one : many}`;
}

/** Returns a length of time in words, in one or two units. */
function duration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  if (seconds < 90) return countWithNoun(Math.round(seconds), 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return countWithNoun(minutes, 'minute');
  const hours = countWithNoun(Math.floor(minutes / 60), 'hour');
  return minutes % 60 === 0 ? hours : `${hours} ${countWithNoun(minutes % 60, 'minute')}`;
}

/** Returns how long a run took, or has taken so far; undefined where it has not started. */
export function elapsedText(call: PageCall, row: ImportRow): string | undefined {
  const { ImportStart: start, ImportComplete: end } = row;
  if (start === null) return undefined;
  if (end !== null) return duration((Date.parse(end) - Date.parse(start)) / 1_000);
  return row.Status === 'Importing'
    ? `${duration((call.platform.clock.milliseconds() - Date.parse(start)) / 1_000)} so far`
    : undefined;
}

/** Renders a run's progress as a bar and in words. Without a known total the bar only shows activity. */
export function progressBar(row: ImportRow, progress: ImportProgress): Markup {
  const { PercentDone: percent, RowsDone: done, RowsTotal: total } = progress;
  const known = percent === null ? undefined : Math.min(100, Math.max(0, Number(percent)));
  const rows = `${groupedCount(done)}${total === null ? '' : ` of ${groupedCount(total)}`} rows`;
  const value = known !== undefined && html` value="${known}"`;
  return html`<span class="run-bar"><progress max="100"${value} aria-label="Progress of ${fileName(
    row,
  )}"></progress><span class="rows">${rows}${known !== undefined && `, ${known} %`}</span></span>`;
}

/** Returns the attributes of an element that changes while an import runs. */
export function liveImport(id: number): Markup {
  return html` data-live="importfile/${id}" data-live-mode="quiet"`;
}

/** Returns how long a run will still take, in words; undefined where that cannot be estimated. */
export function remainingText(progress: ImportProgress): string | undefined {
  const { RemainingSeconds: seconds } = progress;
  return seconds === null ? undefined : `about ${duration(Math.max(1, seconds))}`;
}
