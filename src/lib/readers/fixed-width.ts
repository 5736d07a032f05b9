import type { ImportSource, ImportTemplate, SourceRow } from '../../contracts/import-engine.ts';
import { columnNames, unreadableRow, IMPORT_REASON, isReason, documentError, textColumns } from './columns.ts';
import { BROKEN_TEXT, ENCODING_DOC, readTextHead, textBytes, TextCodec, type TextHead } from './encoding.ts';
import { BATCH_ROWS_MAX, formatCount } from './limits.ts';
import { scanDelimited } from './scan-delimited.ts';

/** ParameterString options of fixed-width text. */
export const fixedWidthOptions: Readonly<Record<string, string>> = {
  Columns:
    'The columns with their widths in characters, `SSN:9, BirthDate:8`, or with their first and last ' +
    'positions, from 1: `SSN:1-9, BirthDate:11-18`.',
  Header: 'Whether the first line is a heading, which is skipped; default false.',
  Lines:
    'Whether each row is a line; default true. False: rows follow each other without line ends, and widths ' +
    'count bytes.',
  Trim: 'Whether blanks around a value are removed; default true. Blanks before a value mapped as text are kept.',
  Encoding: ENCODING_DOC,
};

/** A column and its positions, from 0; `end` is exclusive. */
interface ColumnRange {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly isText: boolean;
}

/** An opened fixed-width document. */
export interface OpenedFixedWidth {
  readonly columns: readonly string[];
  readonly head: TextHead;
  /** Reads the rows after the heading as written, from the first on each call. */
  records(): AsyncGenerator<readonly FixedRecord[], void, undefined>;
  rowOf(record: FixedRecord): SourceRow;
}

/** A row as written, without its line end and without the reason added by corrections. */
export interface FixedRecord {
  readonly line: number;
  readonly bytes: Buffer;
  /** Undefined if the row cannot be read, see `problem`. */
  readonly text: string | undefined;
  readonly problem?: string;
}

/** Prefix of a reason after the last column. */
export const FIXED_REASON = ` ${IMPORT_REASON}: `;

const REASON_BYTES = Buffer.from(FIXED_REASON);

/** Widest row in characters. */
const WIDTH_MAX = 65_536;

/**
 * Opens a document with the columns of the import type.
 * @throws BAD_PARAMETER for missing or invalid options, and for an empty document
 */
export async function openFixedWidth(source: ImportSource, template: ImportTemplate): Promise<OpenedFixedWidth> {
  const { options } = template;
  const places = parseColumnRanges(options.get('columns'), textColumns(template));
  const width = Math.max(...places.map((place) => place.end));
  const head = await readTextHead(source, options.get('encoding'));
  if (!/[^\s]/.test(head.head.toString('latin1')))
    throw documentError('The document is empty; expected rows of fixed width.');
  if (/^\s*<[?!A-Za-z]/.test(head.head.toString('latin1', 0, 100)))
    throw documentError('The document begins with markup; expected rows of fixed width.');
  const isTrimmed = parseFlag(options, 'Trim', true);
  const isLines = parseFlag(options, 'Lines', true);
  const hasHeader = parseFlag(options, 'Header', false);
  return {
    columns: places.map((place) => place.name),
    head,
    records: () => {
      const bytes = textBytes(source, head);
      const codec = new TextCodec(head.encoding);
      return isLines ? lineRecords(bytes, codec, hasHeader) : unterminatedRecords(bytes, codec, width);
    },
    rowOf: (record) => rowOf(record, { places, width, isTrimmed, isLines }),
  };
}

/** Reads the rows of a document; unreadable rows have the reason. */
export async function* fixedWidthRows(opened: OpenedFixedWidth): AsyncGenerator<readonly SourceRow[], void, undefined> {
  for await (const records of opened.records()) yield records.map((record) => opened.rowOf(record));
}

interface RowLayout {
  readonly places: readonly ColumnRange[];
  readonly width: number;
  readonly isTrimmed: boolean;
  readonly isLines: boolean;
}

function rowOf(record: FixedRecord, { places, width, isTrimmed, isLines }: RowLayout): SourceRow {
  const { line, text } = record;
  const where = isLines ? `Line ${line}` : `Row ${line}`;
  if (text === undefined) return unreadableRow(line, `${where}: ${record.problem ?? ''}.`);
  // Count characters, not UTF-16 units; most texts have no surrogate pairs.
  const characters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
  const beyond = characters.length > width ? characters.slice(width) : '';
  if (characters.length < width || (typeof beyond === 'string' ? beyond : beyond.join('')).trim() !== '') {
    return unreadableRow(
      line,
      `${where}: the row has ${formatCount(characters.length)} characters; expected ${formatCount(width)}.`,
    );
  }
  const values: Record<string, string> = {};
  for (const { name, start, end, isText } of places) {
    if (isReason(name)) continue;
    const part = characters.slice(start, end);
    const value = typeof part === 'string' ? part : part.join('');
    const trimmed = isText ? value.trimEnd() : value.trim();
    values[name] = isTrimmed ? trimmed : value;
  }
  return { line, values };
}

