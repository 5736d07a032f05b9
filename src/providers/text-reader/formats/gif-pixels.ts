import type { Pixels } from './webp.ts';

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
/** Most bits of a code of the compression. */
const CODE_BITS_MAX = 12;

/** A frame of a GIF file: where it is on the picture, and its colors. */
interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  /** Three bytes for each color. */
  readonly colors: Uint8Array;
  readonly transparent: number | undefined;
  /** Where the compressed pixels begin. */
  readonly data: number;
}

/** Decodes the first frame of a GIF file. A cut file has the rows that are there. Throws RangeError if damaged. */
export function gifPixels(file: ArrayBuffer): Pixels {
  const bytes = new Uint8Array(file);
  const view = new DataView(file);
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const frame = firstFrame(view);
  const data = new Uint8ClampedArray(width * height * 4);
  const count = frame.width * frame.height;
  const indexes = unpack(blocksAt(bytes, frame.data + 1), view.getUint8(frame.data), count);
  const rows = frame.isInterlaced ? interlacedRows(frame.height) : undefined;
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at] ?? 0;
    const row = Math.floor(at / frame.width);
    const x = frame.left + (at % frame.width);
    const y = frame.top + (rows?.[row] ?? row);
    if (index === frame.transparent || x >= width || y >= height) continue;
    const to = (y * width + x) * 4;
    data.set(frame.colors.subarray(index * 3, index * 3 + 3), to);
    data[to + 3] = 255;
  }
  return { width, height, data };
}

/** Returns the size of the first frame, which its own header says. */
export function gifFrameSize(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  return firstFrame(new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
}

function firstFrame(view: DataView): Frame {
  const flags = view.getUint8(10);
  const colorsLength = tableLength(flags);
  let colors = tableAt(view, 13, colorsLength);
  let transparent: number | undefined;
  let at = 13 + colorsLength;
  while (view.getUint8(at) === EXTENSION) {
    const isControl = view.getUint8(at + 1) === GRAPHIC_CONTROL;
    if (isControl && (view.getUint8(at + 3) & 1) === 1) transparent = view.getUint8(at + 6);
    at += 2;
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
    at++;
  }
  if (view.getUint8(at) !== IMAGE) throw new RangeError('the file has no picture');
  const [left, top] = [view.getUint16(at + 1, true), view.getUint16(at + 3, true)];
  const [width, height] = [view.getUint16(at + 5, true), view.getUint16(at + 7, true)];
  const own = view.getUint8(at + 9);
  const ownLength = tableLength(own);
  if (ownLength > 0) colors = tableAt(view, at + 10, ownLength);
  const isInterlaced = (own & 0x40) !== 0;
  return { left, top, width, height, isInterlaced, colors, transparent, data: at + 10 + ownLength };
}

function tableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function tableAt(view: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, length);
}

/** Joins blocks that each begin with their length; an empty one ends them. */
function blocksAt(bytes: Uint8Array, from: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = from; (bytes[at] ?? 0) > 0; at += 1 + (bytes[at] ?? 0))
    blocks.push(bytes.subarray(at + 1, at + 1 + (bytes[at] ?? 0)));
  return Buffer.concat(blocks);
}

/** Decompresses the numbers of colors. What a cut file lacks is missing at the end. */
function unpack(packed: Uint8Array, bits: number, count: number): Uint8Array {
  if (bits < 2 || bits > 8) throw new RangeError('damaged');
  const [clear, end] = [1 << bits, (1 << bits) + 1];
  const sequences = new Sequences(bits, count);
  for (let bit = 0; bit + sequences.width <= packed.length * 8 && !sequences.isFull();) {
    const code = codeAt(packed, bit, sequences.width);
    bit += sequences.width;
    if (code === end) break;
    if (code === clear) sequences.clear();
    else sequences.append(code);
  }
  return sequences.unpacked();
}

/** What codes stand for: an earlier sequence of what was written, and one number more. */
class Sequences {
  /** Bits of the next code. */
  width: number;
  private readonly bits: number;
  private readonly written: Uint8Array;
  private readonly starts = new Int32Array(1 << CODE_BITS_MAX);
  private readonly lengths = new Int32Array(1 << CODE_BITS_MAX);
  private next: number;
  private before = -1;
  private to = 0;

  constructor(bits: number, count: number) {
    this.bits = bits;
    this.width = bits + 1;
    this.next = (1 << bits) + 2;
    this.written = new Uint8Array(count);
  }

  isFull(): boolean {
    return this.to >= this.written.length;
  }

  unpacked(): Uint8Array {
    return this.written.subarray(0, this.to);
  }

  clear(): void {
    this.width = this.bits + 1;
    this.next = (1 << this.bits) + 2;
    this.before = -1;
  }

  append(code: number): void {
    const { before, next } = this;
    if (code > next || (code === next && before < 0)) throw new RangeError('damaged');
    if (before >= 0 && next < this.starts.length) {
      // The sequence before, and the number that follows it, which is written now.
      const length = this.lengthOf(before);
      this.starts[next] = this.to - length;
      this.lengths[next] = length + 1;
      this.next++;
    }
    this.write(code);
    this.before = code;
    if (this.next === 1 << this.width && this.width < CODE_BITS_MAX) this.width++;
  }

  private lengthOf(code: number): number {
    return code < 1 << this.bits ? 1 : (this.lengths[code] ?? 0);
  }

  private write(code: number): void {
    if (code < 1 << this.bits) {
      this.written[this.to++] = code;
      return;
    }
    let from = this.starts[code] ?? 0;
    for (let left = this.lengths[code] ?? 0; left > 0 && !this.isFull(); left--)
      this.written[this.to++] = this.written[from++] ?? 0;
  }
}

/** Returns the number in some bits, the lowest bit first. */
function codeAt(bytes: Uint8Array, bit: number, width: number): number {
  const at = bit >> 3;
  const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
  return (word >> (bit & 7)) & ((1 << width) - 1);
}

/** Returns the rows in the order in which an interlaced file has them: each 8th, then those between. */
function interlacedRows(height: number): readonly number[] {
  const passes = [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const;
  return passes.flatMap(([first, step]) =>
    Array.from({ length: Math.max(0, Math.ceil((height - first) / step)) }, (_, at) => first + at * step),
  );
}
