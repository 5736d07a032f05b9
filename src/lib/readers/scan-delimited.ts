/**
 * Finds records and cells in delimited bytes without creating strings: the base of every reader of delimited text.
 * Readers of millions of rows take offsets from here and decode only the cells they need.
 *
 * It works on any encoding in which ASCII bytes mean ASCII (UTF-8, windows-1252); `textBytes` converts UTF-16 to UTF-8.
 * Quotes follow RFC 4180: a quoted cell may contain delimiters, line ends and doubled quotes. A line ends with CR LF,
 * LF or CR. A record with invalid quotes fails alone: reading continues after the record's first line end, even if the
 * quote was never closed, so that no later record is lost.
 *
 * Every byte is read once, those after an invalid quote at most twice more. Measured on two shared cores with cells of
 * ten bytes: 250 to 300 MB per second, quoted or not; with a string for each of fifteen cells of a row, 150 MB or
 * 770,000 rows per second.
 */
import { CELL_BYTES_MAX, COLUMNS_MAX, formatCount, RECORD_BYTES_MAX } from './limits.ts';

/** How the bytes are read. */
export interface ScanOptions {
  /** One ASCII character; undefined if a record is one cell. */
  readonly delimiter: string | undefined;
  /** One ASCII character; undefined if quotes have no meaning. */
  readonly quote: string | undefined;
}

/** The records completed by a chunk. Offsets refer to `bytes`. Everything is overwritten by the next chunk. */
export interface DelimitedRecords {
  readonly bytes: Buffer;
  /** Number of records. */
  readonly count: number;
  /**
   * By record: index of its first cell in `starts`, `ends` and `flags`. One entry more than records, so that the next
   * entry is a record's end.
   */
  readonly firstCells: Int32Array;
  /** By record: its line, from 1. */
  readonly lines: Float64Array;
  /** By record: its first byte, and the line end after its last. */
  readonly recordStarts: Int32Array;
  readonly recordEnds: Int32Array;
  /** By cell: its first byte and the one after its last, without quotes. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** By cell: {@link QUOTED}, {@link DOUBLED}. */
  readonly flags: Uint8Array;
  /** Why a record cannot be read, by its index in this chunk. Its cells must not be used. */
  readonly problems: ReadonlyMap<number, string>;
}

/** The cell was quoted. */
export const QUOTED = 1;
/** The cell contains doubled quotes. */
export const DOUBLED = 2;

/** Bytes scanned at once, however large the source's chunks are, to limit memory. */
const SCAN_BYTES = 128 * 1024;

/** Room at the start; it doubles as needed. Many documents are small, and larger buffers cost more than the scan. */
const FIRST_BYTES = 16 * 1024;
const FIRST_RECORDS = 64;
const FIRST_CELLS = 512;

const LINE_FEED = 10;
const RETURN = 13;

/** Classes of bytes. */
const PLAIN = 0,
  DELIMITER = 1,
  QUOTE = 2,
  LINE_END = 3,
  NUL = 4;

/**
 * States: before a record, before a cell, in a cell, in a quoted cell, after a quote in it, after a fault, in a dropped
 * line.
 */
const RECORD = 0,
  CELL = 1,
  TEXT = 2,
  QUOTES = 3,
  CLOSING = 4,
  FAULTY = 5,
  DROPPED = 6;

/** Scans a stream. A batch is valid only until the next is read. */
export async function* scanDelimited(
  source: AsyncIterable<Uint8Array>,
  options: ScanOptions,
): AsyncGenerator<DelimitedRecords, void, undefined> {
  const scanner = new DelimitedScanner(options);
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += SCAN_BYTES) {
      const records = scanner.write(chunk.subarray(at, at + SCAN_BYTES));
      if (records.count > 0) yield records;
    }
  }
  const last = scanner.end();
  if (last.count > 0) yield last;
}

