import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { checkbox, textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { FailedRows } from './row-form.ts';
import { sendsAgain } from './sent-again.ts';
import { countWithNoun, groupedCount, importPath, reasonText, type ImportRow } from './import-display.ts';

type Cause = AnswerRowFor<'importfile/failures'>;

/** Causes that are shown; the rows below have the others. */
const CAUSES_SHOWN = 4;
/** Rows of a cause that are looked at for a value that all of them share. */
const ROWS_COMPARED = 100;

/**
 * Renders why rows failed, the most frequent reason first, each with one correction for all of its rows. The first has
 * the page's primary button.
 */
export async function causesSection(call: PageCall, file: ImportRow): Promise<Markup | false> {
  const isOver = file.ImportComplete !== null && hasFailures(file) && file.Status !== 'Validation Error';
  if (!isOver || !call.may('importfile/failures')) return false;
  const id = file.ImportFileID;
  const { answer } = await call.call('importfile/failures', { ID: id });
  const causes = answer.rows.filter(({ FirstLine: line }) => line > 0);
  if (causes.length === 0) return false;
  const shown = await Promise.all(
    causes
      .slice(0, CAUSES_SHOWN)
      .map(async (cause, at) => causeBox(call, file, { cause, at, rows: await rowsOf(call, id, cause) })),
  );
  const more = causes.length - shown.length;
  return html`<section class="causes" aria-label="What stopped the rows">${shown}
${more > 0 && html`<p class="muted">${countWithNoun(more, 'other reason')}: see the rows below.</p>`}</section>`;
}

function hasFailures({ ErrorCount: failed }: ImportRow): boolean {
  return failed !== null && failed > 0;
}

async function rowsOf(call: PageCall, id: number, { Message: message }: Cause): Promise<FailedRows | undefined> {
  if (!call.may('importfile/failedrows')) return undefined;
  const { answer } = await call.call('importfile/failedrows', {
    ID: id,
    Message: message,
    DisplaySize: ROWS_COMPARED,
  });
  return answer.root;
}

/** A cause with the first of its rows. */
interface ShownCause {
  readonly cause: Cause;
  readonly at: number;
  readonly rows: FailedRows | undefined;
}

function causeBox(call: PageCall, file: ImportRow, { cause, at, rows }: ShownCause): Markup {
  const { Message: message, Count: count, FirstLine: line } = cause;
  const column = cause.SourceColumn ?? sharedColumn(rows);
  const value = rows && sharedValue(rows, column, count);
  const fix =
    rows?.attributes.CanCorrect === true &&
    column !== null &&
    causeForm(call, file, { cause, column, value, at, isSent: sendsAgain(rows) });
  return html`<div class="cause${at === 0 && ' main-cause'}">${icon('error')}
<div><p class="strong">${reasonText(message)}</p>
<p class="soft">${whoHasIt(count, line, column, value)}</p>
${fix}</div></div>`;
}

function whoHasIt(count: number, line: number | null, column: string | null, value: string | undefined): HtmlValue {
  const where = count === 1 ? `Line ${line ?? 0}` : `${groupedCount(count)} rows, the first in line ${line ?? 0}`;
  if (column === null) return `${where}. Open a row to correct it.`;
  if (value === undefined) return html`${where}. The column is <bdi>${column}</bdi>.`;
  const shown = value === '' ? 'nothing' : `“${value}”`;
  const all = count === 1 ? ' has' : ': all have';
  return html`${where}${all} <bdi class="wrong-cell">${shown}</bdi> in <bdi>${column}</bdi>.`;
}

/** Returns the column that is wrong in all rows of a cause, as far as their values show. */
function sharedColumn(rows: FailedRows | undefined): string | null {
  const columns = new Set(rows?.children.map(({ attributes }) => attributes.SourceColumn));
  const [only] = columns;
  return columns.size === 1 ? (only ?? null) : null;
}

/** Returns the value that all rows of a cause have in the wrong column; undefined if they differ or some are unread. */
function sharedValue(rows: FailedRows, column: string | null, count: number): string | undefined {
  if (column === null || rows.children.length < count) return undefined;
  const wrong = column.toLowerCase();
  const values = new Set(
    rows.children.map(
      ({ children }) =>
        children.find((node) => node.name === 'Value' && node.attributes.Source.trim().toLowerCase() === wrong)?.value,
    ),
  );
  const [only] = values;
  return values.size === 1 ? only : undefined;
}

interface CauseForm {
  readonly cause: Cause;
  readonly column: string;
  readonly value: string | undefined;
  readonly at: number;
  /** Whether the rows are sent again as an import of their own. */
  readonly isSent: boolean;
}

function causeForm(call: PageCall, file: ImportRow, { cause, column, value, at, isSent }: CauseForm): Markup {
  const rows = countWithNoun(cause.Count, 'row');
  const canRemember =
    !isSent && value !== undefined && value !== '' && !/[=\r\n]|X{3,5}/.test(value) && call.may('importfilemap/save');
  return html`<form method="post" action="${importPath(file.ImportFileID)}">
${csrfField(call)}${hiddenField('Message', cause.Message)}${hiddenField('Column', column)}
${canRemember && hiddenField('From', value)}
${textField({
  label: html`${column} should be`,
  name: 'Value',
  id: `value-${at}`,
  attributes: html`autocomplete="off"`,
})}
${canRemember && checkbox({ label: html`In later files too`, name: 'Remember', attributes: html`id="remember-${at}"` })}
${button({
  text: isSent ? `Correct and send ${cause.Count} again` : `Correct and run ${rows}`,
  kind: at === 0 ? 'primary' : 'plain',
  name: 'Action',
  value: 'correct',
})}
</form>`;
}

/** Corrects all rows of a cause. Returns the page that says what came of it. */
export async function correctAll(call: PageCall, id: number): Promise<string> {
  const [message, column, value, from] = ['Message', 'Column', 'Value', 'From'].map((name) =>
    plainText(call.form[name]),
  ) as [string, string, string, string];
  const { answer } = await call.call('importfile/correct', {
    ID: id,
    Message: message,
    Changes: new URLSearchParams({ [column]: value }).toString(),
    ...(from === '' ? {} : { From: from }),
    Remember: call.form['Remember'] === 'true' ? 'true' : 'false',
  });
  const { Corrected: corrected, Failed: failed, Queued: queued, SentImportFileID: sent } = answer.row;
  if (sent !== null) return `${importPath(sent)}?done=again`;
  if (corrected === 0 && failed > 0)
    throw new PlatformError('STATE_REFUSES', {
      message:
        `${countWithNoun(failed, 'row')} failed again with “${value}”. Nothing was imported; ` +
        'the reasons are below.',
    });
  return `${importPath(id)}?done=${queued > 0 ? 'queued' : 'corrected'}`;
}
