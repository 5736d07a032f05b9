/** Bytes sent at once. */
const CHUNK_BYTES = 128 * 1024;
/** Texts up to this length are written in a loop, which is cheaper than a buffer call. */
const LOOPED_CHARACTERS = 48;
/** Digits of the largest integer that a double holds. */
const DIGITS_MAX = 16;

const PIPE = 124,
  NEWLINE = 10,
  ZERO = 48;

/**
 * Buffers COPY rows whose values are separated by `|`. The buffer is reused for the next COPY, which starts after the
 * previous one has ended: as strings, the rows of a piece were a fifth of all garbage.
 */
export class CopyBuffer {
  private bytes = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);
  private length = 0;
  private sent = 0;

  /**
   * Yields the bytes of all items in chunks.
   * @param write writes the line of an item, without its end
   */
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

  /** Writes text that is already escaped for COPY, see `escapeCopyText`. */
  text(text: string): this {
    const count = text.length;
    // A UTF-16 unit takes at most three bytes.
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

  /** Writes a non-negative integer. */
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

  /** Copies bytes unchanged. */
  raw(bytes: Buffer, start: number, end: number): this {
    this.reserve(end - start);
    this.length += bytes.copy(this.bytes, this.length, start, end);
    return this;
  }

  /** Ends a value. */
  endValue(): this {
    this.reserve(1);
    this.bytes[this.length++] = PIPE;
    return this;
  }

  /** Sent bytes are read until their COPY has ended, so they stay in the old buffer. */
  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + count));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/** Escapes text for COPY with the delimiter `|`. */
export function escapeCopyText(text: string): string {
  return /[|\\\n\r]/.test(text) ? text.replace(/[|\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r') : text;
}
