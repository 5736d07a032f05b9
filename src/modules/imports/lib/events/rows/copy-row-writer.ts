import { escapeCopyText } from '../../../../../kernel/database/copy-buffer.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { TextCodec } from '../../../../../lib/readers/encoding.ts';
import { DOUBLED, type DelimitedRecords } from '../../../../../lib/readers/scan-delimited.ts';
import { LAYOUT_COLUMNS, type EventLayout } from '../file/event-layout.ts';
import { VERBATIM, EMPTY, classifyAmount, classifyDate, columnValue } from './column-value.ts';

const PIPE = 124,
  BACKSLASH = 92,
  SPACE = 32,
  NEWLINE = 10,
  RETURN = 13,
  LETTER_N = 110,
  LETTER_R = 114;
/** A windows-1252 cell takes at most three bytes per byte; a backslash before each doubles that. */
const GROWTH_MAX = 4;

const BYTES_START = 1024 * 1024;

/** Bytes that must be escaped in COPY text. */
const ESCAPED_BYTES = new Uint8Array(256);
for (const byte of [PIPE, BACKSLASH, NEWLINE, RETURN]) ESCAPED_BYTES[byte] = 1;

/** Returns the byte after the backslash of an escaped byte. */
function escapeLetter(byte: number): number {
  if (byte === NEWLINE) return LETTER_N;
  return byte === RETURN ? LETTER_R : byte;
}

/**
 * Validates the 110 values of rows and writes them in COPY form, most of them byte by byte without creating strings.
 */
export class CopyRowWriter {
  readonly starts = new Int32Array(LAYOUT_COLUMNS);
  readonly ends = new Int32Array(LAYOUT_COLUMNS);
  private readonly layout: EventLayout;
  private readonly codec: TextCodec;
  private readonly zone: string;
  /** Kinds as numbers: 0 text, 1 day, 2 instant, 3 amount. */
  private readonly kinds: Uint8Array;
  private readonly limits: Int32Array;
  bytes = Buffer.allocUnsafeSlow(BYTES_START);
  private other = Buffer.allocUnsafeSlow(BYTES_START);
  length = 0;

  constructor(layout: EventLayout, codec: TextCodec, zone: string) {
    this.layout = layout;
    this.codec = codec;
    this.zone = zone;
    this.kinds = Uint8Array.from(layout.columns, (column) => ['text', 'day', 'instant', 'amount'].indexOf(column.kind));
    this.limits = Int32Array.from(layout.columns, (column) => column.max);
  }

  /** Swaps the two buffers: the previous piece's is still being written, the one before that is free. */
  begin(): void {
    [this.bytes, this.other] = [this.other, this.bytes];
    this.length = 0;
  }

  /**
   * Appends a row and sets the positions of its values in `starts` and `ends`. Returns what is wrong with the row, in
   * which case nothing is appended.
   */
  write(records: DelimitedRecords, record: number, isAscii: boolean): string | undefined {
    const first = records.firstCells[record] as number;
    const size = (records.recordEnds[record] as number) - (records.recordStarts[record] as number);
    this.reserve(size * GROWTH_MAX + 2 * LAYOUT_COLUMNS);
    const start = this.length;
    for (let place = 0; place < LAYOUT_COLUMNS; place++) {
      if (place > 0) this.bytes[this.length++] = PIPE;
      this.starts[place] = this.length;
      const problem = this.cell(records, first + place, place, isAscii);
      if (problem !== undefined) {
        this.length = start;
        return problem;
      }
      this.ends[place] = this.length;
    }
    return undefined;
  }

  /** Removes the last row. */
  dropLast(): void {
    this.length = this.starts[0] as number;
  }

  private cell(
    { bytes, starts, ends, flags }: DelimitedRecords,
    cell: number,
    place: number,
    isAscii: boolean,
  ): string | undefined {
    let start = starts[cell] as number;
    let end = ends[cell] as number;
    if (start === end) return undefined;
    while (start < end && bytes[start] === SPACE) start++;
    while (end > start && bytes[end - 1] === SPACE) end--;
    if (start === end) return undefined;
    const isPlain = isAscii && ((flags[cell] as number) & DOUBLED) === 0;
    if (isPlain && this.copyPlain(bytes, start, end, place)) return undefined;
    return this.writeParsed(
      this.textOf(bytes, starts[cell] as number, ends[cell] as number, flags[cell] as number),
      place,
    );
  }

  /** Copies a trimmed cell that needs no parsing; false if it does. */
  private copyPlain(bytes: Buffer, start: number, end: number, place: number): boolean {
    const kind = this.kinds[place];
    if (kind === 0) {
      if (end - start > (this.limits[place] as number)) return false;
      this.copy(bytes, start, end);
      return true;
    }
    const found = kind === 3 ? classifyAmount(bytes, start, end) : classifyDate(bytes, start, end);
    // The time of a day column is ignored.
    if (found === VERBATIM) this.copy(bytes, start, kind === 1 ? start + 10 : end);
    return found === VERBATIM || found === EMPTY;
  }

  private textOf(bytes: Buffer, start: number, end: number, flag: number): string {
    const text = this.codec.text(bytes, start, end);
    return (flag & DOUBLED) === 0 ? text : text.replaceAll('""', '"');
  }

  private writeParsed(text: string, place: number): string | undefined {
    const column = this.layout.columns[place];
    if (!column) return undefined;
    try {
      const value = escapeCopyText(columnValue(column, text, this.zone));
      this.reserve(value.length * GROWTH_MAX);
      this.length += this.bytes.write(value, this.length);
      return undefined;
    } catch (error) {
      if (error instanceof PlatformError) return error.message;
      throw error;
    }
  }

  private copy(from: Buffer, start: number, end: number): void {
    const to = this.bytes;
    let length = this.length;
    for (let at = start; at < end; at++) {
      const byte = from[at] as number;
      if (ESCAPED_BYTES[byte] === 1) {
        to[length++] = BACKSLASH;
        to[length++] = escapeLetter(byte);
      } else to[length++] = byte;
    }
    this.length = length;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + bytes));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
