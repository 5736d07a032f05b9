import { isAscii, isUtf8 } from 'node:buffer';
import type { RowResult, SourceRow } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import {
  isBlankRecord,
  endsWithReason,
  recordProblem,
  rowReader,
  type DelimitedPiece,
  type OpenedDelimited,
} from '../../../lib/readers/delimited.ts';
import { QUOTED, DOUBLED, type DelimitedRecords } from '../../../lib/readers/scan-delimited.ts';
import { cellCheck, passesCellCheck, PARSED, VERBATIM, type CellCheck } from './cell-check.ts';
import type { ColumnType } from './column-type.ts';
import { CsvWriter } from './csv-writer.ts';
import { isVerbatim, type StagingColumn, type StagingPlan } from './staging-plan.ts';
import { stagingValue, type ValueContext } from './staging-value.ts';

/** Largest piece: it commits as a whole, is held in memory, and is repeated after a crash. */
const PIECE_BYTES_MAX = 16 * 1024 * 1024;
/**
 * The first pieces are smaller, so that the database starts while most of the source is unread. Sizes depend on the
 * rows before a piece.
 */
const FIRST_PIECE_BYTES_MAX = 1024 * 1024;
const EARLY_PIECE_BYTES_MAX = 4 * 1024 * 1024;
const EARLY_ROWS = 50_000;
const PIECE_ROWS_MAX = 200_000;
/** Most failed rows of a piece; each is a row of the log. */
const PIECE_FAILURES_MAX = 1_000;

/** Rows prepared for COPY, in source order. */
export interface BulkPiece {
  /** In the form of `copy … (format csv)`, with this delimiter. */
  readonly bytes: Buffer;
  readonly delimiter: string;
  /** Line of each loaded row. */
  readonly lines: readonly number[];
  readonly failures: readonly RowResult[];
  /** Rows of the source up to the end of this piece, including earlier and failed ones. */
  readonly done: number;
  /** Columns that must be widened first. */
  readonly widened: ReadonlyMap<string, ColumnType>;
  /** Releases the bytes for reuse. */
  release(): void;
}

/** How pieces are built. */
export interface PieceOptions {
  readonly plan: StagingPlan;
  readonly judgement: Omit<ValueContext, 'widen'>;
  readonly mayWiden: boolean;
  /** Added to row numbers: the highest number in the table before. */
  readonly base: number;
  /** Rows processed before, which are skipped. */
  readonly done: number;
  /** Log category of failed rows. */
  readonly category: string | undefined;
  /** Whether a failed row ends the piece, so that the rows before it can be committed. */
  readonly stopsAtFailure: boolean;
}

/** Collects rows until a piece is full. */
class PieceBuilder {
  readonly writer: CsvWriter;
  private readonly parts: PieceOptions;
  private readonly delimiter: string;
  private readonly judgement: ValueContext;
  private checks: readonly CellCheck[];
  private straight: boolean;
  private widened = new Map<string, ColumnType>();
  private lines: number[] = [];
  private failures: RowResult[] = [];
  private seen = 0;
  /** Rows before the piece. */
  private begun: number;

  constructor(parts: PieceOptions, delimiter: string) {
    this.parts = parts;
    this.begun = parts.done;
    this.delimiter = delimiter;
    this.writer = new CsvWriter(delimiter);
    this.checks = parts.plan.columns.map(cellCheck);
    this.straight = isVerbatim(parts.plan);
    this.judgement = {
      ...parts.judgement,
      widen: parts.mayWiden ? (column, type) => this.widen(column, type) : undefined,
    };
  }

  /** Whether rows are loaded unchanged, without inspecting them. */
  get isStraight(): boolean {
    return this.straight;
  }

  private widen(column: StagingColumn, type: ColumnType): void {
    column.type = type;
    this.widened.set(column.name, type);
    this.checks = this.parts.plan.columns.map(cellCheck);
    this.straight = isVerbatim(this.parts.plan);
  }

  /** Counts the next row; false if it was processed before. */
  next(): boolean {
    return ++this.seen > this.parts.done;
  }

  get isFull(): boolean {
    return (
      this.writer.size >= this.bytesMax ||
      this.lines.length >= PIECE_ROWS_MAX ||
      this.failures.length >= PIECE_FAILURES_MAX ||
      (this.parts.stopsAtFailure && this.failures.length > 0)
    );
  }

  /** Whether it would be full with this many more bytes and rows. */
  fillsWith(bytes: number, rows: number): boolean {
    return this.writer.size + bytes >= this.bytesMax || this.lines.length + rows >= PIECE_ROWS_MAX;
  }

