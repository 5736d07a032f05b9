import { inflateSync } from 'node:zlib';

/** A page of a TIFF file, as the file describes it. */
export interface TiffPage {
  readonly width: number;
  readonly height: number;
  /** Pixels per inch; undefined if the file does not say. */
  readonly resolution: { readonly x: number; readonly y: number } | undefined;
  /** The number of {@link TIFF_COMPRESSION}. */
  readonly compression: number;
  /** 0 white is zero, 1 black is zero, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr. */
  readonly photometric: number;
  readonly bits: number;
  readonly samples: number;
  readonly predictor: number;
  /** As the file writes it: 1 upright; see EXIF. */
  readonly orientation: number;
  /** Options of fax compression of group 3. */
  readonly faxOptions: number;
  /** 16-bit values: all reds, all greens, all blues. */
  readonly palette: readonly number[];
  /** Tables that all strips of JPEG compression share. */
  readonly jpegTables: Buffer | undefined;
  readonly strips: readonly TiffStrip[];
}

/** Some rows of a page. */
export interface TiffStrip {
  readonly rows: number;
  /** Compressed, with the first pixel in the highest bit. */
  readonly bytes: Buffer;
}

export const TIFF_COMPRESSION = {
  none: 1,
  huffman: 2,
  group3: 3,
  group4: 4,
  lzw: 5,
  jpeg: 7,
  deflate: 8,
  packBits: 32773,
};
/** Another number of deflate compression. */
const OLD_DEFLATE = 32946;

/** The file is not TIFF, is damaged, or has something that is not read. The message continues a sentence. */
export class TiffError extends Error {
  override readonly name = 'TiffError';
}

const PAGES_MAX = 5_000;
const PIXELS_MAX = 300_000_000;
const STRIPS_MAX = 20_000;

const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  offsets: 273,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  counts: 279,
  xResolution: 282,
  yResolution: 283,
  planar: 284,
  faxOptions: 292,
  unit: 296,
  predictor: 317,
  palette: 320,
  tileWidth: 322,
  jpegTables: 347,
};

/** Returns the pages of a TIFF file. Throws {@link TiffError}. */
export function tiffPages(file: Buffer): readonly TiffPage[] {
  try {
    return readPages(file);
  } catch (error) {
    // A damaged file refers to bytes outside of it.
    if (error instanceof RangeError) throw new TiffError('is damaged');
    throw error;
  }
}

function readPages(file: Buffer): readonly TiffPage[] {
  const mark = file.toString('latin1', 0, 2);
  const numbers = new TiffNumbers(file, mark === 'II');
  if ((mark !== 'II' && mark !== 'MM') || numbers.short(2) !== 42) throw new TiffError('is not a TIFF file');
  const pages: TiffPage[] = [];
  const seen = new Set<number>();
  for (let at = numbers.long(4); at !== 0;) {
    if (seen.has(at)) throw new TiffError('is damaged');
    seen.add(at);
    if (pages.length >= PAGES_MAX) throw new TiffError(`has more than ${PAGES_MAX} pages`);
    const count = numbers.short(at);
    pages.push(readPage(file, tagsAt(numbers, at + 2, count)));
    at = numbers.long(at + 2 + count * 12);
  }
  if (pages.length === 0) throw new TiffError('is damaged');
  return pages;
}

type Tags = ReadonlyMap<number, readonly number[]>;

