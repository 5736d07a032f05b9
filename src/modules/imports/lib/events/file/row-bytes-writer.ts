import { BATCH_BYTES, SEPARATOR, type RowBatch } from './row-batch.ts';
import { LAYOUT_COLUMNS } from './event-layout.ts';

const SEPARATOR_BYTE = SEPARATOR.charCodeAt(0);
const NEWLINE = 10,
  RETURN = 13,
  QUOTE = 34;

/** Where the text of a column stands: nowhere, in the document's bytes, or in those that were composed. */
const ABSENT = 0,
  IN_DOCUMENT = 1,
  COMPOSED = 2;

/** Writes rows as delimited bytes from the places of their values, the same as {@link BatchMaker} makes of their texts. */
export class RowBytesWriter {
  private readonly kinds = new Uint8Array(LAYOUT_COLUMNS);
  private readonly starts = new Int32Array(LAYOUT_COLUMNS);
  private readonly ends = new Int32Array(LAYOUT_COLUMNS);
  /** By column: whether its text must stand in quotes. */
  private readonly quoted = new Uint8Array(LAYOUT_COLUMNS);
  private size = 0;
  private out = Buffer.allocUnsafeSlow(2 * BATCH_BYTES);
  private length = 0;
  private rows = 0;
  private text = Buffer.allocUnsafeSlow(4 * 1024);
  private textLength = 0;
  /** Where the text begins that is composed now. */
  private textStart = 0;
  private isOpen = false;

  /** Begins a row; one that was begun and not ended is forgotten. */
  begin(): void {
    this.kinds.fill(ABSENT);
    this.size = LAYOUT_COLUMNS;
    this.textLength = 0;
    this.isOpen = false;
  }

  has(place: number): boolean {
    return this.kinds[place] !== ABSENT;
  }

  /** Says where the text of a column stands in the bytes that {@link end} is told. */
  set(place: number, start: number, end: number, isQuoted: boolean): void {
    this.kinds[place] = IN_DOCUMENT;
    this.keep(place, start, end, isQuoted);
  }

  /** Adds to the text that is composed. A line end of any kind becomes a line feed. */
  compose(bytes: Uint8Array, start: number, end: number): void {
    this.open(end - start);
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte !== RETURN) this.text[this.textLength++] = byte;
      else if (at + 1 === end || bytes[at + 1] !== NEWLINE) this.text[this.textLength++] = NEWLINE;
    }
  }

  /** Adds characters that references stand for: a return among them stays one. */
  composeText(text: string): void {
    this.open(4);
    this.textLength += this.text.write(text, this.textLength);
  }

  /** Says whose text was composed. */
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

  /** The rows since the last time, whose bytes are written over by those that follow. @param last the number of the last one */
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
    // Each byte may be a quote, which is written twice.
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