/** The scan itself, for bytes in memory; most callers use {@link scanDelimited}. */
export class DelimitedScanner {
  private readonly classes = new Uint8Array(256);
  private readonly quote: number;
  private bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  private length = 0;
  private position = 0;
  private state = RECORD;
  private line = 1;
  /** Line ends inside the current record. */
  private linesWithin = 0;
  private afterReturn = false;
  private recordStart = 0;
  private cellStart = 0;
  private flag = 0;
  private problem: string | undefined;
  private count = 0;
  private cells = 0;
  private firstCells = new Int32Array(FIRST_RECORDS);
  private lines = new Float64Array(FIRST_RECORDS);
  private recordStarts = new Int32Array(FIRST_RECORDS);
  private recordEnds = new Int32Array(FIRST_RECORDS);
  private starts = new Int32Array(FIRST_CELLS);
  private ends = new Int32Array(FIRST_CELLS);
  private flags = new Uint8Array(FIRST_CELLS);
  private problems = new Map<number, string>();

  constructor({ delimiter, quote }: ScanOptions) {
    this.quote = quote === undefined ? -1 : quote.charCodeAt(0);
    this.classes[0] = NUL;
    this.classes[LINE_FEED] = this.classes[RETURN] = LINE_END;
    if (delimiter !== undefined) this.classes[delimiter.charCodeAt(0)] = DELIMITER;
    if (this.quote >= 0) this.classes[this.quote] = QUOTE;
  }

  /** Scans the next bytes and returns the records they complete. */
  write(chunk: Uint8Array): DelimitedRecords {
    this.append(chunk);
    this.scan();
    this.judgeUnfinished();
    return this.records();
  }

  /** Ends the document and returns the remaining records: a last line needs no line end. */
  end(): DelimitedRecords {
    this.append(new Uint8Array(0));
    // An unclosed quoted cell is a fault like any other, and what follows its first line is read.
    while (this.state !== RECORD && this.state !== DROPPED) {
      if (this.state === QUOTES) this.fail(this.unclosed(), this.length);
      else if (this.state === CLOSING && this.cellLength(this.length) > CELL_BYTES_MAX) this.fail('', this.length);
      else this.finish();
      this.scan();
      if (this.state === FAULTY) this.finish();
    }
    return this.records();
  }

  private finish(): void {
    if (this.state === CELL) this.cellStart = this.length;
    if (this.state !== FAULTY) this.addCell(this.cellStart, this.state === CLOSING ? this.length - 1 : this.length);
    if (this.state !== RECORD) this.endRecord(this.length);
    this.position = this.length;
  }

  /** Drops the returned records, moves the unfinished one to the front, and appends the chunk. */
  private append(chunk: Uint8Array): void {
    const from = this.state === RECORD || this.state === DROPPED ? this.position : this.recordStart;
    const stored = this.firstCells[this.count] ?? 0;
    if (from > 0) {
      this.bytes.copyWithin(0, from, this.length);
      this.length -= from;
      this.position -= from;
      this.recordStart -= from;
      this.cellStart -= from;
    }
    if (stored > 0 || from > 0) {
      for (let cell = stored; cell < this.cells; cell++) {
        this.starts[cell - stored] = (this.starts[cell] as number) - from;
        this.ends[cell - stored] = (this.ends[cell] as number) - from;
        this.flags[cell - stored] = this.flags[cell] as number;
      }
      this.cells -= stored;
    }
    this.count = 0;
    this.firstCells[0] = 0;
    if (this.problems.size > 0) this.problems = new Map();
    if (this.length + chunk.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + chunk.length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.length);
    this.length += chunk.length;
  }

  private scan(): void {
    const { classes } = this;
    while (this.position < this.length) {
      // Reload the fields in each turn: a fault may have moved the position back.
      const { bytes, length } = this;
      let at = this.position;
      switch (this.state) {
        case RECORD:
          if (this.afterReturn && bytes[at] === LINE_FEED) at++;
          else this.beginRecord(at);
          this.afterReturn = false;
          this.position = at;
          break;
        case CELL:
          this.beginCell(at);
          break;
        case TEXT:
          this.scanText(at);
          break;
        case QUOTES:
          while (at < length && (classes[bytes[at] as number] as number) < QUOTE) at++;
          this.position = at;
          if (at < length) this.inQuotes(at);
          break;
        case CLOSING:
          this.behindQuote(at);
          break;
        default:
          this.skipLine(at);
      }
    }
  }

  private beginCell(at: number): void {
    if (this.bytes[at] === this.quote) {
      this.cellStart = this.position = at + 1;
      this.flag = QUOTED;
      this.state = QUOTES;
    } else {
      this.cellStart = at;
      this.flag = 0;
      this.state = TEXT;
    }
  }

