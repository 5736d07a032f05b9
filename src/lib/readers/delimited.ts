import { isAscii } from 'node:buffer';
import type { ImportSource, ImportTemplate, SourceRow } from '../../contracts/import-engine.ts';
import { columnNames, unreadableRow, IMPORT_REASON, isReason, documentError } from './columns.ts';
import {
  BROKEN_TEXT,
  ENCODING_DOC,
  HEAD_BYTES,
  readTextHead,
  textBytes,
  TextCodec,
  type TextHead,
} from './encoding.ts';
import { BATCH_ROWS_MAX, formatCount } from './limits.ts';
import {
  DelimitedScanner,
  DOUBLED,
  QUOTED,
  scanDelimited,
  type DelimitedRecords,
  type ScanOptions,
} from './scan-delimited.ts';

/** ParameterString options of delimited text. */
export const delimitedOptions: Readonly<Record<string, string>> = {
  Delimiter:
    'Separator of cells: one character, or Comma, Pipe, Tab or Semicolon. By default it is detected in the ' +
    'first lines.',
  Quote:
    'Quote around cells that contain delimiters or line ends; default a double quote. None: quotes have no meaning.',
  Header: 'Whether the first row has the column names; default true, or false with Columns.',
  Columns:
    'Column names in order, separated by commas, for a document without a header. Default: Column1, ' +
    'Column2, and so on.',
  Encoding: ENCODING_DOC,
};

/** How a document is written. */
export interface DelimitedForm extends ScanOptions {
  readonly delimiter: string;
  readonly hasHeader: boolean;
  /** Whether it starts with a byte order mark. */
  readonly hasMark: boolean;
  readonly columns: readonly string[];
}

/** A delimited document whose form is known. */
export interface OpenedDelimited {
  readonly form: DelimitedForm;
  /** Reads the records after the header, in the pieces of the scan, from the first on each call. */
  records(): AsyncGenerator<DelimitedPiece, void, undefined>;
}

/** Records of a document; those before `first` are not rows. */
export interface DelimitedPiece {
  readonly records: DelimitedRecords;
  readonly first: number;
  readonly codec: TextCodec;
  /** Whether all bytes are single-byte characters. */
  readonly isPlain: boolean;
}

/**
 * Opens a document by its first lines.
 * @throws BAD_PARAMETER if it has none, or invalid column names
 */
export async function openDelimited(
  source: ImportSource,
  template: Pick<ImportTemplate, 'options'>,
): Promise<OpenedDelimited> {
  const { options } = template;
  const text = await readTextHead(source, options.get('encoding'));
  const codec = new TextCodec(text.encoding);
  const quote = quoteOf(options.get('quote'));
  const scan = { delimiter: delimiterOf(options.get('delimiter')) ?? findDelimiter(text.head, quote), quote };
  const named = options.get('columns')?.split(',') ?? [];
  const hasHeader = headerOf(options.get('header')) ?? named.length === 0;
  const unnamed = named.length > 0 ? 'nothing' : 'count';
  const first = firstRecord(text, scan, codec, hasHeader ? 'names' : unnamed);
  const declared = named.length > 0 ? named : first.cells.map(() => '');
  const columns = columnNames(hasHeader ? first.cells : declared, hasHeader ? `Line ${first.line}` : 'Columns');
  return {
    form: { ...scan, hasHeader, hasMark: text.hasMark, columns },
    records: () => documentPieces(textBytes(source, text), scan, codec.copy(), hasHeader ? first.line : 0),
  };
}

async function* documentPieces(
  bytes: AsyncIterable<Uint8Array>,
  scan: ScanOptions,
  codec: TextCodec,
  headerLine: number,
): AsyncGenerator<DelimitedPiece, void, undefined> {
  let isPassed = headerLine === 0;
  for await (const records of scanDelimited(bytes, scan)) {
    let first = 0;
    while (!isPassed && first < records.count) isPassed = records.lines[first++] === headerLine;
    if (first >= records.count) continue;
    yield {
      records,
      first,
      codec,
      isPlain: isAscii(records.bytes.subarray(records.recordStarts[first], records.recordEnds[records.count - 1])),
    };
  }
}