  /** Depends only on where the piece begins, so that a repeated piece is the same. */
  private get bytesMax(): number {
    if (this.begun === 0) return FIRST_PIECE_BYTES_MAX;
    return this.begun < EARLY_ROWS ? EARLY_PIECE_BYTES_MAX : PIECE_BYTES_MAX;
  }

  get isEmpty(): boolean {
    return this.lines.length === 0 && this.failures.length === 0;
  }

  fail(line: number, message: string): void {
    const { category } = this.parts;
    this.failures.push({
      line,
      label: `Line ${line}`,
      operation: 'Insert',
      status: 'Error',
      message,
      ...(category === undefined ? {} : { category }),
    });
  }

  /** Adds a row whose bytes are copied unchanged. */
  copied(line: number, bytes: Buffer, start: number, end: number): void {
    this.writer.raw(bytes, start, end);
    this.writer.endRow();
    this.lines.push(line);
  }

  /** Adds many rows whose bytes are copied unchanged, line ends included. */
  copiedAll(records: DelimitedRecords, first: number, end: number): void {
    this.writer.raw(records.bytes, records.recordStarts[first] as number, records.recordEnds[end - 1] as number);
    this.writer.endRow();
    for (let record = first; record < end; record++) this.lines.push(records.lines[record] as number);
  }

  /** Adds a row by the UTF-8 bytes of its cells: plain cells are copied, others are converted to text. */
  cells(records: DelimitedRecords, first: number, line: number): void {
    const { bytes, starts, ends, flags } = records;
    const text = (index: number): string => cellText(records, first + index);
    this.row(line, (column, at) => {
      const { writer } = this;
      const check = this.checks[at] as CellCheck;
      const cell = first + check.index;
      const flag = flags[cell] as number;
      if (
        check.kind === PARSED ||
        (flag === (QUOTED | DOUBLED) && check.kind !== VERBATIM) ||
        !passesCellCheck(check, bytes, starts[cell] as number, ends[cell] as number)
      )
        writer.text(stagingValue(column, text, this.judgement));
      else if (flag === 0) writer.raw(bytes, starts[cell] as number, ends[cell] as number);
      else writer.rawQuoted(bytes, starts[cell] as number, ends[cell] as number);
    });
  }

  /** Adds a row by the texts of its cells. */
  values(line: number, cell: (index: number) => string): void {
    this.row(line, (column) => {
      const value = stagingValue(column, cell, this.judgement);
      if (value.includes('\0') || !value.isWellFormed())
        throw new PlatformError('BAD_PARAMETER', {
          message: `${column.source}: contains characters that text cannot contain.`,
        });
      this.writer.text(value);
    });
  }

  /** Writes a row column by column. If a value is invalid, the row fails and nothing of it is written. */
  private row(line: number, write: (column: StagingColumn, at: number) => void): void {
    const { writer } = this;
    const { columns } = this.parts.plan;
    const mark = writer.mark();
    try {
      this.number(line);
      for (let at = 0; at < columns.length; at++) {
        if (at > 0) writer.writeDelimiter();
        write(columns[at] as StagingColumn, at);
      }
      writer.endRow();
      this.lines.push(line);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      writer.undo(mark);
      this.fail(line, `Line ${line}: ${error.message}`);
    }
  }

  private number(line: number): void {
    if (!this.parts.plan.numbered) return;
    this.writer.text(String(this.parts.base + this.seen));
    this.writer.writeDelimiter();
    this.writer.text(String(line));
    this.writer.writeDelimiter();
  }

  take(): BulkPiece {
    const { lines, failures, widened, delimiter } = this;
    this.lines = [];
    this.failures = [];
    this.widened = new Map();
    this.begun = Math.max(this.seen, this.parts.done);
    return { ...this.writer.take(), delimiter, lines, failures, done: Math.max(this.seen, this.parts.done), widened };
  }
}

/**
 * Reads the pieces of a delimited document. Bytes that need no change are inspected and copied without creating
 * strings.
 */
export async function* delimitedPieces(
  opened: OpenedDelimited,
  parts: PieceOptions,
): AsyncGenerator<BulkPiece, void, undefined> {
  const { form } = opened;
  const maker = new PieceBuilder(parts, form.delimiter);
  const load = recordLoader(opened, maker, parts);
  for await (const piece of opened.records()) {
    for (let record = piece.first; record < piece.records.count;) {
      record = load(piece, record);
      if (maker.isFull) yield maker.take();
    }
  }
  if (!maker.isEmpty) yield maker.take();
}

