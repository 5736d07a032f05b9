/**
 * Finds records and cells in delimited bytes, and makes no strings: the base of every reader of delimited text. Whoever reads
 * millions of rows takes offsets from here and decodes only the cells that it needs.
 *
 * It works on any encoding in which the bytes of ASCII mean ASCII (UTF-8, windows-1252); `textBytes` brings UTF-16 to UTF-8. Quotes
 * are those of RFC 4180: a cell that begins with one ends with one, and holds delimiters, line ends, and quotes written twice. A
 * line ends with CR LF, LF or CR. A record with wrong quotes fails alone: reading goes on behind the record's first line end,
 * even where the quote that opened was never closed, so nothing that follows is lost with it.
 *
 * Every byte is looked at once, those behind a wrong quote at most twice more. Measured on two shared cores with cells of ten bytes:
 * 250 to 300 MB a second, quoted or not; with a string made for each of fifteen cells of a row, 150 MB or 770,000 rows.
 */
import { CELL_BYTES_MAX, COLUMNS_MAX, formatCount, RECORD_BYTES_MAX } from './limits.ts';

/** How the bytes are to be read. */
export interface ScanOptions {
  /** One ASCII character; undefined where a record is one cell. */
  readonly delimiter: string | undefined;
  /** One ASCII character; undefined where quotes are characters like any other. */
  readonly quote: string | undefined;
}

/**
 * The records that a piece of the source completed. Offsets count in `bytes`. All of it is written over when the next piece is
 * asked for.
 */
export interface DelimitedRecords {
  readonly bytes: Buffer;
  /** How many records there are. */
  readonly count: number;
  /** By record: where its cells begin in `starts`, `ends` and `flags`; one more than records, so that the next one's is where they end. */
  readonly firstCells: Int32Array;
  /** By record: its line, from 1. */
  readonly lines: Float64Array;
  /** By record: its first byte, and the line end behind its last. */
  readonly recordStarts: Int32Array;
  readonly recordEnds: Int32Array;
  /** By cell: its first byte and the one behind its last, without the quotes around it. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** By cell: {@link QUOTED}, {@link DOUBLED}. */
  readonly flags: Uint8Array;
  /** Why a record cannot be read, by its number in this piece. Its cells are not to be used. */
  readonly problems: ReadonlyMap<number, string>;
}

/** The cell stood in quotes. */
export const QUOTED = 1;
/** The cell holds quotes written twice. */
export const DOUBLED = 2;

/** As many bytes are scanned at once, however large the pieces of the source are, so that what is held stays small. */
const SCAN_BYTES = 128 * 1024;

const LINE_FEED = 10;
const RETURN = 13;

/** What a byte is. */
const PLAIN = 0,
  DELIMITER = 1,
  QUOTE = 2,
  LINE_END = 3,
  NUL = 4;

/** Where the scan stands: before a record, before a cell, in one, in a quoted one, behind a quote in it, behind a fault, in what is dropped. */
const RECORD = 0,
  CELL = 1,
  TEXT = 2,
  QUOTES = 3,
  CLOSING = 4,
  FAULTY = 5,
  DROPPED = 6;

/** Scans a stream. A batch is good until the next is asked for. */
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

/** The scan itself, for bytes that are there already; most take {@link scanDelimited}. */
export class DelimitedScanner {
  private readonly classes = new Uint8Array(256);
  private readonly quote: number;
  private bytes = Buffer.allocUnsafe(2 * SCAN_BYTES);
  private length = 0;
  private position = 0;
  private state = RECORD;
  private line = 1;
  /** Line ends inside the record that is read. */
  private linesWithin = 0;
  private afterReturn = false;
  private recordStart = 0;
  private cellStart = 0;
  private flag = 0;
  private problem: string | undefined;
  private count = 0;
  private cells = 0;
  private firstCells = new Int32Array(1024);
  private lines = new Float64Array(1024);
  private recordStarts = new Int32Array(1024);
  private recordEnds = new Int32Array(1024);
  private starts = new Int32Array(16 * 1024);
  private ends = new Int32Array(16 * 1024);
  private flags = new Uint8Array(16 * 1024);
  private problems = new Map<number, string>();

  constructor({ delimiter, quote }: ScanOptions) {
    this.quote = quote === undefined ? -1 : quote.charCodeAt(0);
    this.classes[0] = NUL;
    this.classes[LINE_FEED] = this.classes[RETURN] = LINE_END;
    if (delimiter !== undefined) this.classes[delimiter.charCodeAt(0)] = DELIMITER;
    if (this.quote >= 0) this.classes[this.quote] = QUOTE;
  }