/** Reads the rows of a document; unreadable rows have the reason. Blank lines are skipped. */
export async function* delimitedRows(opened: OpenedDelimited): AsyncGenerator<readonly SourceRow[], void, undefined> {
  const rowOf = rowReader(opened.form);
  let rows: SourceRow[] = [];
  for await (const piece of opened.records()) {
    for (let record = piece.first; record < piece.records.count; record++) {
      if (isBlankRecord(piece.records, record)) continue;
      rows.push(rowOf(piece, record));
      if (rows.length < BATCH_ROWS_MAX) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
    rows = [];
  }
}

/** Counts the rows that {@link delimitedRows} reads, without decoding them: some 250 MB per second. */
export async function countDelimitedRows(opened: OpenedDelimited): Promise<number> {
  let count = 0;
  for await (const { records, first } of opened.records())
    for (let record = first; record < records.count; record++) if (!isBlankRecord(records, record)) count++;
  return count;
}

/**
 * Returns why a record cannot be read; undefined if it can. Call it once for each record, in order: the first record
 * that is not ASCII may decide the encoding.
 */
export function recordProblem({ records, codec, isPlain }: DelimitedPiece, record: number): string | undefined {
  const problem = records.problems.get(record);
  if (
    problem !== undefined ||
    isPlain ||
    codec.accepts(records.bytes.subarray(records.recordStarts[record], records.recordEnds[record]))
  )
    return problem;
  return `the row ${BROKEN_TEXT}`;
}

/** Whether a record is a blank line. */
export function isBlankRecord(
  { firstCells, starts, ends, flags, problems }: DelimitedRecords,
  record: number,
): boolean {
  const cell = firstCells[record] as number;
  return (
    (firstCells[record + 1] as number) === cell + 1 &&
    starts[cell] === ends[cell] &&
    flags[cell] === 0 &&
    !problems.has(record)
  );
}

/** Returns a function that converts records to rows. */
export function rowReader(form: DelimitedForm): (piece: DelimitedPiece, record: number) => SourceRow {
  const { columns } = form;
  const quote = form.quote ?? '';
  const more = columns.length > COLUMNS_NAMED_MAX ? ', …' : '';
  const expected = `expected ${columns.length}: ${columns.slice(0, COLUMNS_NAMED_MAX).join(', ')}${more}`;
  const reasonColumn = columns.findIndex(isReason);
  return (piece, record) => {
    const { records, codec, isPlain } = piece;
    const { bytes, firstCells, starts, ends, flags, lines } = records;
    const line = lines[record] as number;
    const problem = recordProblem(piece, record);
    if (problem !== undefined) return unreadableRow(line, `Line ${line}: ${problem}.`);
    const from = records.recordStarts[record] as number;
    const to = records.recordEnds[record] as number;
    const first = firstCells[record] as number;
    const count = (firstCells[record + 1] as number) - first;
    // One string for the whole row, sliced into cells, is three times as fast as one string for each cell. It requires
    // single-byte characters.
    const whole = isPlain ? bytes.toString('latin1', from, to) : '';
    const cellText = (cell: number): string => {
      const text = isPlain
        ? whole.slice((starts[cell] as number) - from, (ends[cell] as number) - from)
        : codec.text(bytes, starts[cell], ends[cell]);
      return (flags[cell] as number) & DOUBLED ? text.replaceAll(quote + quote, quote) : text;
    };
    // Without a header, only its beginning distinguishes a reason from the last cell of a row that lacks one.
    const cells = !form.hasHeader && endsWithReason(records, record) ? count - 1 : count;
    if (cells !== columns.length) {
      return unreadableRow(
        line,
        `Line ${line}: the row has ${cells === 1 ? '1 cell' : `${cells} cells`}; ${expected}.`,
      );
    }
    const values: Record<string, string> = {};
    for (let index = 0; index < columns.length; index++) {
      if (index !== reasonColumn) values[columns[index] as string] = cellText(first + index);
    }
    return { line, values };
  };
}

/** Prefix of a reason if no header names its column. */
export const REASON_PREFIX = `${IMPORT_REASON}: `;

const REASON_START = Buffer.from(REASON_PREFIX.trimEnd());

/** Whether the last cell of a record is the reason that a corrections file without column names adds. */
export function endsWithReason({ bytes, firstCells, starts, ends }: DelimitedRecords, record: number): boolean {
  const last = (firstCells[record + 1] as number) - 1;
  const start = starts[last] as number;
  if ((ends[last] as number) - start < REASON_START.length) return false;
  for (let at = 0; at < REASON_START.length; at++) if (bytes[start + at] !== REASON_START[at]) return false;
  return true;
}

/** Returns the cells of a row without the reason that a corrections file without column names adds. */
export function withoutLastReason(cells: readonly string[]): readonly string[] {
  return cells.at(-1)?.startsWith(REASON_PREFIX.trimEnd()) === true ? cells.slice(0, -1) : cells;
}

/** Most expected columns named in a message. */
const COLUMNS_NAMED_MAX = 10;

/** Returns the bytes of a cell as written, with its quotes. */
export function rawCell({ bytes, starts, ends, flags }: DelimitedRecords, cell: number): Buffer {
  const around = (flags[cell] as number) & QUOTED;
  return bytes.subarray((starts[cell] as number) - around, (ends[cell] as number) + around);
}

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  comma: ',',
  pipe: '|',
  tab: '\t',
  semicolon: ';',
  '\\t': '\t',
};

/**
 * Parses the option Delimiter; undefined if it is not set.
 * @throws BAD_PARAMETER
 */