/** Bytes of a value, by type of value; fractions are read as one value. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1 };
const VALUES_MAX = 1_000_000;

function tagsAt(numbers: TiffNumbers, start: number, count: number): Tags {
  const tags = new Map<number, readonly number[]>();
  for (let entry = 0; entry < count; entry++) {
    const at = start + entry * 12;
    const [type, length] = [numbers.short(at + 2), numbers.long(at + 4)];
    const size = TYPE_BYTES[type];
    if (size === undefined) continue;
    if (length > VALUES_MAX) throw new TiffError('is damaged');
    const from = size * length <= 4 ? at + 8 : numbers.long(at + 8);
    tags.set(
      numbers.short(at),
      Array.from({ length }, (_, index) => numbers.value(type, from + index * size)),
    );
  }
  return tags;
}

function readPage(file: Buffer, tags: Tags): TiffPage {
  const one = (tag: number, otherwise: number): number => tags.get(tag)?.[0] ?? otherwise;
  const [width, height] = [one(TAG.width, 0), one(TAG.height, 0)];
  if (width === 0 || height === 0) throw new TiffError('is damaged');
  if (width * height > PIXELS_MAX) throw new TiffError(`has a page of more than ${PIXELS_MAX} pixels`);
  const samples = one(TAG.samples, 1);
  if (tags.has(TAG.tileWidth)) throw new TiffError('is stored in tiles; save it as an ordinary TIFF or PDF file');
  if (one(TAG.planar, 1) !== 1 && samples > 1)
    throw new TiffError('stores its colors separately; save it as an ordinary TIFF or PDF file');
  const tables = tags.get(TAG.jpegTables);
  const compression = one(TAG.compression, TIFF_COMPRESSION.none);
  return {
    width,
    height,
    resolution: resolutionOf(one(TAG.xResolution, 0), one(TAG.yResolution, 0), one(TAG.unit, 2)),
    compression: compression === OLD_DEFLATE ? TIFF_COMPRESSION.deflate : compression,
    photometric: one(TAG.photometric, 0),
    bits: one(TAG.bits, 1),
    samples,
    predictor: one(TAG.predictor, 1),
    orientation: one(TAG.orientation, 1),
    faxOptions: one(TAG.faxOptions, 0),
    palette: tags.get(TAG.palette) ?? [],
    jpegTables: tables && Buffer.from(tables),
    strips: stripsOf(file, tags, height),
  };
}

const CENTIMETERS = 3;

function resolutionOf(x: number, y: number, unit: number): TiffPage['resolution'] {
  const factor = unit === CENTIMETERS ? 2.54 : 1;
  return x > 0 && y > 0 && unit !== 1 ? { x: x * factor, y: y * factor } : undefined;
}

function stripsOf(file: Buffer, tags: Tags, height: number): readonly TiffStrip[] {
  const [offsets = [], counts = []] = [tags.get(TAG.offsets), tags.get(TAG.counts)];
  const perStrip = Math.min(Math.max(tags.get(TAG.rowsPerStrip)?.[0] ?? height, 1), height);
  const count = Math.ceil(height / perStrip);
  if (count > STRIPS_MAX || offsets.length < count || counts.length < count) throw new TiffError('is damaged');
  const isReversed = tags.get(TAG.fillOrder)?.[0] === 2;
  return Array.from({ length: count }, (_, index) => {
    const [start, length] = [offsets[index] ?? 0, counts[index] ?? 0];
    if (length === 0 || start + length > file.length) throw new TiffError('is damaged');
    const bytes = file.subarray(start, start + length);
    return {
      rows: Math.min(perStrip, height - index * perStrip),
      bytes: isReversed ? (bytes.map((byte) => REVERSED[byte] ?? 0) as Buffer) : bytes,
    };
  });
}

/** Each byte with its bits in the opposite order. */
const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').toReversed().join(''), 2),
);

/** Returns the rows of a page that is not compressed as fax or JPEG, without predictor. Throws {@link TiffError}. */
export function tiffRows(page: TiffPage): Buffer {
  const rowBytes = Math.ceil((page.width * page.bits * page.samples) / 8);
  const rows = Buffer.alloc(rowBytes * page.height);
  let at = 0;
  for (const strip of page.strips) {
    const part = rows.subarray(at, at + strip.rows * rowBytes);
    decompress(page.compression, strip.bytes, part);
    at += part.length;
  }
  if (page.predictor === 2) undoPredictor(rows, page, rowBytes);
  else if (page.predictor !== 1) throw new TiffError('has an unsupported layout');
  return rows;
}

function decompress(compression: number, bytes: Buffer, target: Buffer): void {
  switch (compression) {
    case TIFF_COMPRESSION.none:
      bytes.copy(target);
      return;
    case TIFF_COMPRESSION.packBits:
      return unpackBits(bytes, target);
    case TIFF_COMPRESSION.lzw:
      return unpackLzw(bytes, target);
    case TIFF_COMPRESSION.deflate:
      try {
        inflateSync(bytes, { maxOutputLength: target.length + 1 }).copy(target);
      } catch {
        throw new TiffError('is damaged');
      }
      return;
    default:
      throw new TiffError('has an unsupported compression');
  }
}

