import { isAscii } from 'node:buffer';
import { BROKEN_TEXT, type TextCodec } from '../../../../../lib/readers/encoding.ts';
import { endsWithReason } from '../../../../../lib/readers/delimited.ts';
import type { DelimitedRecords } from '../../../../../lib/readers/scan-delimited.ts';
import type { EventRow, RowPiece } from './event-row.ts';
import type { EventFile } from '../file/event-file.ts';
import { KEYS_MAX, LastRows } from './last-rows.ts';
import type { CaseKind } from '../../../../cases/public/event-codes.ts';
import { LAYOUT_COLUMNS, type EventLayout } from '../file/event-layout.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { maskedStart } from '../../../../../kernel/security/mask.ts';
import { RowKeys, type EventTarget } from './row-keys.ts';
import { CopyRowWriter } from './copy-row-writer.ts';
import { RowPool, type PooledRow } from './row-pool.ts';

/** Most rows in one transaction. More are hardly faster, hold locks longer and take more memory. */
const PIECE_ROWS_MAX = 5_000;
/** Most bytes of their columns. */
const PIECE_BYTES_MAX = 8 * 1024 * 1024;

/** Result of the first reading. */
export interface FileScan {
  /** Last row of each key. */
  readonly last: LastRows;
  /** Records of the file, skipped ones included. */
  readonly records: number;
  /** Rows of record type EVENT that can be read. */
  readonly events: number;
  /** Rows that cannot be read: of another record type, or not of 110 columns. */
  readonly unreadable: number;
}

/**
 * Reads a file for its keys only.
 * @throws BAD_PARAMETER if it has too many events to distinguish
 */
export async function scanKeys(file: EventFile, keys: RowKeys): Promise<FileScan> {
  const last = new LastRows();
  const hash = new Uint32Array(3);
  let ordinal = 0;
  let events = 0;
  let unreadable = 0;
  for await (const records of file.records()) {
    decideEncoding(file.codec, records);
    for (let record = 0; record < records.count; record++) {
      ordinal++;
      const kind = keys.kindOf(records, record);
      if (kind === 'unreadable') unreadable++;
      if (kind !== 'event') continue;
      events++;
      if (keys.hashOf(records, record, keys.targetOf(records, record), hash)) last.set(hash, ordinal);
      if (last.size > KEYS_MAX)
        throw new PlatformError('BAD_PARAMETER', {
          message: `The file has more than ${KEYS_MAX} different events; split it.`,
        });
    }
  }
  return { last, records: ordinal, events, unreadable };
}

/** Lets the codec decide the encoding from the rows that are not ASCII, in order. */
function decideEncoding(codec: TextCodec, records: DelimitedRecords): void {
  if (isAsciiOnly(records)) return;
  for (let record = 0; record < records.count; record++) codec.accepts(bytesOf(records, record));
}

function isAsciiOnly({ bytes, recordStarts, recordEnds, count }: DelimitedRecords): boolean {
  return isAscii(bytes.subarray(recordStarts[0], recordEnds[count - 1]));
}

function bytesOf({ bytes, recordStarts, recordEnds }: DelimitedRecords, record: number): Buffer {
  return bytes.subarray(recordStarts[record], recordEnds[record]);
}

/** Input of the second reading. */
export interface PieceReaderOptions {
  readonly file: EventFile;
  readonly layout: EventLayout;
  readonly keys: RowKeys;
  readonly last: LastRows;
  /** Number of processed records. */
  readonly done: number;
  /** The installation's time zone. */
  readonly zone: string;
}

/** Reads the unprocessed rows in pieces. */
export async function* readPieces(parts: PieceReaderOptions): AsyncGenerator<RowPiece, void, undefined> {
  const reader = new RowReader(parts);
  let rows: EventRow[] = [];
  let ordinal = 0;
  for await (const records of parts.file.records()) {
    const plain = isAsciiOnly(records);
    for (let record = 0; record < records.count; record++) {
      ordinal++;
      const row = ordinal > parts.done ? reader.read(records, record, ordinal, plain) : undefined;
      if (row) rows.push(row);
      if (rows.length < PIECE_ROWS_MAX && reader.length < PIECE_BYTES_MAX) continue;
      yield { rows, bytes: reader.bytes, lastOrdinal: ordinal };
      rows = [];
      reader.begin();
    }
  }
  if (ordinal > parts.done) yield { rows, bytes: reader.bytes, lastOrdinal: ordinal };
}