export function delimiterOf(option: string | undefined): string | undefined {
  if (option === undefined || option === '') return undefined;
  const delimiter = DELIMITER_NAMES[option.toLowerCase()] ?? option;
  if (!/^[\t\x1c-\x7e]$/.test(delimiter) || /[A-Za-z0-9"]/.test(delimiter))
    throw optionError(
      'Delimiter',
      option,
      'one character that is not a letter, digit or quote, or Comma, Pipe, Tab or Semicolon',
    );
  return delimiter;
}

function quoteOf(option: string | undefined): string | undefined {
  if (option === undefined || option === '') return '"';
  if (option.toLowerCase() === 'none') return undefined;
  if (option !== '"' && option !== "'") throw optionError('Quote', option, 'a double quote, a single quote, or None');
  return option;
}

/**
 * Parses the option Header; undefined if it is not set.
 * @throws BAD_PARAMETER
 */
export function headerOf(option: string | undefined): boolean | undefined {
  if (option === undefined || option === '') return undefined;
  if (!/^(?:true|false)$/i.test(option)) throw optionError('Header', option, 'true or false');
  return option.toLowerCase() === 'true';
}

function optionError(name: string, value: string, expected: string): Error {
  return documentError(`${name}: the import type says "${value.slice(0, 40)}"; expected ${expected}.`);
}

const DELIMITER_CANDIDATES = [',', '|', '\t', ';'];
/** Lines and bytes inspected to detect the delimiter. */
const DETECTION_LINES_MAX = 20;
const DETECTION_BYTES_MAX = 64 * 1024;

/** Returns the delimiter that splits the first lines most evenly; on a tie the one with more cells. */
function findDelimiter(head: Buffer, quote: string | undefined): string {
  let best = { delimiter: ',', evenness: 0, cells: 1 };
  for (const delimiter of DELIMITER_CANDIDATES) {
    const counts = firstCellCounts(head.subarray(0, DETECTION_BYTES_MAX), { delimiter, quote });
    const cells = counts[0] ?? 1;
    if (cells < 2) continue;
    const evenness = counts.filter((count) => count === cells).length / counts.length;
    if (evenness > best.evenness || (evenness === best.evenness && cells > best.cells))
      best = { delimiter, evenness, cells };
  }
  return best.delimiter;
}

function firstCellCounts(head: Buffer, scan: ScanOptions): number[] {
  const records = new DelimitedScanner(scan).write(head);
  const counts: number[] = [];
  for (let record = 0; record < records.count && counts.length < DETECTION_LINES_MAX; record++) {
    if (!isBlankRecord(records, record) && !records.problems.has(record))
      counts.push((records.firstCells[record + 1] as number) - (records.firstCells[record] as number));
  }
  if (counts.length > 0) return counts;
  // A single line without a line end.
  const scanner = new DelimitedScanner(scan);
  scanner.write(head);
  const last = scanner.end();
  return last.count > 0 && !last.problems.has(0) ? [last.firstCells[1] as number] : [];
}

/**
 * Reads the first line that is not blank. If its names or its number of cells are needed, it must end within the head.
 */
function firstRecord(
  { head, isWhole }: TextHead,
  scan: ScanOptions,
  codec: TextCodec,
  requested: 'names' | 'count' | 'nothing',
): { readonly line: number; readonly cells: readonly string[] } {
  const scanner = new DelimitedScanner(scan);
  for (const isLast of [false, true]) {
    const records = isLast ? scanner.end() : scanner.write(head);
    for (let record = 0; record < records.count; record++) {
      if (isBlankRecord(records, record)) continue;
      const line = records.lines[record] as number;
      const bytes = records.bytes.subarray(records.recordStarts[record], records.recordEnds[record]);
      assertNotMarkup(bytes, requested === 'names');
      if (requested === 'nothing') return { line, cells: [] };
      const problem =
        records.problems.get(record) ??
        (isLast && !isWhole ? `it is longer than ${formatCount(HEAD_BYTES)} bytes` : textProblem(codec, bytes));
      if (problem !== undefined)
        throw documentError(`Line ${line}: the first row, which defines the columns, cannot be read: ${problem}.`, {
          line,
        });
      return { line, cells: cellsOf(records, record, codec, scan.quote ?? '') };
    }
  }
  throw documentError('The document is empty; expected rows of delimited text.');
}

function textProblem(codec: TextCodec, bytes: Buffer): string | undefined {
  return codec.accepts(bytes) ? undefined : `it ${BROKEN_TEXT}`;
}

function cellsOf(records: DelimitedRecords, record: number, codec: TextCodec, quote: string): string[] {
  const cells: string[] = [];
  for (let cell = records.firstCells[record] as number; cell < (records.firstCells[record + 1] as number); cell++) {
    const text = codec.text(records.bytes, records.starts[cell], records.ends[cell]);
    cells.push((records.flags[cell] as number) & DOUBLED ? text.replaceAll(quote + quote, quote) : text);
  }
  return cells;
}

/** Markup split at its commas would look like rows. */
function assertNotMarkup(first: Buffer, isHeader: boolean): void {
  const start = first.subarray(0, 100).toString('latin1').trimStart();
  if (isHeader ? /^[<{[]/.test(start) : /^<[?!A-Za-z]/.test(start)) {
    const found = start.startsWith('<') ? 'markup' : `"${start.charAt(0)}"`;
    throw documentError(`The document begins with ${found}; expected rows of delimited text.`);
  }
}