  /** Scans the plain cells of a record in a row: nearly all cells of nearly all files. */
  private scanText(from: number): void {
    const { bytes, length, classes, quote } = this;
    let { starts, ends, flags, cells, cellStart } = this;
    const cellsMax = (this.firstCells[this.count] as number) + COLUMNS_MAX;
    let at = from;
    for (;;) {
      while (at < length && classes[bytes[at] as number] === PLAIN) at++;
      if (
        at < length &&
        classes[bytes[at] as number] === DELIMITER &&
        at - cellStart <= CELL_BYTES_MAX &&
        cells < cellsMax
      ) {
        if (cells >= starts.length) {
          this.growCells();
          ({ starts, ends, flags } = this);
        }
        starts[cells] = cellStart;
        ends[cells] = at;
        flags[cells++] = 0;
        cellStart = ++at;
        // At the end of the bytes the next cell has not begun: it may be quoted.
        if (at < length && bytes[at] !== quote) continue;
        this.state = CELL;
      }
      break;
    }
    this.cells = cells;
    this.cellStart = cellStart;
    this.position = at;
    if (this.state === TEXT && at < length) this.behindText(at);
  }

  /** Skips the rest of a faulty record's line, or of a dropped line. */
  private skipLine(from: number): void {
    const { bytes, length } = this;
    let at = from;
    while (at < length && bytes[at] !== LINE_FEED && bytes[at] !== RETURN) at++;
    this.position = at;
    if (at < length) this.endLine(at);
  }

  private beginRecord(at: number): void {
    this.recordStart = at;
    this.linesWithin = 0;
    this.problem = undefined;
    this.cells = this.firstCells[this.count] as number;
    this.state = CELL;
  }

  private behindText(at: number): void {
    switch (this.classes[this.bytes[at] as number]) {
      case DELIMITER:
        if (this.cellLength(at) > CELL_BYTES_MAX) return this.fail('', at);
        this.addCell(this.cellStart, at);
        this.state = CELL;
        this.position = at + 1;
        return;
      case LINE_END:
        if (this.cellLength(at) > CELL_BYTES_MAX) return this.fail('', at);
        this.addCell(this.cellStart, at);
        return this.endLine(at);
      case NUL:
        this.nul();
        this.position = at + 1;
        return;
      default:
        return this.fail(
          `cell ${this.cellNumber()} contains a quote; expected quotes around the whole cell, and doubled ` +
            'quotes within it',
          at,
        );
    }
  }

  private inQuotes(at: number): void {
    const byte = this.bytes[at];
    if (byte === this.quote) this.state = CLOSING;
    else if (byte === 0) this.nul();
    else if (byte === RETURN || this.bytes[at - 1] !== RETURN) this.linesWithin++;
    this.position = at + 1;
  }

  private behindQuote(at: number): void {
    const byte = this.bytes[at] as number;
    if (byte === this.quote) {
      this.flag |= DOUBLED;
      this.state = QUOTES;
      this.position = at + 1;
      return;
    }
    const kind = this.classes[byte];
    if (kind !== DELIMITER && kind !== LINE_END)
      return this.fail(
        `cell ${this.cellNumber()} continues after its closing quote; expected doubled quotes within a cell`,
        at,
      );
    if (this.cellLength(at) > CELL_BYTES_MAX) return this.fail('', at);
    this.addCell(this.cellStart, at - 1);
    if (kind === LINE_END) return this.endLine(at);
    this.state = CELL;
    this.position = at + 1;
  }

  private addCell(start: number, end: number): void {
    if (this.cells - (this.firstCells[this.count] as number) >= COLUMNS_MAX) {
      this.problem ??= `the row has more than ${formatCount(COLUMNS_MAX)} cells`;
      return;
    }
    if (this.cells >= this.starts.length) this.growCells();
    this.starts[this.cells] = start;
    this.ends[this.cells] = end;
    this.flags[this.cells++] = this.state === CLOSING ? this.flag : 0;
  }

