/** As many bytes are made ready at first; what does not fit makes it grow. */
const BYTES_FIRST = 1024 * 1024;
/** Up to this length a loop is quicker than a call. */
const LOOP_BYTES_MAX = 24;

const QUOTE = 34;

/** Writes rows in the form that `copy … (format csv)` reads, into one buffer that grows. */
export class CsvWriter {
  private readonly delimiterByte: number;
  private readonly special: RegExp;
  private buffer = Buffer.allocUnsafe(BYTES_FIRST);
  private length = 0;
  private readonly spare: Buffer<ArrayBuffer>[] = [];

  constructor(delimiter: string) {
    this.delimiterByte = delimiter.charCodeAt(0);
    this.special = new RegExp(`["\\r\\n${delimiter.replace(/[\\\]^-]/g, '\\$&')}]|^\\\\\\.$`);
  }

  get size(): number {
    return this.length;
  }

  /** Where the row that is written next begins, for {@link undo}. */
  mark(): number {
    return this.length;
  }

  /** Takes back what was written since a mark. */
  undo(mark: number): void {
    this.length = mark;
  }

  /** Bytes that are written as they should be: whole rows, or a cell. */
  raw(bytes: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    const { buffer } = this;
    let at = this.length;
    if (count <= LOOP_BYTES_MAX) for (let from = start; from < end; from++) buffer[at++] = bytes[from] as number;
    else buffer.set(bytes.subarray(start, end), at);
    this.length += count;
  }

  /** A cell that stood in quotes, without them. */
  rawQuoted(bytes: Uint8Array, start: number, end: number): void {
    // Nothing between quotes is nothing, as it is without them.
    if (start === end) return;
    this.byte(QUOTE);
    this.raw(bytes, start, end);
    this.byte(QUOTE);
  }

  /** A value; an empty one is no value. */
  text(value: string): void {
    const written = this.special.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
    // A unit of a string has at most three bytes.
    this.reserve(written.length * 3);
    this.length += this.buffer.write(written, this.length);
  }

  writeDelimiter(): void {
    this.byte(this.delimiterByte);
  }

  endRow(): void {
    this.byte(10);
  }

  /** What was written, and begins anew in another buffer; `release` lets this one be used again. */
  take(): { readonly bytes: Buffer; readonly release: () => void } {
    const { buffer } = this;
    const bytes = buffer.subarray(0, this.length);
    this.buffer = this.spare.pop() ?? Buffer.allocUnsafe(buffer.length);
    this.length = 0;
    // Large buffers by the dozen cost more in collecting them than in filling them.
    return { bytes, release: () => void this.spare.push(buffer) };
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  private reserve(count: number): void {
    if (this.length + count <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.length + count));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}
