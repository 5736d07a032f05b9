/** Lines of a ledger that were copied from a spreadsheet. */
import { mappedText } from '../../../contracts/import-value.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { containsCardNumber } from '../../../kernel/security/card-number.ts';
import { parseClipboard } from '../../../lib/decision-tables/clipboard.ts';

/** Most lines that are added at once, as `ledger/addlines` accepts them. */
export const LINES_MAX = 1_000;

/** Most columns that are read: the page lets people choose the use of each. */
const COLUMNS_MAX = 100;

/** What a pasted column is used for, and its name on the page. */
export const columnUses = {
  LedgerItem: 'Line',
  AmountMoney: 'Amount',
  Debit: 'Debit',
  Credit: 'Credit',
  EffectiveDate: 'Date',
  Description: 'Note',
  Kind: 'Kind',
  '': 'Not used',
} as const;

/** What a column is used for; empty: nothing. */
export type ColumnUse = keyof typeof columnUses;

/** A template line that pasted lines can name as their kind. */
export interface LineKind {
  readonly id: number;
  readonly name: string;
  readonly isDebit: boolean;
  readonly isTotaled: boolean;
  readonly sequence: number | null;
  /** The amount of lines that have none of their own. */
  readonly amount: string | null;
}

/** What the reading of pasted cells depends on. */
export interface PasteTerms {
  readonly kinds: readonly LineKind[];
  /** The currency of the ledger; amounts may name it. */
  readonly currency: string;
  readonly refusesCardNumbers: boolean;
}

/** A line to add. */
export interface NewLine {
  readonly LedgerItem: string;
  readonly AmountMoney: string;
  readonly IsDebit: boolean;
  readonly EffectiveDate?: string;
  readonly Description?: string;
  /** The template line that it is of; a line of none counts in the total. */
  readonly kind: LineKind | undefined;
}

/** What is wrong with a cell. */
export interface CellError {
  /** The position of the cell; undefined if no column is used for it. */
  readonly at: number | undefined;
  readonly text: string;
}

/** A pasted row, read as a line. */
export interface PastedLine {
  /** The position of the row in the pasted text, from 0. */
  readonly at: number;
  readonly cells: readonly string[];
  readonly line: Partial<NewLine>;
  readonly errors: ReadonlyMap<ColumnUse, CellError>;
}

/** Pasted cells, read as lines. */
export interface Paste {
  readonly rows: readonly (readonly string[])[];
  readonly uses: readonly ColumnUse[];
  /** The names of the columns, if the first row has them. */
  readonly head: readonly string[] | undefined;
  readonly lines: readonly PastedLine[];
  /** What is wrong with all of it. */
  readonly problem: string | undefined;
}

/** Reads pasted text. `sent`: what the columns are used for; by default as their names and contents suggest. */
export function readPaste(text: string, sent: readonly ColumnUse[], terms: PasteTerms): Paste {
  const rows = parseClipboard(text);
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width > COLUMNS_MAX) return { rows: [], uses: [], head: undefined, lines: [], problem: tooWide(width) };
  const head = headOf(rows);
  const body = rows.flatMap((cells, at) => (isBlank(cells) || at === head?.at ? [] : [{ cells, at }]));
  const suggested = head?.uses ?? usesByContent(body.map(({ cells }) => cells).slice(0, SAMPLE_ROWS), width, terms);
  const uses = sent.length === width ? sent : Array.from({ length: width }, (_, n) => suggested[n] ?? '');
  const lines = body.slice(0, LINES_MAX).map(({ cells, at }) => readRow({ cells, at }, uses, terms));
  return { rows, uses, head: head?.names, lines, problem: problemOf(uses, body.length) };
}

function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

function tooWide(width: number): string {
  return `You pasted ${width.toLocaleString('en-US')} columns. At most ${COLUMNS_MAX} can be read.`;
}

function problemOf(uses: readonly ColumnUse[], count: number): string | undefined {
  if (count === 0) return 'Paste at least one row.';
  const [pasted, most] = [count, LINES_MAX].map((rows) => rows.toLocaleString('en-US'));
  if (count > LINES_MAX) return `You pasted ${pasted} rows. At most ${most} lines can be added at once.`;
  const twice = uses.find((use, n) => use !== '' && uses.indexOf(use) !== n);
  if (twice !== undefined) return `Two columns are used as ${columnUses[twice]}. Choose one.`;
  if (uses.includes('AmountMoney') && (uses.includes('Debit') || uses.includes('Credit')))
    return 'Use either Amount, or Debit and Credit.';
  return undefined;
}

/** Names that people give columns, in lower case. */
const headWords: ReadonlyMap<string, ColumnUse> = new Map(
  (
    [
      ['LedgerItem', 'line|description|item|fee|name|charge|particulars|ledger line'],
      ['AmountMoney', 'amount|sum|value'],
      ['Debit', 'debit|debits|dr'],
      ['Credit', 'credit|credits|cr'],
      ['EffectiveDate', 'date|day|effective|effective date|transaction date'],
      ['Description', 'note|notes|memo|comment|comments|remark|remarks'],
      ['Kind', 'kind|type|side|template|template line|debit or credit|debit/credit|dr/cr'],
    ] as const
  ).flatMap(([use, words]) => words.split('|').map((word) => [word, use] as const)),
);

