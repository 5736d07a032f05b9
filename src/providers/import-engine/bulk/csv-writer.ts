/** Initial size of the buffer, which grows. */
const BYTES_FIRST = 1024 * 1024;
/** Up to this length a loop is faster than a call. */
const LOOP_BYTES_MAX = 24;

const QUOTE = 34;

/** Writes rows in the form of `copy … (format csv)` into a growing buffer. */
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

  /** Returns the start of the next row, for {@link undo}. */
  mark(): number {
    return this.length;
  }

  /** Removes everything written since a mark. */
  undo(mark: number): void {
    this.length = mark;
  }

  /** Writes bytes unchanged: whole rows, or a cell. */
  raw(bytes: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    const { buffer } = this;
    let at = this.length;
    if (count <= LOOP_BYTES_MAX) for (let from = start; from < end; from++) buffer[at++] = bytes[from] as number;
    else buffer.set(bytes.subarray(start, end), at);
    this.length += count;
  }

  /** Writes a cell that was quoted, passed without its quotes. */
  rawQuoted(bytes: Uint8Array, start: number, end: number): void {
    // An empty quoted cell is empty.
    if (start === end) return;
    this.byte(QUOTE);
    this.raw(bytes, start, end);
    this.byte(QUOTE);
  }

  /** Writes a value; an empty one is no value. */
  text(value: string): void {
    const written = this.special.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
    // A UTF-16 unit takes at most three bytes.
    this.reserve(written.length * 3);
    this.length += this.buffer.write(written, this.length);
  }

  writeDelimiter(): void {
    this.byte(this.delimiterByte);
  }

  endRow(): void {
    this.byte(10);
  }

  /** Returns the written bytes and starts another buffer; `release` lets this one be reused. */
  take(): { readonly bytes: Buffer; readonly release: () => void } {
    const { buffer } = this;
    const bytes = buffer.subarray(0, this.length);
    this.buffer = this.spare.pop() ?? Buffer.allocUnsafe(buffer.length);
    this.length = 0;
    // Collecting dozens of large buffers costs more than filling them.
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
