import { UnreadableFile } from '../../../contracts/text-reader.ts';
import type { Pixels } from './webp.ts';

const HEADER_BYTES = 14;
/** The header of the first version has numbers of two bytes. */
const CORE_HEADER_BYTES = 12;
const PLAIN = 0;
/** Masks say which bits are which color. */
const MASKED: readonly number[] = [3, 6];

/** What the headers of a BMP file say. */
interface BmpHeader {
  readonly width: number;
  readonly height: number;
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly rowBytes: number;
  /** Where the pixels begin. */
  readonly data: number;
  /** Where the colors begin, and the bytes of each. */
  readonly colors: number;
  readonly colorBytes: number;
  /** Bits of red, green and blue, of pixels of 16 and 32 bits. */
  readonly masks: readonly number[];
}

/** Returns the size of a BMP file in pixels. */
export function bmpSize(view: DataView): { readonly width: number; readonly height: number } {
  if (view.getUint32(HEADER_BYTES, true) === CORE_HEADER_BYTES)
    return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

/** Decodes a BMP file. Throws RangeError if it is damaged, UnreadableFile if it is compressed. */
export function bmpPixels(file: ArrayBuffer): Pixels {
  const view = new DataView(file);
  const header = headerOf(view);
  const { width, height } = header;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let row = 0; row < height; row++) {
    const from = header.data + row * header.rowBytes;
    const to = (header.isTopDown ? row : height - 1 - row) * width * 4;
    for (let x = 0; x < width; x++) data.set(colorAt(view, header, from, x), to + x * 4);
  }
  return { width, height, data };
}

function headerOf(view: DataView): BmpHeader {
  const size = view.getUint32(HEADER_BYTES, true);
  const isCore = size === CORE_HEADER_BYTES;
  const { width, height } = bmpSize(view);
  const bits = view.getUint16(isCore ? 24 : 28, true);
  const compression = isCore ? PLAIN : view.getUint32(30, true);
  const isMasked = MASKED.includes(compression);
  if (compression !== PLAIN && !isMasked)
    throw new UnreadableFile('The picture has an unsupported compression. Save it as PNG or PDF.');
  if (![1, 4, 8, 16, 24, 32].includes(bits) || width === 0 || height === 0) throw new RangeError('damaged');
  const usual = bits === 16 ? [0x7c00, 0x03e0, 0x001f] : [0xff0000, 0x00ff00, 0x0000ff];
  return {
    width,
    height,
    bits,
    isTopDown: !isCore && view.getInt32(22, true) < 0,
    rowBytes: Math.ceil((width * bits) / 32) * 4,
    data: view.getUint32(10, true),
    colors: HEADER_BYTES + size,
    colorBytes: isCore ? 3 : 4,
    masks: isMasked ? [54, 58, 62].map((at) => view.getUint32(at, true)) : usual,
  };
}

/** Returns red, green and blue of a pixel. */
function colorAt(view: DataView, header: BmpHeader, row: number, x: number): readonly number[] {
  const { bits, colors, colorBytes, masks } = header;
  if (bits === 24) return bgr(view, row + x * 3);
  if (bits === 16) return masked(view.getUint16(row + x * 2, true), masks);
  if (bits === 32) return masked(view.getUint32(row + x * 4, true), masks);
  const byte = view.getUint8(row + Math.floor((x * bits) / 8));
  const index = (byte >> (8 - bits - ((x * bits) % 8))) & ((1 << bits) - 1);
  return bgr(view, colors + index * colorBytes);
}

function bgr(view: DataView, at: number): readonly number[] {
  return [view.getUint8(at + 2), view.getUint8(at + 1), view.getUint8(at)];
}

function masked(value: number, masks: readonly number[]): readonly number[] {
  return masks.map((mask) => (mask === 0 ? 0 : (((value & mask) >>> 0) / (mask >>> 0)) * 255));
}
