import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { table } from '../design/table.ts';
import { noValue, recordLink } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { shortTimeMark } from '../due-words.ts';
import { countWithNoun, importPath, liveImport, type ImportRow } from './import-display.ts';
import { statusMark } from './import-words.ts';
import type { FailedRows } from './row-form.ts';

/** Parts whose results are compared. */
const COMPARED_MAX = 100;

type Correction = RowNamed<'ImportCorrection'>;

/** Renders what is wrong with a document that was refused as a whole, with the way to correct it; false for others. */
export async function refusedSection(call: PageCall, file: ImportRow): Promise<Markup | false> {
  const isOpen = file.Status === 'Validation Error' && file.ResentDate === null && file.PreTransformID !== null;
  if (!isOpen || !call.may('importfile/failedrows')) return false;
  const { answer } = await call.call('importfile/failedrows', { ID: file.ImportFileID, DisplaySize: COMPARED_MAX });
  const { root } = answer;
  if (!root.attributes.CanCorrect) return false;
  const reasons = root.children.flatMap(({ attributes: { SourceLine: line }, children }) =>
    children.flatMap((node) => (node.name === 'Reason' ? [{ line, text: node.value }] : [])),
  );
  return html`<section class="causes" aria-label="What is wrong with the document"><div class="cause main-cause">
${icon('error')}<div><p class="strong">${countWithNoun(root.children.length, 'item')} cannot be imported as sent.</p>
<ul class="plain">${reasons.slice(0, 5).map(({ line, text }) => html`<li>Item ${line}: ${text}</li>`)}</ul>
${reasons.length > 5 && html`<p class="soft">${countWithNoun(reasons.length - 5, 'other reason')}.</p>`}
<p>${buttonLink({
    text: `Correct ${countWithNoun(root.children.length, 'item')} and send again`,
    href: `${importPath(file.ImportFileID)}/correct`,
    kind: 'primary',
  })}</p></div></div></section>`;
}

/** Renders the imports as which failed parts of this one were sent again, newest first; false if there are none. */
export async function sentAgainSection(call: PageCall, file: ImportRow): Promise<Markup | false> {
  if (file.ImportComplete === null) return false;
  const { answer } = await call.call('importfile/search', {
    CorrectsID: file.ImportFileID,
    OrderBy: '-ImportFileID',
    DisplaySize: COMPARED_MAX,
    RecordCount: 'false',
  });
  if (answer.rows.length === 0) return false;
  return card({
    id: 'sent-again',
    title: 'Sent again',
    attributes: html` data-live="importfile" data-live-mode="quiet"`,
    body: html`<ul class="needs-you">${answer.rows.map(
      (row) => html`<li><a class="strong" href="${importPath(row.ImportFileID)}">Import ${row.ImportFileID}</a>
<span class="muted small">${shortTimeMark(call, row.CreatedDate)}</span><p>${statusMark(row)}</p></li>\n`,
    )}</ul>`,
  });
}

/**
 * Renders the results of an import that corrects another one beside those of the other: each part, what was wrong, what
 * was changed, and the result now.
 */
export async function comparedSection(call: PageCall, file: ImportRow): Promise<Markup | false> {
  const { CorrectsID: before, ImportFileID: id } = file;
  if (before === null || !call.may('importcorrection/search') || !call.may('importlog/search')) return false;
  const { answer } = await call.call('importcorrection/search', {
    SentImportFileID: id,
    OrderBy: 'SourceLine',
    DisplaySize: COMPARED_MAX,
  });
  // The parts of the new document are numbered in the order of the old one.
  const { answer: results } = await call.call('importlog/search', {
    ImportFileID: id,
    SourceLine: `<=${answer.rows.length}`,
    OrderBy: 'SourceLine,ImportLogID',
    DisplaySize: COMPARED_MAX * 5,
    RecordCount: 'false',
  });
  const rows = answer.rows.map((row, n) =>
    comparedRow(call, row, { results: results.rows.filter(({ SourceLine: line }) => line === n + 1), file }),
  );
  return html`${banner({
    tone: 'info',
    text: html`This corrects <a class="link" href="${importPath(before)}">import ${before}</a>.`,
  })}${
    rows.length > 0 &&
    card({
      id: 'compared',
      title: 'Before and after',
      attributes: liveImport(id),
      body: table({
        label: 'What was wrong, what was changed, and the result',
        heads: [{ text: 'Then', isNumber: true }, 'Why it failed', 'Changed', 'Now'],
        rows,
      }),
    })
  }`;
}

function comparedRow(
  call: PageCall,
  { SourceLine: line, Reason: reason, SourceColumns: columns }: Correction,
  { results, file }: { readonly results: readonly RowNamed<'ImportLog'>[]; readonly file: ImportRow },
): Markup {
  return html`<tr><th scope="row" class="number">${line}</th><td class="reason">${reason}</td>
<td>${columns}</td><td class="reason">${nowOf(call, results, file)}</td></tr>\n`;
}

function nowOf(call: PageCall, results: readonly RowNamed<'ImportLog'>[], file: ImportRow): Markup {
  if (results.length === 0) return file.ImportComplete === null ? badge('Waiting', 'neutral', 'queue') : noValue;
  const failed = results.filter(({ Status: status }) => status === 'Error');
  const saved = results.find(({ Status: status, ObjectID: id }) => status !== 'Error' && id !== null);
  const link =
    saved &&
    saved.Object !== null &&
    saved.ObjectID !== null &&
    recordLink(call, saved.Object, saved.ObjectID, undefined);
  return failed.length > 0
    ? html`${badge('Failed', 'danger', 'error')} ${failed.map(({ Message: message }) => message).join(' ')}`
    : html`${badge('Imported', 'ok', 'check')} ${link}`;
}

/** Returns the imports as which lines of an import were sent again, by line. */
export async function sentLines(
  call: PageCall,
  id: number,
  lines: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (lines.length === 0 || !call.may('importcorrection/search')) return new Map();
  const { answer } = await call.call('importcorrection/search', {
    ImportFileID: id,
    SourceLine: `>=${Math.min(...lines)}`,
    SentImportFileID: 'not null',
    OrderBy: 'SourceLine',
    DisplaySize: COMPARED_MAX,
    RecordCount: 'false',
  });
  return new Map(
    answer.rows.flatMap(({ SourceLine: line, SentImportFileID: sent }) =>
      line !== null && sent !== null ? [[line, sent] as const] : [],
    ),
  );
}

/** Whether single failed parts become imports of their own. */
export function sendsAgain({ attributes }: FailedRows): boolean {
  return attributes.SendsAgain !== 'No';
}
