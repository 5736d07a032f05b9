import { isAscii, isUtf8 } from 'node:buffer';
import type { RowResult, SourceRow } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import {
  isBlankRecord,
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

/** Bytes and rows of a piece: what commits together, is held in memory, and is done again after a crash. */
const PIECE_BYTES_MAX = 16 * 1024 * 1024;
/** The first pieces are smaller: the database begins while most of the source is not read yet. By the rows before a piece. */
const FIRST_PIECE_BYTES_MAX = 1024 * 1024;
const EARLY_PIECE_BYTES_MAX = 4 * 1024 * 1024;
const EARLY_ROWS = 50_000;
const PIECE_ROWS_MAX = 200_000;
/** Failed rows of a piece: each is a row of the log. */
const PIECE_FAILURES_MAX = 1_000;

/** Rows made ready for a copy, in the order of the source. */
export interface BulkPiece {
  /** In the form of `copy … (format csv)`, with this delimiter. */
  readonly bytes: Buffer;
  readonly delimiter: string;
  /** The line of each row that is loaded. */
  readonly lines: readonly number[];
  readonly failures: readonly RowResult[];
  /** Rows of the source up to the end of this piece, those before it and the failed ones included. */
  readonly done: number;
  /** Columns that must be widened before. */
  readonly widened: ReadonlyMap<string, ColumnType>;
  /** Says that the bytes are needed no more. */
  release(): void;
}

/** What pieces are made by. */
export interface PieceOptions {
  readonly plan: StagingPlan;
  readonly judgement: Omit<ValueContext, 'widen'>;
  readonly mayWiden: boolean;
  /** What is added to the number of a row where rows are numbered: what stood in the table before. */
  readonly base: number;
  /** Rows that were dealt with before; they are passed over. */
  readonly done: number;
  /** The category of failed rows in the log. */
  readonly category: string | undefined;
  /** A failed row ends the piece, so that what is before it can be kept. */
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

  /** Rows are loaded as they stand: there is nothing to look at in them. */
  get isStraight(): boolean {
    return this.straight;
  }

  private widen(column: StagingColumn, type: ColumnType): void {
    column.type = type;
    this.widened.set(column.name, type);
    this.checks = this.parts.plan.columns.map(cellCheck);
    this.straight = isVerbatim(this.parts.plan);
  }

  /** Counts the next row; false where it was dealt with before. */
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

  /** Whether it would be full with so many more bytes and rows. */
  fillsWith(bytes: number, rows: number): boolean {
    return this.writer.size + bytes >= this.bytesMax || this.lines.length + rows >= PIECE_ROWS_MAX;
  }

  /** It follows from where the piece begins, so that a piece that is made again is the same. */
  private get bytesMax(): number {
    return this.begun === 0 ? FIRST_PIECE_BYTES_MAX : this.begun < EARLY_ROWS ? EARLY_PIECE_BYTES_MAX : PIECE_BYTES_MAX;
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

  /** A row whose bytes go as they stand. */
  copied(line: number, bytes: Buffer, start: number, end: number): void {
    this.writer.raw(bytes, start, end);
    this.writer.endRow();
    this.lines.push(line);
  }

  /** Many rows at once whose bytes go as they stand, line ends included. */
  copiedAll(records: DelimitedRecords, first: number, end: number): void {
    this.writer.raw(records.bytes, records.recordStarts[first] as number, records.recordEnds[end - 1] as number);
    this.writer.endRow();
    for (let record = first; record < end; record++) this.lines.push(records.lines[record] as number);
  }

  /** A row by the bytes of its cells, which are UTF-8: those in their plain form go as they stand, of the others text is made. */
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

  /** A row by the texts of its cells. */
  values(line: number, cell: (index: number) => string): void {
    this.row(line, (column) => {
      const value = stagingValue(column, cell, this.judgement);
      if (value.includes('\0') || !value.isWellFormed())
        throw new PlatformError('BAD_PARAMETER', {
          message: `${column.source}: it holds characters that no text has.`,
        });
      this.writer.text(value);
    });
  }

  /** Writes a row column by column; one whose value is refused is a failed row, and nothing of it is written. */
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

/** The pieces of a delimited document. Where nothing is to be changed its bytes are looked at and copied; no text is made of them. */
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

/** What loads records from one on, and answers the first that it has not loaded. */
function recordLoader(
  { form }: OpenedDelimited,
  maker: PieceBuilder,
  { plan }: PieceOptions,
): (piece: DelimitedPiece, from: number) => number {
  const rowOf = rowReader(form);
  const count = form.columns.length;
  // Other quotes would have to be written anew, and a lone \. means the end of the data.
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
      // Asked of every row, also of one that was dealt with before: the first that is not ASCII decides the encoding.
      const isText = !isEmpty && isUtf8(record);
      const isSound =
        takesBytes && isText && (firstCells[record + 1] as number) - (firstCells[record] as number) === count;
      const isNew = !isEmpty && maker.next();
      if (mayRun && isSound && isNew) {
        // Where a piece ends follows from the rows alone, however the source cuts its bytes.
        if (!maker.fillsWith((recordEnds[record] as number) - (recordStarts[run] as number), record + 1 - run))
          continue;
        endRun(record + 1);
        return record + 1;
      }
      endRun(record);
      run = record + 1;
      if (!isNew) continue;
      const line = records.lines[record] as number;
      if (isSound && maker.isStraight)
        maker.copied(line, bytes, recordStarts[record] as number, recordEnds[record] as number);
      else if (isSound) maker.cells(records, firstCells[record] as number, line);
      else loadRow(maker, rowOf(piece, record), form.columns);
      if (maker.isFull) return record + 1;
    }
    endRun(records.count);
    return records.count;
  };
}

/** Says of records, each once and in order, whether their bytes are UTF-8 and can be read: asking may decide the encoding. */
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

function loadRow(maker: PieceBuilder, row: SourceRow, columns: readonly string[]): void {
  if (row.problem === undefined) maker.values(row.line, (index) => row.values[columns[index] as string] ?? '');
  else maker.fail(row.line, row.problem);
}

/** The text of a cell in UTF-8. */
function cellText({ bytes, starts, ends, flags }: DelimitedRecords, cell: number): string {
  const text = bytes.toString('utf8', starts[cell], ends[cell]);
  return (flags[cell] as number) & DOUBLED ? text.replaceAll('""', '"') : text;
}

/** The pieces of rows that a reader has read. */
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
