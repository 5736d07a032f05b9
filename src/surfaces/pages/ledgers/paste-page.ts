import { createHash, randomUUID } from 'node:crypto';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { refuseCardNumbers } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { clipboardText, parseClipboard } from '../../../lib/decision-tables/clipboard.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { textAreaField } from '../design/field.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { readEqualLines, withoutEqualRows, type EqualLines } from './equal-lines.ts';
import { ledgerPath } from './ledger-state.ts';
import { readManualLines } from './ledger-view.ts';
import { ledgerTitle } from './payment-form.ts';
import { LEAVE_OUT, pastePreview } from './paste-preview.ts';
import { columnUses, LINES_MAX, readPaste, type ColumnUse, type LineKind, type Paste } from './pasted-lines.ts';

/** Longest text that is pasted, in characters. */
const CHARACTERS_MAX = 1_000_000;

/** Shows the form into which lines of a spreadsheet are pasted. */
export const pastePage = page((call) => pasteAnswer(call));

/** Previews pasted lines, and adds them once they were previewed and nothing is wrong with them. */
export const addPastedLines = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  try {
    if (plainText(call.form['Action']) !== 'add') return await pasteAnswer(call);
    const { row, kinds } = await readTarget(call);
    const sent = sentPaste(call);
    const paste = readSent(call, sent, { row, kinds });
    if (!isAddable(paste) || digestOf(sent) !== plainText(call.form['Previewed'])) return await pasteAnswer(call);
    const batch = await call.callOnce(plainText(call.form['Key']), 'ledger/addlines', {
      ID: id,
      Name: `Pasted into ${(row.Ledger ?? '').trim() || `ledger ${id}`}`.slice(0, 255),
      Items: paste.lines.map(itemOf),
    });
    return {
      redirectTo: `${ledgerPath(id)}?done=paste&count=${paste.lines.length}&batch=${batch.id}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return pasteAnswer(call, error.masked());
  }
});

/** The ledger that lines are pasted into. */
interface Target {
  readonly row: RowNamed<'Ledger'>;
  readonly kinds: readonly LineKind[];
}

async function readTarget(call: PageCall): Promise<Target> {
  if (!call.may('ledger/addlines'))
    throw new PlatformError('NO_PERMISSION', { message: "You don't have permission to add several lines at once." });
  const { row } = (await call.call('ledger/select', { ID: recordIdFromPath(call) })).answer;
  const lines = await readManualLines(call, row);
  return {
    row,
    kinds: lines.map((line) => ({
      id: line.LedgerTemplateItemID,
      name: line.LedgerTemplateItem ?? '',
      isDebit: line.IsDebit === true,
      isTotaled: line.IsTotaled === true,
      sequence: line.Sequence,
      amount: line.AmountMoney,
    })),
  };
}

/** What the form sent: the cells, with the corrections of single ones, and what the columns are used for. */
interface SentPaste {
  readonly text: string;
  readonly uses: readonly ColumnUse[];
}

function sentPaste({ form }: PageCall): SentPaste {
  const text = plainText(form['Cells']);
  if (text.length > CHARACTERS_MAX)
    throw new PlatformError('TOO_LARGE', { field: 'Cells', message: 'The text is too long. Paste fewer rows.' });
  const uses = plainTexts(form['Column']).map((use) => (Object.hasOwn(columnUses, use) ? (use as ColumnUse) : ''));
  return { text: corrected(text, form), uses };
}

/** Returns the text with the cells that were corrected in the preview: `Cell_3_1` is of the fourth row. */
function corrected(text: string, form: PageCall['form']): string {
  const cells = Object.keys(form).flatMap((name) => {
    const [, row, column] = /^Cell_(\d{1,5})_(\d{1,3})$/.exec(name) ?? [];
    return row === undefined ? [] : [{ row: Number(row), column: Number(column), value: plainText(form[name]) }];
  });
  if (cells.length === 0) return text;
  const rows = parseClipboard(text);
  let isChanged = false;
  for (const { row, column, value } of cells) {
    const of = rows[row];
    if (of === undefined || (of[column] ?? '') === value) continue;
    while (of.length < column) of.push('');
    of[column] = value;
    isChanged = true;
  }
  return isChanged ? clipboardText(rows) : text;
}

function readSent(call: PageCall, { text, uses }: SentPaste, { row, kinds }: Target): Paste {
  const refusesCardNumbers = call.platform.settings.get(refuseCardNumbers);
  return readPaste(text, uses, { kinds, currency: row.Currency ?? '', refusesCardNumbers });
}

/** Returns what identifies pasted cells and the use of their columns. */
function digestOf({ text, uses }: SentPaste): string {
  const lines = text.replaceAll('\r\n', '\n');
  return createHash('sha256')
    .update(JSON.stringify([lines, uses]))
    .digest('base64url');
}

function isAddable({ lines, problem }: Paste): boolean {
  return problem === undefined && lines.every(({ errors }) => errors.size === 0);
}

/** Returns a line as the API takes it. A line by hand counts in the total; one of the template as its line says. */
function itemOf({ line }: Paste['lines'][number]): Readonly<Record<string, string | number | boolean>> {
  const { kind, ...values } = line;
  return {
    ...values,
    ...(kind
      ? { LedgerTemplateItemID: kind.id, ...(kind.sequence !== null && { Sequence: kind.sequence }) }
      : { IsTotaled: true }),
  };
}

async function pasteAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const target = await readTarget(call);
  const { row } = target;
  const { sent, paste, equal } = await readPreviewed(
    call,
    refused?.field === 'Cells' ? { text: '', uses: [] } : sentPaste(call),
    target,
  );
  const name = (row.Ledger ?? '').trim() || `Ledger ${id}`;
  const isSent = call.form['Action'] !== undefined;
  return {
    title: `Paste lines into ${name}`,
    place: 'cases',
    crumbs: [{ text: html`<bdi>${name}</bdi>`, href: ledgerPath(id) }, { text: 'Paste lines' }],
    entries: ['ledger'],
    status: refused?.status ?? 200,
    body: html`<div class="page paste-page"><header class="page-head"><div><h1>Paste lines</h1>
<p class="soft">${await ledgerTitle(call, row)}</p></div></header>
${refused && banner({ tone: 'danger', role: 'alert', text: refusalText(refused, paste) })}
${paste?.problem !== undefined && banner({ tone: 'danger', role: 'alert', text: paste.problem })}
<form class="stack" method="post" action="${ledgerPath(id)}/paste" data-inline id="paste-form">
${csrfField(call)}${hiddenField('Key', plainText(call.form['Key']) || randomUUID())}
${paste && hiddenField('Previewed', digestOf({ text: sent.text, uses: paste.uses }))}
${paste && equal && pastePreview({ paste, row, kinds: target.kinds, equal })}
${textPart(sent.text, paste, isSent)}
<div class="row wrap">${buttons(paste)}${buttonLink({ text: 'Cancel', kind: 'quiet', href: ledgerPath(id) })}</div>
</form></div>`,
  };
}

/** What is previewed: what was sent, perhaps without the rows that equal lines of the ledger. */
interface Previewed {
  readonly sent: SentPaste;
  /** Both are undefined if nothing was pasted. */
  readonly paste: Paste | undefined;
  readonly equal: EqualLines | undefined;
}

async function readPreviewed(call: PageCall, sent: SentPaste, target: Target): Promise<Previewed> {
  if (sent.text.trim() === '') return { sent, paste: undefined, equal: undefined };
  const paste = readSent(call, sent, target);
  const equal = await readEqualLines(call, target.row.LedgerID, paste);
  if (plainText(call.form['Action']) !== LEAVE_OUT || equal.lineIds.size === 0) return { sent, paste, equal };
  const rest = { text: withoutEqualRows(paste, equal), uses: paste.uses };
  return {
    sent: rest,
    paste: readSent(call, rest, target),
    equal: { ...equal, lineIds: new Map() },
  };
}

/** Returns why the lines were refused; an error of one line names its row. */
function refusalText({ field = '', message }: PlatformError, paste: Paste | undefined): string {
  const [prefix, position] = /^Items_(\d+)/.exec(field) ?? [];
  const line = position === undefined ? undefined : paste?.lines[Number(position)];
  if (prefix === undefined || line === undefined) return message;
  return `Row ${line.at + 1}: ${message.replace(/^Items_\d+(?:_\w+)?: /, '')} Nothing was added.`;
}

/** Renders the pasted text. Once it was read, it is closed: single cells are corrected in the preview. */
function textPart(text: string, paste: Paste | undefined, isSent: boolean): Markup {
  const field = textAreaField({
    label: 'Cells of a spreadsheet',
    name: 'Cells',
    value: text,
    rows: 10,
    isRequired: true,
    error: isSent && paste === undefined ? 'Paste at least one row.' : undefined,
    hint: html`Copy rows and paste them here, with their column names if you have them: Line, Amount (or Debit and
 Credit), Date, Note and Kind. Kind is Debit, Credit or a line of the template. A negative amount, such as (12.00), is a
 credit. At most ${LINES_MAX.toLocaleString('en-US')} rows.`,
    attributes: html`spellcheck="false" autocomplete="off" data-paste-cells${paste === undefined && html` autofocus`}`,
  });
  if (paste === undefined) return field;
  return html`<details class="paste-text"${paste.problem !== undefined && html` open`}>
<summary>Show the pasted text</summary>${field}</details>`;
}

function buttons(paste: Paste | undefined): Markup {
  if (paste === undefined) return button({ text: 'Preview', kind: 'primary', name: 'Action', value: 'preview' });
  const again = button({
    text: 'Preview again',
    ...(!isAddable(paste) && { kind: 'primary' }),
    name: 'Action',
    value: 'preview',
  });
  if (!isAddable(paste)) return again;
  const text = `Add ${plural(paste.lines.length, 'line')}`;
  return html`${button({
    text,
    kind: 'primary',
    name: 'Action',
    value: 'add',
    attributes: html`data-edit-first`,
  })}${again}`;
}