/** Columns whose values rows carry as text. */
const CARRIED_COLUMNS = [
  'ProviderCode',
  'BusinessEventCode',
  'InvestorLoanNumberID',
  'EventActualDate',
  'EventCreatedDate',
  'EventRecordedDate',
  'BusinessEventName',
  'FCFileClosedReasonType',
] as const;
/** Columns that cases and delays are created from, by kind. */
const KIND_COLUMNS: Readonly<Partial<Record<CaseKind, readonly string[]>>> = {
  Delay: ['DelayTypeCode', 'DelayActualStartDate', 'DelayProjectedEndDate', 'DelayEndReasonCode', 'DelayDetails'],
  Bankruptcy: ['BKChapterTypeCode', 'BKDistrictName', 'BKFilingDate', 'BKPOCBarDate'],
  Foreclosure: ['FCFileClosedReasonType'],
};

/** Most firm codes, event codes and days that are shared between rows. */
const SHARED_TEXTS_MAX = 4_000;

/** Converts records to rows and writes their columns. */
class RowReader {
  private readonly parts: PieceReaderOptions;
  private readonly writer: CopyRowWriter;
  private readonly rows = new RowPool();
  private readonly hash = new Uint32Array(3);
  private readonly sharedTexts = new Map<string, string>();
  private readonly places: Readonly<Record<string, number>>;

  constructor(parts: PieceReaderOptions) {
    this.parts = parts;
    this.writer = new CopyRowWriter(parts.layout, parts.file.codec, parts.zone);
    this.places = Object.fromEntries(
      [...CARRIED_COLUMNS, ...Object.values(KIND_COLUMNS).flat()].map((name) => [name, parts.layout.place(name)]),
    );
  }

  get bytes(): Buffer {
    return this.writer.bytes;
  }

  get length(): number {
    return this.writer.length;
  }

  begin(): void {
    this.writer.begin();
    this.rows.begin();
  }

  /** Returns the row of a record; undefined if the record is skipped. */
  read(records: DelimitedRecords, record: number, ordinal: number, plain: boolean): EventRow | undefined {
    const { keys, file, last } = this.parts;
    const line = records.lines[record] as number;
    const kind = keys.kindOf(records, record);
    if (kind === 'passed over') return undefined;
    const row = this.rows.next(ordinal, line);
    const fail = (message: string): EventRow => failed(row, message);
    if (kind === 'unreadable') return fail(this.unreadableReason(records, record));
    if (!plain && !file.codec.accepts(bytesOf(records, record))) return fail(`The row ${BROKEN_TEXT}.`);
    const target = keys.targetOf(records, record);
    const isKnown = keys.hashOf(records, record, target, this.hash);
    const isLast = !isKnown || last.get(this.hash) === ordinal;
    const problem = this.writer.write(records, record, plain);
    // A row repeated further down is not saved, whatever is wrong with it.
    if (problem !== undefined && isLast) return fail(problem);
    if (problem === undefined) this.fill(row, target, isLast);
    if (!isLast) {
      if (problem === undefined) this.writer.dropLast();
      row.outcome = 'repeated';
      row.message = 'The same event of the same case is repeated further down in the file; only the last one counts.';
      return row;
    }
    const missing = isKnown ? undefined : missingKeyMessage(row, target);
    if (missing === undefined) return row;
    this.writer.dropLast();
    return fail(missing);
  }