/** Returns the names of the columns, if the first row that is not empty has them. */
function headOf(rows: readonly (readonly string[])[]) {
  const at = rows.findIndex((row) => !isBlank(row));
  const names = rows[at];
  if (!names) return undefined;
  const uses = names.map(
    (name) =>
      headWords.get(
        name
          .trim()
          .toLowerCase()
          .replace(/[:.*]$/, ''),
      ) ?? '',
  );
  const known = new Set(uses.filter((use) => use !== ''));
  return known.size >= Math.min(2, names.length) ? { at, names, uses } : undefined;
}

/** Rows by which columns without names are recognized. */
const SAMPLE_ROWS = 50;

/** Recognizes columns by what most of their cells are. The first text is the line, the second the note. */
function usesByContent(rows: readonly (readonly string[])[], width: number, terms: PasteTerms): readonly ColumnUse[] {
  const uses: ColumnUse[] = [];
  const share = (column: number, fits: (cell: string) => boolean): boolean => {
    const cells = rows.map((row) => (row[column] ?? '').trim()).filter((cell) => cell !== '');
    return cells.length > 0 && cells.filter(fits).length * 2 > cells.length;
  };
  const free = (use: ColumnUse): boolean => !uses.includes(use);
  for (let n = 0; n < width; n++) {
    if (free('EffectiveDate') && share(n, isDayText)) uses.push('EffectiveDate');
    else if (free('AmountMoney') && share(n, (cell) => isAmountText(cell, terms))) uses.push('AmountMoney');
    else if (free('Kind') && share(n, (cell) => kindOf(cell, terms) !== undefined)) uses.push('Kind');
    else if (rows.every((row) => (row[n] ?? '').trim() === '')) uses.push('');
    else uses.push((['LedgerItem', 'Description', ''] as const).find(free) ?? '');
  }
  return uses;
}

function isDayText(cell: string): boolean {
  return /[/-]/.test(cell) && typeof converted(cell, 'Date') === 'string';
}

function isAmountText(cell: string, terms: PasteTerms): boolean {
  return typeof converted(plainAmount(cell, terms), 'Money') === 'string';
}

/** What a cell with an amount is expected to be. */
const AMOUNT = 'an amount, such as 1,250.00 or (12.00)';

/** Returns a cell as the API takes it, or what was expected. */
function converted(cell: string, dataType: 'Money' | 'Date'): string | { readonly expected: string } {
  const map = { source: '', destination: '', type: 'Column', translation: undefined, isText: false } as const;
  try {
    return mappedText({ ...map, required: false, dataType }, cell, noOptions) ?? '';
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { expected: dataType === 'Money' ? AMOUNT : 'a day, such as 1/31/2026' };
  }
}

const noOptions: ReadonlyMap<string, string> = new Map();

