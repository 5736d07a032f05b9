/** Bytes that are sent at once. */
const CHUNK_BYTES = 128 * 1024;
/** Texts up to this length are written in a loop, which a call of the buffer costs more than. */
const LOOPED_CHARACTERS = 48;
/** The digits of the largest whole number that a double holds. */
const DIGITS_MAX = 16;

const PIPE = 124,
  NEWLINE = 10,
  ZERO = 48;

/**
 * Writes the bytes of copies, whose values stand between `|`. They are used again for the next one, which begins when the one before has
 * ended: as texts, the rows of a piece were a fifth of all that the collector had to clear away.
 */
export class CopyBuffer {
  private bytes = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);
  private length = 0;
  private sent = 0;

  /** The bytes of all items, in pieces of some size. @param write writes the line of an item, without its end */
  *lines<T>(items: readonly T[], write: (item: T, index: number) => void): Generator<Buffer, void, undefined> {
    this.length = this.sent = 0;
    for (let index = 0; index < items.length; index++) {
      write(items[index] as T, index);
      this.reserve(1);
      this.bytes[this.length++] = NEWLINE;
      if (this.length - this.sent < CHUNK_BYTES) continue;
      yield this.bytes.subarray(this.sent, this.length);
      this.sent = this.length;
    }
    if (this.length > this.sent) yield this.bytes.subarray(this.sent, this.length);
  }

  /** A text that is written as a copy takes it, see `copyText`. */
  text(text: string): this {
    const count = text.length;
    // A unit of a string has at most three bytes.
    this.reserve(3 * count);
    const start = this.length;
    if (count <= LOOPED_CHARACTERS) {
      let at = 0;
      for (; at < count; at++) {
        const code = text.charCodeAt(at);
        if (code > 127) break;
        this.bytes[start + at] = code;
      }
      this.length = start + at;
      if (at === count) return this;
    }
    this.length = start + this.bytes.write(text, start);
    return this;
  }

  /** A whole number that is not negative. */
  number(value: number): this {
    this.reserve(DIGITS_MAX);
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    let rest = value;
    for (let at = this.length + digits - 1; at >= this.length; at--) {
      const tenth = Math.floor(rest / 10);
      this.bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
    }
    this.length += digits;
    return this;
  }

  /** Bytes as they stand. */
  raw(bytes: Buffer, start: number, end: number): this {
    this.reserve(end - start);
    this.length += bytes.copy(this.bytes, this.length, start, end);
    return this;
  }

  /** The end of a value. */
  endValue(): this {
    this.reserve(1);
    this.bytes[this.length++] = PIPE;
    return this;
  }

  /** What was sent is read until its copy has ended, and stays in the bytes that it was written into. */
  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + count));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
