import { BATCH_BYTES, SEPARATOR, type RowBatch } from './row-batch.ts';
import { LAYOUT_COLUMNS } from './event-layout.ts';

const SEPARATOR_BYTE = SEPARATOR.charCodeAt(0);
const NEWLINE = 10,
  RETURN = 13,
  QUOTE = 34;

/** Room for the rows at the start; it doubles as needed. Many documents have few events. */
const BYTES_START = 16 * 1024;

/** Where the text of a column is: absent, in the document's bytes, or in the composed bytes. */
const ABSENT = 0,
  IN_DOCUMENT = 1,
  COMPOSED = 2;

/**
 * Writes rows as delimited bytes from the positions of their values, with the same result as {@link RowBatchBuilder}
 * has from their texts.
 */
export class RowBytesWriter {
  private readonly kinds = new Uint8Array(LAYOUT_COLUMNS);
  private readonly starts = new Int32Array(LAYOUT_COLUMNS);
  private readonly ends = new Int32Array(LAYOUT_COLUMNS);
  /** Whether each column's text must be quoted. */
  private readonly quoted = new Uint8Array(LAYOUT_COLUMNS);
  private size = 0;
  private out = Buffer.allocUnsafeSlow(BYTES_START);
  private length = 0;
  private rows = 0;
  private text = Buffer.allocUnsafeSlow(4 * 1024);
  private textLength = 0;
  /** Start of the text that is being composed. */
  private textStart = 0;
  private isOpen = false;

  /** Begins a row; an unfinished one is discarded. */
  begin(): void {
    this.kinds.fill(ABSENT);
    this.size = LAYOUT_COLUMNS;
    this.textLength = 0;
    this.isOpen = false;
  }

  has(place: number): boolean {
    return this.kinds[place] !== ABSENT;
  }

  /** Sets the position of a column's text in the bytes passed to {@link end}. */
  set(place: number, start: number, end: number, isQuoted: boolean): void {
    this.kinds[place] = IN_DOCUMENT;
    this.keep(place, start, end, isQuoted);
  }

  /** Appends to the composed text. A line end of any kind becomes a line feed. */
  compose(bytes: Uint8Array, start: number, end: number): void {
    this.open(end - start);
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte !== RETURN) this.text[this.textLength++] = byte;
      else if (at + 1 === end || bytes[at + 1] !== NEWLINE) this.text[this.textLength++] = NEWLINE;
    }
  }

  /** Appends characters from references; a carriage return among them is kept. */
  composeText(text: string): void {
    this.open(4);
    this.textLength += this.text.write(text, this.textLength);
  }

  /** Assigns the composed text to a column. */
  composed(place: number): void {
    this.isOpen = false;
    this.kinds[place] = COMPOSED;
    const text = this.text.subarray(this.textStart, this.textLength);
    this.keep(
      place,
      this.textStart,
      this.textLength,
      text.includes(QUOTE) || text.includes(NEWLINE) || text.includes(RETURN),
    );
  }

  /** Writes the row. */
  end(bytes: Uint8Array): void {
    this.reserve();
    const { kinds, starts, ends, quoted, out } = this;
    let length = this.length;
    for (let place = 0; place < LAYOUT_COLUMNS; place++) {
      if (place > 0) out[length++] = SEPARATOR_BYTE;
      const kind = kinds[place];
      if (kind === ABSENT) continue;
      const from = kind === COMPOSED ? this.text : bytes;
      const end = ends[place] as number;
      if (quoted[place] === 0)
        for (let at = starts[place] as number; at < end; at++) out[length++] = from[at] as number;
      else {
        out[length++] = QUOTE;
        for (let at = starts[place] as number; at < end; at++) {
          const byte = from[at] as number;
          if (byte === QUOTE) out[length++] = QUOTE;
          out[length++] = byte;
        }
        out[length++] = QUOTE;
      }
    }
    out[length++] = NEWLINE;
    this.length = length;
    this.rows++;
  }

  get isFull(): boolean {
    return this.length >= BATCH_BYTES;
  }

  /**
   * Returns the rows since the last call. Later rows overwrite their bytes.
   * @param last number of the last row
   */
  take(last: number): RowBatch | undefined {
    if (this.rows === 0) return undefined;
    const batch = {
      bytes: this.out.subarray(0, this.length),
      lines: Array.from({ length: this.rows }, (_, n) => last - this.rows + 1 + n),
      problems: new Map<number, string>(),
    };
    this.rows = 0;
    this.length = 0;
    return batch;
  }

  private keep(place: number, start: number, end: number, isQuoted: boolean): void {
    this.starts[place] = start;
    this.ends[place] = end;
    this.quoted[place] = isQuoted ? 1 : 0;
    // Each byte may be a quote, which is doubled.
    this.size += isQuoted ? 2 * (end - start) + 2 : end - start;
  }

  private open(bytes: number): void {
    if (!this.isOpen) this.textStart = this.textLength;
    this.isOpen = true;
    if (this.textLength + bytes <= this.text.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.textLength + bytes));
    this.text.copy(larger, 0, 0, this.textLength);
    this.text = larger;
  }

  private reserve(): void {
    if (this.length + this.size <= this.out.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + this.size));
    this.out.copy(larger, 0, 0, this.length);
    this.out = larger;
  }
}
