/** The preview of pasted lines: what each column is used for, each row as a line, and errors beside their cells. */
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { selectField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { table, type TableHead } from '../design/table.ts';
import { displayDate } from '../display-values.ts';
import { plural } from '../due-words.ts';
import { COMPARED_MAX, type EqualLines } from './equal-lines.ts';
import { amountText, differenceOf, sumOf } from './money.ts';
import {
  columnUses,
  type CellError,
  type ColumnUse,
  type LineKind,
  type Paste,
  type PastedLine,
} from './pasted-lines.ts';

/** What the preview is rendered from. */
interface PreviewParts {
  readonly paste: Paste;
  readonly row: RowNamed<'Ledger'>;
  readonly kinds: readonly LineKind[];
  readonly equal: EqualLines;
}

/** The value of the button that leaves out the rows that equal lines of the ledger. */
export const LEAVE_OUT = 'leave-out';

/** Most wrong cells that can be corrected in the preview. */
const FIELDS_MAX = 200;

/** Renders the preview of pasted lines. */
export function pastePreview({ paste, row, kinds, equal }: PreviewParts): Markup {
  const { lines, uses } = paste;
  const wrong = lines.filter(({ errors }) => errors.size > 0).length;
  const columns = columnsOf(uses, kinds);
  const { lineIds } = equal;
  return html`<section class="stack" aria-labelledby="preview-title" id="paste-preview">
<h2 id="preview-title">Preview</h2>
${columnFields(paste)}
<p role="status">${wrong > 0 ? wrongWords(lines, wrong) : sumWords(lines, row)}</p>
${equalWarning(lines.length, equal)}
${
  lines.length > 0 &&
  table({
    label: 'Lines to add',
    className: 'paste-lines',
    heads: [
      { text: 'Row', isNumber: true },
      ...columns.map(({ head }) => head),
      ...(lineIds.size > 0 ? ['Check'] : []),
    ],
    rows: previewRows(lines, columns, lineIds),
  })
}</section>`;
}

/** Warns of rows that equal lines of the ledger. */
function equalWarning(count: number, { lineIds, isPartial }: EqualLines): Markup | false {
  const limit = `Only the first ${COMPARED_MAX.toLocaleString('en-US')} lines of the ledger were compared.`;
  if (lineIds.size === 0) return isPartial && html`<p class="small soft">${limit}</p>`;
  const verb = lineIds.size === 1 ? 'is' : 'are';
  const rows = `${plural(lineIds.size, 'row')} ${verb} already in the ledger, with the same name, amount and date.`;
  return banner({
    tone: 'warn',
    role: 'status',
    text: `${rows} Make sure that nothing is added twice.`,
    more: isPartial && html`<p class="small">${limit}</p>`,
    actions:
      lineIds.size < count &&
      button({ text: `Leave out ${plural(lineIds.size, 'row')}`, name: 'Action', value: LEAVE_OUT }),
  });
}

const inLedger = badge('In the ledger', 'warn', 'warning');

function previewRows(
  lines: readonly PastedLine[],
  columns: readonly PreviewColumn[],
  lineIds: EqualLines['lineIds'],
): readonly Markup[] {
  let fields = 0;
  return lines.map((line) => {
    const isEditable = line.errors.size > 0 && fields < FIELDS_MAX;
    fields += line.errors.size;
    return html`<tr${line.errors.size > 0 && html` class="wrong"`}>
<td class="number muted" data-label="Row">${line.at + 1}</td>${columns.map((column) =>
      previewCell(line, column, isEditable),
    )}${lineIds.size > 0 && html`<td data-label="Check">${lineIds.has(line.at) && inLedger}</td>`}</tr>\n`;
  });
}

/** A column of the preview; the errors of all its uses are shown in it. */
interface PreviewColumn {
  readonly head: TableHead;
  readonly uses: readonly ColumnUse[];
  readonly cell: (line: PastedLine['line']) => Markup | string | false;
}

function columnsOf(uses: readonly ColumnUse[], kinds: readonly LineKind[]): readonly PreviewColumn[] {
  const has = (use: ColumnUse): boolean => uses.includes(use);
  const amountUses: readonly ColumnUse[] = has('AmountMoney') || !has('Debit') ? ['AmountMoney', 'Debit'] : ['Debit'];
  const columns: readonly (PreviewColumn | false)[] = [
    { head: { text: 'Line' }, uses: ['LedgerItem'], cell: ({ LedgerItem: name }) => html`<bdi>${name}</bdi>` },
    (has('Kind') || kinds.length > 0) && {
      head: { text: 'Kind' },
      uses: ['Kind'],
      cell: ({ kind, IsDebit: isDebit }) =>
        kind ? html`<bdi>${kind.name}</bdi>` : isDebit !== undefined && (isDebit ? 'Debit' : 'Credit'),
    },
    has('EffectiveDate') && {
      head: { text: 'Date' },
      uses: ['EffectiveDate'],
      cell: ({ EffectiveDate: day }) => day !== undefined && displayDate(day),
    },
    {
      head: { text: 'Debit', isNumber: true },
      uses: amountUses,
      cell: ({ IsDebit: isDebit, AmountMoney: amount }) => isDebit === true && amountText(amount ?? '0'),
    },
    {
      head: { text: 'Credit', isNumber: true },
      uses: ['Credit'],
      cell: ({ IsDebit: isDebit, AmountMoney: amount }) => isDebit === false && amountText(amount ?? '0'),
    },
    has('Description') && {
      head: { text: 'Note' },
      uses: ['Description'],
      cell: ({ Description: note }) => note !== undefined && html`<bdi>${note}</bdi>`,
    },
  ];
  return columns.filter((column) => column !== false);
}

function previewCell(line: PastedLine, { head, uses, cell }: PreviewColumn, isEditable: boolean): Markup {
  const attributes = html`${head.isNumber === true && html` class="number"`} data-label="${head.text}"`;
  const wrong = uses.flatMap((use) => {
    const error = line.errors.get(use);
    return error ? [{ error, use }] : [];
  })[0];
  if (!wrong) return html`<td${attributes}>${cell(line.line)}</td>`;
  return html`<td${attributes}>${wrongCell(line, wrong, isEditable)}</td>`;
}

/** Renders a wrong cell as a field with what is wrong, or as text if the row has no such cell. */
function wrongCell(
  { at: row, cells }: PastedLine,
  { error, use }: { readonly error: CellError; readonly use: ColumnUse },
  isEditable: boolean,
): Markup {
  const { at, text } = error;
  const value = at === undefined ? '' : (cells[at] ?? '');
  const id = `cell-${row}-${at ?? use}`;
  const note = html`<span class="field-error" id="${id}-error">${icon('error', 14)}<span>${text}</span></span>`;
  if (at === undefined || !isEditable) return html`<bdi>${value}</bdi>${note}`;
  return html`<input class="input" type="text" id="${id}" name="Cell_${row}_${at}" value="${value}" autocomplete="off"
 aria-label="${columnUses[use]} of row ${row + 1}" aria-invalid="true" aria-describedby="${id}-error">${note}`;
}

/** Renders what each pasted column is used for, with its name or first cell. */
function columnFields({ uses, head, lines }: Paste): Markup {
  const choices = Object.entries(columnUses).map(([value, text]) => ({ value, text }));
  const fields = uses.map((use, n) => {
    const sample = (head?.[n] ?? lines.find(({ cells }) => (cells[n] ?? '').trim() !== '')?.cells[n] ?? '').trim();
    const shown = html` <span class="muted"><bdi>${sample.slice(0, SAMPLE_MAX)}</bdi></span>`;
    return selectField({
      label: html`Column ${n + 1}${sample !== '' && shown}`,
      name: 'Column',
      id: `column-${n}`,
      value: use,
      choices,
      attributes: html`data-preview`,
    });
  });
  return html`<div class="paste-columns" role="group" aria-label="What the columns are used for">${fields}</div>`;
}

const SAMPLE_MAX = 30;

function wrongWords(lines: readonly PastedLine[], wrong: number): Markup {
  const cells = lines.reduce((sum, { errors }) => sum + errors.size, 0);
  return html`${badge(plural(cells, 'error'), 'danger', 'error')} in ${plural(wrong, 'row')} of ${lines.length}. Correct
 them here, then preview again. Nothing is added until all rows are right.`;
}

/** Says what the lines come to, and what the adjusted balance will be. */
function sumWords(lines: readonly PastedLine[], { BalanceAdjusted, Currency }: RowNamed<'Ledger'>): Markup {
  let [debits, credits, change] = ['0', '0', '0'];
  for (const { line } of lines) {
    const amount = line.AmountMoney ?? '0';
    if (line.IsDebit === true) debits = sumOf(debits, amount);
    else credits = sumOf(credits, amount);
    if (line.kind?.isTotaled === false) continue;
    change = line.IsDebit === true ? sumOf(change, amount) : differenceOf(change, amount);
  }
  const before = BalanceAdjusted ?? '0';
  return html`${plural(lines.length, 'line')}: debits <b>${amountText(debits)}</b>, credits
 <b>${amountText(credits)}</b>. The adjusted balance changes from ${amountText(before)} to
 <b>${amountText(sumOf(before, change))}</b> ${Currency}.`;
}