/** Returns a function that loads records from one on, and returns the first that it has not loaded. */
function recordLoader(
  { form }: OpenedDelimited,
  maker: PieceBuilder,
  { plan }: PieceOptions,
): (piece: DelimitedPiece, from: number) => number {
  const rowOf = rowReader(form);
  const count = form.columns.length;
  const hasReason = form.hasHeader ? () => false : endsWithReason;
  // Other quotes would have to be rewritten, and a lone \. means the end of the data.
  const takesBytes = form.quote === '"' && plan.columns.length > 1;
  return (piece, from) => {
    const { records } = piece;
    const { bytes, firstCells, recordStarts, recordEnds } = records;
    const isUtf8 = utf8Check(piece, from);
    const mayRun = maker.isStraight && !bytes.subarray(recordStarts[from], recordEnds[records.count - 1]).includes(13);
    let run = from;
    const endRun = (record: number): void => {
      if (record > run) maker.copiedAll(records, run, record);
    };
    for (let record = from; record < records.count; record++) {
      const isEmpty = isBlankRecord(records, record);
      // Checked for every row, also skipped ones: the first that is not ASCII decides the encoding.
      const isText = !isEmpty && isUtf8(record);
      const isSound =
        takesBytes &&
        isText &&
        (firstCells[record + 1] as number) - (firstCells[record] as number) === count &&
        !hasReason(records, record);
      const isNew = !isEmpty && maker.next();
      if (mayRun && isSound && isNew) {
        // Where a piece ends depends only on the rows, not on the source's chunks.
        if (!maker.fillsWith((recordEnds[record] as number) - (recordStarts[run] as number), record + 1 - run))
          continue;
        endRun(record + 1);
        return record + 1;
      }
      endRun(record);
      run = record + 1;
      if (!isNew) continue;
      if (isSound) loadSound(maker, records, record);
      else loadRow(maker, rowOf(piece, record), form.columns);
      if (maker.isFull) return record + 1;
    }
    endRun(records.count);
    return records.count;
  };
}

/**
 * Returns a function that tells whether a record is valid UTF-8. Call it once for each record, in order: it may decide
 * the encoding.
 */
function utf8Check(piece: DelimitedPiece, from: number): (record: number) => boolean {
  const { records, codec, isPlain: areAscii } = piece;
  const { bytes, recordStarts, recordEnds, problems } = records;
  const areText =
    areAscii ||
    (codec.decided === 'utf-8' && isUtf8(bytes.subarray(recordStarts[from], recordEnds[records.count - 1])));
  if (areText) return (record) => !problems.has(record);
  return (record) =>
    recordProblem(piece, record) === undefined &&
    (codec.decided !== 'windows-1252' || isAscii(bytes.subarray(recordStarts[record], recordEnds[record])));
}

/** Loads a record with the right number of UTF-8 cells. */
function loadSound(maker: PieceBuilder, records: DelimitedRecords, record: number): void {
  const { bytes, firstCells, lines, recordStarts, recordEnds } = records;
  const line = lines[record] as number;
  if (maker.isStraight) maker.copied(line, bytes, recordStarts[record] as number, recordEnds[record] as number);
  else maker.cells(records, firstCells[record] as number, line);
}

function loadRow(maker: PieceBuilder, row: SourceRow, columns: readonly string[]): void {
  if (row.problem === undefined) maker.values(row.line, (index) => row.values[columns[index] as string] ?? '');
  else maker.fail(row.line, row.problem);
}

/** Returns the text of a UTF-8 cell. */
function cellText({ bytes, starts, ends, flags }: DelimitedRecords, cell: number): string {
  const text = bytes.toString('utf8', starts[cell], ends[cell]);
  return (flags[cell] as number) & DOUBLED ? text.replaceAll('""', '"') : text;
}

/** Reads the pieces of rows that a reader has read. */
export async function* rowPieces(
  batches: AsyncIterable<readonly SourceRow[]>,
  parts: PieceOptions,
): AsyncGenerator<BulkPiece, void, undefined> {
  const maker = new PieceBuilder(parts, ',');
  for await (const batch of batches) {
    for (const row of batch) {
      if (!maker.next()) continue;
      loadRow(maker, row, parts.plan.source);
      if (maker.isFull) yield maker.take();
    }
  }
  if (!maker.isEmpty) yield maker.take();
}