  private unreadableReason(records: DelimitedRecords, record: number): string {
    const problem = records.problems.get(record);
    if (problem !== undefined) return `The row cannot be read: ${problem.replace(/\.$/, '')}.`;
    const first = records.firstCells[record] as number;
    const count = (records.firstCells[record + 1] as number) - first;
    const type = records.bytes.toString('utf8', records.starts[first], records.ends[first]).trim();
    if (type.toUpperCase() === 'EVENT')
      return endsWithReason(records, record)
        ? `The row has ${count - 1} columns and the reason why it failed before; expected ${LAYOUT_COLUMNS} and the ` +
            'reason. Correct the row.'
        : `The row has ${count} columns; expected ${LAYOUT_COLUMNS}.`;
    const separator = /^EVENT([\t;:~^])/i.exec(type)?.[1];
    if (separator !== undefined)
      return (
        `The values are separated by ${separator === '\t' ? 'tabs' : `"${separator}"`}; expected "|" or a comma ` +
        `between ${LAYOUT_COLUMNS} columns.`
      );
    return (
      `RecordType: "${maskedStart(type, 40)}" is not valid; expected EVENT, or HEADER or FOOTER, which are ` +
      'skipped.'
    );
  }

  /** Sets what the last written row says. */
  private fill(row: PooledRow, { meaning, kind, keyPlace }: EventTarget, isLast: boolean): void {
    const { writer, places } = this;
    const [name = 0, code = 0] = [places['BusinessEventName'], places['BusinessEventCode']];
    const named = (writer.ends[name] as number) > (writer.starts[name] as number) ? name : code;
    const extra = isLast ? KIND_COLUMNS[kind] : undefined;
    row.outcome = 'kept';
    row.provider = this.sharedText(places['ProviderCode']);
    row.code = this.sharedText(code);
    row.loan = this.text(places['InvestorLoanNumberID']);
    row.key = keyPlace < 0 ? '' : this.text(keyPlace);
    row.kind = kind;
    row.meaning = meaning;
    row.at = this.sharedText(places['EventActualDate']);
    // For other rows the order of two events matters only by when they happened.
    if (kind === 'Delay' || meaning?.status !== undefined) {
      row.created = this.sharedText(places['EventCreatedDate']);
      row.recorded = this.sharedText(places['EventRecordedDate']);
    }
    if (extra && (kind !== 'Foreclosure' || meaning?.status !== undefined))
      row.values = Object.fromEntries(extra.map((column) => [column, this.text(places[column])]));
    row.start = writer.starts[0] as number;
    row.end = writer.length;
    row.nameStart = writer.starts[named] as number;
    row.nameEnd = writer.ends[named] as number;
  }

  /** Returns a value that most rows share, stored once. */
  private sharedText(place: number | undefined): string {
    const text = this.text(place);
    const known = this.sharedTexts.get(text);
    if (known !== undefined) return known;
    if (this.sharedTexts.size < SHARED_TEXTS_MAX) this.sharedTexts.set(text, text);
    return text;
  }

  /** Returns a value of the last written row. */
  private text(place: number | undefined): string {
    if (place === undefined) return '';
    const start = this.writer.starts[place] as number;
    const end = this.writer.ends[place] as number;
    if (start === end) return '';
    const text = this.writer.bytes.toString('utf8', start, end);
    return text.includes('\\') ? text.replace(/\\(.)/g, (_, sign: string) => COPY_ESCAPES[sign] ?? sign) : text;
  }
}

function failed(row: PooledRow, message: string): EventRow {
  row.outcome = 'failed';
  row.message = message;
  return row;
}

/** Meanings of escaped letters in COPY text; any other escaped character means itself. */
const COPY_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r' };

/** Returns why an event with an incomplete key fails. */
function missingKeyMessage(row: EventRow, { kind }: EventTarget): string {
  if (row.provider === '') return "ProviderCode: empty; expected the firm's provider code.";
  if (row.code === '') return 'BusinessEventCode: empty; expected the code of the event, such as E0290.';
  if (row.loan === '') return "InvestorLoanNumberID: empty; expected the investor's loan number.";
  if (kind === 'Foreclosure')
    return "FCAttorneyFileID: empty; expected the attorney's file number, which identifies the foreclosure.";
  return 'BKCaseNumberID: empty; expected the court case number, which identifies the bankruptcy.';
}