/** Reads one row per line; empty lines are skipped. */
async function* lineRecords(
  bytes: AsyncIterable<Uint8Array>,
  codec: TextCodec,
  hasHeader: boolean,
): AsyncGenerator<FixedRecord[], void, undefined> {
  let isPassed = !hasHeader;
  for await (const records of scanDelimited(bytes, { delimiter: undefined, quote: undefined })) {
    let found: FixedRecord[] = [];
    for (let index = 0; index < records.count; index++) {
      const whole = records.bytes.subarray(records.recordStarts[index], records.recordEnds[index]);
      if (whole.length === 0) continue;
      if (!isPassed) {
        isPassed = true;
        continue;
      }
      const problem = records.problems.get(index)?.replace('cell 1', 'the row');
      found.push(toRecord(records.lines[index] as number, whole, codec, problem));
      if (found.length < BATCH_ROWS_MAX) continue;
      yield found;
      found = [];
    }
    if (found.length > 0) yield found;
  }
}

/** Returns a record whose bytes are valid until the next piece is scanned. */
function toRecord(line: number, whole: Buffer, codec: TextCodec, problem: string | undefined): FixedRecord {
  const at = whole.indexOf(FIXED_REASON);
  const bytes = at < 0 ? whole : whole.subarray(0, at);
  if (problem !== undefined) return { line, bytes, text: undefined, problem };
  return codec.accepts(bytes)
    ? { line, bytes, text: codec.text(bytes) }
    : { line, bytes, text: undefined, problem: `the row ${BROKEN_TEXT}` };
}

/** Reads rows of `width` bytes without line ends, except after the reasons that corrections add. */
async function* unterminatedRecords(
  source: AsyncIterable<Uint8Array>,
  codec: TextCodec,
  width: number,
): AsyncGenerator<FixedRecord[], void, undefined> {
  let held = Buffer.alloc(0);
  let line = 0;
  let inReason = false;
  const take = (isLast: boolean): FixedRecord[] => {
    const found: FixedRecord[] = [];
    let at = 0;
    // This many bytes after a row show whether a reason follows.
    const enough = isLast ? 1 : FIXED_REASON.length;
    while (held.length - at >= enough && found.length < BATCH_ROWS_MAX) {
      if (inReason) {
        const end = held.indexOf(10, at);
        at = end < 0 ? held.length : end + 1;
        inReason = end < 0;
      } else if (line > 0 && held.subarray(at, at + FIXED_REASON.length).equals(REASON_BYTES)) inReason = true;
      else if (isLast && held.subarray(at).every((byte) => byte === 10 || byte === 13)) at = held.length;
      else if (held.length - at >= width || isLast) {
        const bytes = Buffer.from(held.subarray(at, at + width));
        found.push(toRecord(++line, bytes, codec, unterminatedProblem(bytes)));
        at += width;
      } else break;
    }
    held = held.subarray(Math.min(at, held.length));
    return found;
  };
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk]);
    for (let found = take(false); found.length > 0; found = take(false)) yield found;
  }
  for (let found = take(true); found.length > 0; found = take(true)) yield found;
}

function unterminatedProblem(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return 'the row contains a NUL byte, which text cannot contain';
  return bytes.includes(10) || bytes.includes(13)
    ? 'the row holds a line end, but the import type says that there are none (Lines)'
    : undefined;
}

function parseColumnRanges(option: string | undefined, texts: ReadonlySet<string>): ColumnRange[] {
  const expected =
    'expected names with widths, such as SSN:9, BirthDate:8, or with positions, such as SSN:1-9, BirthDate:11-18';
  if (option === undefined || option.trim() === '')
    throw documentError(`Columns: not set by the import type; ${expected}.`);
  const parts = option
    .split(',')
    .map((part) => /^\s*([^:]+?)\s*:\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*$/.exec(part) ?? badColumn(part, expected));
  const names = columnNames(
    parts.map((part) => part[1] ?? ''),
    'Columns',
  );
  const isPlaced = parts[0]?.[3] !== undefined;
  let next = 0;
  return parts.map((part, index) => {
    const name = names[index] ?? '';
    const [first, last] = [Number(part[2]), part[3] === undefined ? undefined : Number(part[3])];
    if ((last !== undefined) !== isPlaced) badColumn(part[0], expected);
    const start = last === undefined ? next : first - 1;
    const end = last ?? next + first;
    if (start < 0 || end <= start || end > WIDTH_MAX)
      throw documentError(
        `Columns: ${name} has the positions ${start + 1} to ${end}; expected positions from 1 to ` +
          `${formatCount(WIDTH_MAX)}, the last not before the first.`,
      );
    next = end;
    return { name, start, end, isText: texts.has(name.toLowerCase()) };
  });
}

function badColumn(part: string, expected: string): never {
  throw documentError(`Columns: "${part.trim().slice(0, 60)}" is not a column; ${expected}.`);
}

function parseFlag(options: ReadonlyMap<string, string>, name: string, fallback: boolean): boolean {
  const value = options.get(name.toLowerCase());
  if (value === undefined || value === '') return fallback;
  if (!/^(?:true|false)$/i.test(value))
    throw documentError(`${name}: the import type says "${value.slice(0, 40)}"; expected true or false.`);
  return value.toLowerCase() === 'true';
}