  /** Handles the line end of a record or of a dropped line. */
  private endLine(at: number): void {
    if (this.state !== DROPPED) {
      if (at - this.recordStart > RECORD_BYTES_MAX && this.state !== FAULTY) return this.fail('', at);
      this.endRecord(at);
    } else {
      this.line++;
      this.state = RECORD;
    }
    this.afterReturn = this.bytes[at] === RETURN;
    this.position = at + 1;
  }

  private endRecord(at: number): void {
    if (this.count + 1 >= this.firstCells.length) this.growRecords();
    if (this.problem !== undefined) {
      this.problems.set(this.count, this.problem);
      this.cells = this.firstCells[this.count] as number;
    }
    this.lines[this.count] = this.line;
    this.recordStarts[this.count] = this.recordStart;
    this.recordEnds[this.count] = at;
    this.firstCells[++this.count] = this.cells;
    this.line += 1 + this.linesWithin;
    this.linesWithin = 0;
    this.problem = undefined;
    this.state = RECORD;
  }

  /** Fails the record and continues after its first line end, as soon as that is known. */
  private fail(message: string, at: number): void {
    this.problem = this.tooLong(at) ?? this.problem ?? message;
    this.linesWithin = 0;
    this.state = FAULTY;
    // The bytes of one record are few, and searched once per failed record.
    const record = this.bytes.subarray(this.recordStart, at);
    const feed = record.indexOf(LINE_FEED);
    const back = (feed < 0 ? record : record.subarray(0, feed)).indexOf(RETURN);
    const end = back < 0 ? feed : back;
    if (end < 0) this.position = at;
    else this.endLine(this.recordStart + end);
  }

  /** Length of the current cell up to a position, without its closing quote. */
  private cellLength(at: number): number {
    return this.state === CLOSING ? at - 1 - this.cellStart : at - this.cellStart;
  }

  private tooLong(at: number): string | undefined {
    if (this.cellLength(at) > CELL_BYTES_MAX) {
      const hint = this.flag & QUOTED ? ', or its quotes do not close' : '';
      return `cell ${this.cellNumber()} is longer than ${formatCount(CELL_BYTES_MAX)} bytes${hint}`;
    }
    return at - this.recordStart > RECORD_BYTES_MAX
      ? `the row is longer than ${formatCount(RECORD_BYTES_MAX)} bytes`
      : undefined;
  }

  /** Gives up a record that is too long before it is complete. */
  private judgeUnfinished(): void {
    for (;;) {
      const isCell = this.state === TEXT || this.state === QUOTES;
      const isLong =
        (isCell && this.cellLength(this.length) > CELL_BYTES_MAX) ||
        (this.state !== RECORD && this.state !== DROPPED && this.length - this.recordStart > RECORD_BYTES_MAX);
      if (!isLong) return;
      if (this.state !== FAULTY) this.fail('', this.length);
      if (this.state === FAULTY) {
        // Its first line extends beyond the buffer: return the record as far as it is known and drop the rest of the
        // line.
        this.endRecord(this.length);
        this.line--;
        this.position = this.length;
        this.state = DROPPED;
        return;
      }
      this.scan();
    }
  }

  private unclosed(): string {
    return `the quote that opens cell ${this.cellNumber()} is never closed`;
  }

  private nul(): void {
    this.problem ??= `cell ${this.cellNumber()} contains a NUL byte, which text cannot contain`;
  }

  private cellNumber(): number {
    return this.cells - (this.firstCells[this.count] as number) + 1;
  }

  private growCells(): void {
    this.starts = grown(this.starts, Int32Array);
    this.ends = grown(this.ends, Int32Array);
    this.flags = grown(this.flags, Uint8Array);
  }

  private growRecords(): void {
    this.firstCells = grown(this.firstCells, Int32Array);
    this.recordStarts = grown(this.recordStarts, Int32Array);
    this.recordEnds = grown(this.recordEnds, Int32Array);
    this.lines = grown(this.lines, Float64Array);
  }

  private records(): DelimitedRecords {
    const { bytes, count, firstCells, lines, recordStarts, recordEnds, starts, ends, flags, problems } = this;
    return { bytes, count, firstCells, lines, recordStarts, recordEnds, starts, ends, flags, problems };
  }
}

function grown<T extends Int32Array | Uint8Array | Float64Array>(of: T, make: new (length: number) => T): T {
  const made = new make(2 * of.length);
  made.set(of);
  return made;
}