/** Each value of a row is the difference to that of the pixel before. */
function undoPredictor(rows: Buffer, { bits, samples, height }: TiffPage, rowBytes: number): void {
  if (bits !== 8) throw new TiffError('has an unsupported layout');
  for (let row = 0; row < height; row++)
    for (let at = row * rowBytes + samples; at < (row + 1) * rowBytes; at++)
      rows[at] = ((rows[at] ?? 0) + (rows[at - samples] ?? 0)) & 0xff;
}

/** Runs of one byte, and bytes as they are. */
function unpackBits(bytes: Buffer, target: Buffer): void {
  let to = 0;
  for (let at = 0; at < bytes.length && to < target.length;) {
    const control = bytes.readInt8(at++);
    if (control === -128) continue;
    if (control < 0) {
      target.fill(bytes[at++] ?? 0, to, to + 1 - control);
      to += 1 - control;
    } else {
      bytes.copy(target, to, at, at + control + 1);
      at += control + 1;
      to += control + 1;
    }
  }
}

const LZW_CLEAR = 256;
const LZW_END = 257;
const LZW_CODES_MAX = 4_096;

/** Decompresses LZW: a table of byte sequences grows by one with each code; each is an earlier one and a byte. */
function unpackLzw(bytes: Buffer, target: Buffer): void {
  const table = new LzwTable(target);
  for (let bit = 0; bit + table.width <= bytes.length * 8 && !table.isFull();) {
    const code = codeAt(bytes, bit, table.width);
    bit += table.width;
    if (code === LZW_END) return;
    if (code === LZW_CLEAR) table.clear();
    else table.append(code);
  }
}

/** Returns the number in some bits of the bytes; those behind the end are zero. */
function codeAt(bytes: Buffer, bit: number, width: number): number {
  const at = bit >> 3;
  const word = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  return (word >> (24 - (bit & 7) - width)) & ((1 << width) - 1);
}

/** The sequences that codes stand for, each by its first place in what has been written. */
class LzwTable {
  /** Bits of the next code. */
  width = 9;
  private readonly target: Buffer;
  private readonly starts = new Int32Array(LZW_CODES_MAX);
  private readonly lengths = new Int32Array(LZW_CODES_MAX);
  private next = LZW_END + 1;
  private before: number | undefined;
  private to = 0;

  constructor(target: Buffer) {
    this.target = target;
  }

  isFull(): boolean {
    return this.to >= this.target.length;
  }

  clear(): void {
    this.next = LZW_END + 1;
    this.width = 9;
    this.before = undefined;
  }

  append(code: number): void {
    const { before, to } = this;
    if (code >= this.next + (before === undefined ? 0 : 1) || this.next >= LZW_CODES_MAX)
      throw new TiffError('is damaged');
    if (before !== undefined) {
      // Its sequence was written just now: the one before, and the byte that follows it.
      this.starts[this.next] = to - this.lengthOf(before);
      this.lengths[this.next++] = this.lengthOf(before) + 1;
    }
    this.write(code);
    this.before = code;
    if (this.next >= (1 << this.width) - 1 && this.width < 12) this.width++;
  }

  private lengthOf(code: number): number {
    return code < LZW_CLEAR ? 1 : (this.lengths[code] ?? 0);
  }

  private write(code: number): void {
    if (code < LZW_CLEAR) {
      this.target[this.to++] = code;
      return;
    }
    let from = this.starts[code] ?? 0;
    for (let left = this.lengthOf(code); left > 0 && !this.isFull(); left--)
      this.target[this.to++] = this.target[from++] ?? 0;
  }
}

/** Numbers in a file, in its byte order. Throws RangeError outside of it. */
class TiffNumbers {
  private readonly file: Buffer;
  private readonly isLittle: boolean;

  constructor(file: Buffer, isLittle: boolean) {
    this.file = file;
    this.isLittle = isLittle;
  }

  short(at: number): number {
    return this.isLittle ? this.file.readUInt16LE(at) : this.file.readUInt16BE(at);
  }

  long(at: number): number {
    return this.isLittle ? this.file.readUInt32LE(at) : this.file.readUInt32BE(at);
  }

  value(type: number, at: number): number {
    if (type === 3) return this.short(at);
    if (type === 4) return this.long(at);
    if (type !== 5) return this.file.readUInt8(at);
    const below = this.long(at + 4);
    return below === 0 ? 0 : this.long(at) / below;
  }
}