/** Returns an amount without what spreadsheets add: the currency, spaces within, and the minus sign of typography. */
function plainAmount(cell: string, { currency }: PasteTerms): string {
  const text = cell
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .replaceAll('\u2212', '-')
    .trim();
  const code = currency.toLowerCase();
  const [start, end] = [text.toLowerCase().startsWith(code), text.toLowerCase().endsWith(code)];
  const bare = text.slice(start ? code.length : 0, end && !start ? -code.length : undefined).trim();
  // Accounting formats write `$ (12.00)`, and a dash for zero.
  return bare.replace(/^\$\s*(?=\()/, '').replace(/^\$\s*-$/, '0');
}

/** A side, or a template line. */
type Kind = { readonly isDebit: boolean; readonly line?: LineKind };

function kindOf(cell: string, { kinds }: PasteTerms): Kind | undefined {
  const name = cell.trim().toLowerCase();
  if (/^(?:debit|dr|d)$/.test(name)) return { isDebit: true };
  if (/^(?:credit|cr|c)$/.test(name)) return { isDebit: false };
  const line = kinds.find((kind) => kind.name.trim().toLowerCase() === name);
  return line && { isDebit: line.isDebit, line };
}

interface PastedRow {
  readonly cells: readonly string[];
  readonly at: number;
}

/** A row that is being read, with what is wrong with it so far. */
interface RowReading {
  readonly cells: readonly string[];
  readonly uses: readonly ColumnUse[];
  readonly errors: Map<ColumnUse, CellError>;
}

/** Returns the trimmed cell of a column; empty without one. */
function textOf({ cells, uses }: RowReading, use: ColumnUse): string {
  return (cells[uses.indexOf(use)] ?? '').trim();
}

/** Notes what is wrong with a cell; the first error of a cell is shown. */
function refuse({ uses, errors }: RowReading, use: ColumnUse, text: string): void {
  const at = uses.indexOf(use);
  if (!errors.has(use)) errors.set(use, { at: at < 0 ? undefined : at, text });
}

/** Longest texts of a line. */
const textLengths = { LedgerItem: 255, Description: 4_000 } as const;

function readRow({ cells, at }: PastedRow, uses: readonly ColumnUse[], terms: PasteTerms): PastedLine {
  const row: RowReading = { cells, uses, errors: new Map() };
  const kind = readKind(row, terms);
  const name = textOf(row, 'LedgerItem') || (kind?.line?.name ?? '');
  if (name === '') refuse(row, 'LedgerItem', 'Enter what the line is for.');
  const date = readDate(row);
  const note = textOf(row, 'Description');
  const line: Partial<NewLine> = {
    LedgerItem: name,
    ...readAmount(row, kind, terms),
    ...(date !== undefined && { EffectiveDate: date }),
    ...(note !== '' && { Description: note }),
    kind: kind?.line,
  };
  for (const use of ['LedgerItem', 'Description'] as const) checkText(row, use, terms);
  return { at, cells, line, errors: row.errors };
}

function checkText(row: RowReading, use: keyof typeof textLengths, { refusesCardNumbers }: PasteTerms): void {
  const text = textOf(row, use);
  if (text.length > textLengths[use]) refuse(row, use, `Shorten it to ${textLengths[use]} characters.`);
  if (refusesCardNumbers && containsCardNumber(text))
    refuse(row, use, 'Remove the card number: only payment gateways store card numbers.');
}

function readKind(row: RowReading, terms: PasteTerms): Kind | undefined {
  const cell = textOf(row, 'Kind');
  if (cell === '') return undefined;
  const kind = kindOf(cell, terms);
  if (kind) return kind;
  const names = terms.kinds.length > 0 ? ', or a line of the template that can be added' : '';
  refuse(row, 'Kind', `Enter Debit or Credit${names}.`);
  return undefined;
}

function readDate(row: RowReading): string | undefined {
  const cell = textOf(row, 'EffectiveDate');
  if (cell === '') return undefined;
  const day = converted(cell, 'Date');
  if (typeof day === 'string') return day;
  refuse(row, 'EffectiveDate', `Expected ${day.expected}.`);
  return undefined;
}

type Amount = Pick<NewLine, 'AmountMoney' | 'IsDebit'>;

/** Reads the amount and its side: by its column, the kind, or the sign, a negative amount being a credit. */
function readAmount(row: RowReading, kind: Kind | undefined, terms: PasteTerms): Partial<Amount> {
  const sides = (['Debit', 'Credit'] as const).flatMap((use) => {
    const amount = amountIn(row, use, terms);
    return amount === undefined || Number(amount) === 0 ? [] : [{ use, amount }];
  });
  const [side, other] = sides;
  if (other) refuse(row, 'Credit', 'Enter a debit or a credit, not both.');
  if (side) return ofSide(row, { use: side.use, amount: side.amount, isDebit: side.use === 'Debit' }, kind);
  const amount = amountIn(row, 'AmountMoney', terms) ?? kind?.line?.amount ?? undefined;
  if (amount === undefined) {
    const use = row.errors.has('Debit') || row.errors.has('Credit') ? 'Credit' : 'AmountMoney';
    if (!row.errors.has('Debit')) refuse(row, use, 'Enter an amount.');
    return {};
  }
  if (kind) return ofSide(row, { use: 'AmountMoney', amount, isDebit: kind.isDebit }, kind);
  const isNegative = amount.startsWith('-');
  return { AmountMoney: isNegative ? amount.slice(1) : amount, IsDebit: !isNegative };
}

/** Returns an amount whose side is given, and which therefore has no sign. */
function ofSide(
  row: RowReading,
  { use, amount, isDebit }: { readonly use: ColumnUse; readonly amount: string; readonly isDebit: boolean },
  kind: Kind | undefined,
): Partial<Amount> {
  const word = isDebit ? 'debit' : 'credit';
  if (amount.startsWith('-')) refuse(row, use, `The line is a ${word}: enter the amount without a minus.`);
  if (kind && kind.isDebit !== isDebit)
    refuse(row, 'Kind', `The amount is a ${word}, but the kind is a ${kind.isDebit ? 'debit' : 'credit'}.`);
  return { AmountMoney: amount, IsDebit: isDebit };
}

/** Returns the amount of a column; undefined if it is empty or wrong. */
function amountIn(row: RowReading, use: ColumnUse, terms: PasteTerms): string | undefined {
  const cell = textOf(row, use);
  if (cell === '') return undefined;
  const amount = converted(plainAmount(cell, terms), 'Money');
  if (typeof amount === 'string' && amount !== '') return amount.replace(/^\+/, '');
  // A currency alone is no amount.
  refuse(row, use, `Expected ${typeof amount === 'string' ? AMOUNT : amount.expected}.`);
  return undefined;
}