  /** Takes the next bytes and answers the records that they complete. */
  write(chunk: Uint8Array): DelimitedRecords {
    this.append(chunk);
    this.scan();
    this.judgeUnfinished();
    return this.records();
  }

  /** Says that nothing follows and answers what was left: a last line needs no line end. */
  end(): DelimitedRecords {
    this.append(new Uint8Array(0));
    // A cell in quotes that never closed is judged like any other fault, and what follows its first line is read.
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

  /** Drops what was answered, moves what is unfinished to the front, and appends. */
  private append(chunk: Uint8Array): void {
    const from = this.state === RECORD || this.state === DROPPED ? this.position : this.recordStart;
    const kept = this.firstCells[this.count] ?? 0;
    if (from > 0) {
      this.bytes.copyWithin(0, from, this.length);
      this.length -= from;
      this.position -= from;
      this.recordStart -= from;
      this.cellStart -= from;
    }
    if (kept > 0 || from > 0) {
      for (let cell = kept; cell < this.cells; cell++) {
        this.starts[cell - kept] = (this.starts[cell] as number) - from;
        this.ends[cell - kept] = (this.ends[cell] as number) - from;
        this.flags[cell - kept] = this.flags[cell] as number;
      }
      this.cells -= kept;
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
      // Its fields are read again in each turn: a fault may have moved the position back.
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
          if (bytes[at] === this.quote) {
            this.cellStart = this.position = at + 1;
            this.flag = QUOTED;
            this.state = QUOTES;
          } else {
            this.cellStart = at;
            this.flag = 0;
            this.state = TEXT;
          }
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
          while (at < length && bytes[at] !== LINE_FEED && bytes[at] !== RETURN) at++;
          this.position = at;
          if (at < length) this.endLine(at);
      }
    }
  }

  /** The plain cells of a record, one after the other: nearly all of nearly every file goes through here. */
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
        // At the end of the bytes the next cell has not begun: it may be a quoted one.
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
          `cell ${this.cellNumber()} has a quote within; expected quotes around the whole cell, and those within it written twice`,
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
        `cell ${this.cellNumber()} goes on behind its closing quote; expected quotes within a cell written twice`,
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

  /** At the line end of a record, or of what is dropped. */
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

  /** Fails the record, and goes on behind its first line end: there, where it is known, or wherever it will be. */
  private fail(message: string, at: number): void {
    this.problem = this.tooLong(at) ?? this.problem ?? message;
    this.linesWithin = 0;
    this.state = FAULTY;
    // The bytes are few (a record's) and searched once for a record that failed.
    const record = this.bytes.subarray(this.recordStart, at);
    const feed = record.indexOf(LINE_FEED);
    const back = (feed < 0 ? record : record.subarray(0, feed)).indexOf(RETURN);
    const end = back < 0 ? feed : back;
    if (end < 0) this.position = at;
    else this.endLine(this.recordStart + end);
  }

  /** Of the cell that is read, up to a position; one that is behind its closing quote does not count it. */
  private cellLength(at: number): number {
    return this.state === CLOSING ? at - 1 - this.cellStart : at - this.cellStart;
  }

  private tooLong(at: number): string | undefined {
    if (this.cellLength(at) > CELL_BYTES_MAX)
      return `cell ${this.cellNumber()} is longer than ${formatCount(CELL_BYTES_MAX)} bytes${this.flag & QUOTED ? ', or its quotes do not close' : ''}`;
    return at - this.recordStart > RECORD_BYTES_MAX
      ? `the row is longer than ${formatCount(RECORD_BYTES_MAX)} bytes`
      : undefined;
  }

  /** A record that is longer than any may be is given up before it is complete. */
  private judgeUnfinished(): void {
    for (;;) {
      const isCell = this.state === TEXT || this.state === QUOTES;
      const isLong =
        (isCell && this.cellLength(this.length) > CELL_BYTES_MAX) ||
        (this.state !== RECORD && this.state !== DROPPED && this.length - this.recordStart > RECORD_BYTES_MAX);
      if (!isLong) return;
      if (this.state !== FAULTY) this.fail('', this.length);
      if (this.state === FAULTY) {
        // Its first line goes on beyond what is held: the record is answered as far as it is known, and the rest of the line dropped.
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
    this.problem ??= `cell ${this.cellNumber()} holds a NUL byte, which no text has`;
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
