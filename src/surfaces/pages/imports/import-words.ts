import { html, type HtmlValue } from '../../../kernel/render/markup.ts';
import { badge, type Tone } from '../design/badge.ts';
import type { IconName } from '../design/icons.ts';
import type { Markup } from '../../../kernel/render/markup.ts';
import {
  countWithNoun,
  fileName,
  groupedCount,
  remainingText,
  type ImportProgress,
  type ImportRow,
} from './import-display.ts';

const tones: ReadonlyMap<string, readonly [Tone, IconName]> = new Map([
  ['New', ['neutral', 'hold']],
  ['Queued', ['neutral', 'queue']],
  ['Importing', ['accent', 'refresh']],
  ['Stopped', ['warn', 'hold']],
  ['Error', ['danger', 'error']],
  ['Validation Error', ['danger', 'error']],
  ['Canceled', ['neutral', 'close']],
]);

/** Renders an import's status. The page's script announces its changes. */
export function statusMark(row: ImportRow): Markup {
  const status = row.Status ?? 'New';
  const [tone, icon] = tones.get(status) ?? (['ok', 'check'] as const);
  const hasFailures = tone === 'ok' && (row.ErrorCount ?? 0) > 0;
  const id = html`id="status-${row.ImportFileID}" data-announce="${fileName(row)}"`;
  return html`<span ${id}>${badge(status, hasFailures ? 'warn' : tone, hasFailures ? 'warning' : icon)}</span>`;
}

/** Whether an import is a batch of ledger lines that one call added: it has no file and no log. */
export function isLineBatch({ ImportFileType: type }: Pick<ImportRow, 'ImportFileType'>): boolean {
  return type === 'Ledger/AddLines';
}

/** Says what a batch of ledger lines is. */
export function lineBatchSentence({ ImportFileID: id, Status: status }: ImportRow): HtmlValue {
  if (status === 'Canceled') return 'Lines that were added to a ledger together, and deleted again.';
  return html`Lines that were added to a ledger together.
<a class="link" href="/records/ledgeritem?ImportFileID=${id}">Show the lines</a>`;
}

/** Says the state of an import in one or two sentences: what was imported, what waits for somebody, what is safe. */
export function stateSentence(row: ImportRow, progress?: ImportProgress): HtmlValue {
  const saved = row.SuccessCount ?? 0;
  const failed = row.ErrorCount ?? 0;
  switch (row.Status ?? 'New') {
    case 'New':
      return 'Received. It has not been started.';
    case 'Queued':
      return 'Waits for a worker. Nothing has been imported yet.';
    case 'Importing':
      return runningSentence(progress);
    case 'Stopped':
      return `Stopped by a user. ${staysImported(saved)}; it can continue from there.`;
    case 'Validation Error':
      if (row.ResentDate !== null) return 'Nothing was imported: the document was refused, corrected and sent again.';
      return 'Nothing was imported: the file was refused as a whole. Correct it and send it again.';
    case 'Canceled':
      return `Canceled. ${staysImported(saved)}.`;
    case 'Error':
      return saved > 0
        ? `The run ended early. ${staysImported(saved)}, and none was saved twice.`
        : 'The run failed. Nothing was imported.';
    default:
      return failed > 0 ? waitingSentence(saved, failed) : completeSentence(saved, row.Warnings ?? 0);
  }
}

function staysImported(saved: number): string {
  return `${countWithNoun(saved, 'row')} ${saved === 1 ? 'stays' : 'stay'} imported`;
}

function runningSentence(progress: ImportProgress | undefined): string {
  const done = groupedCount(progress?.RowsDone ?? 0);
  const total = progress?.RowsTotal ?? null;
  const left = progress && remainingText(progress);
  return `Importing: ${done}${total === null ? '' : ` of ${groupedCount(total)}`} rows${
    left === undefined ? '' : `, ${left} left`
  }.`;
}

function waitingSentence(saved: number, failed: number): string {
  const total = groupedCount(saved + failed);
  const imported = saved === 1 ? 'was' : 'were';
  const waits = failed === 1 ? '1 row waits' : `${groupedCount(failed)} rows wait`;
  return `${groupedCount(saved)} of ${total} rows ${imported} imported. ${waits} for you. Nothing was saved twice.`;
}

function completeSentence(saved: number, warnings: number): string {
  const all = saved === 0 ? 'Nothing had to be changed' : `All ${countWithNoun(saved, 'row')} were imported`;
  const imported = saved === 1 ? '1 row was imported' : all;
  return warnings === 0 ? `${imported}.` : `${imported}, ${groupedCount(warnings)} with a warning.`;
}
