import { UnreadableFile } from '../../../contracts/text-reader.ts';
import { bmpPixels } from './bmp-pixels.ts';
import { gifPixels } from './gif-pixels.ts';
import { pictureSize } from './picture-size.ts';
import { codec, type Pixels } from './webp.ts';

/** Most pixels of a picture that is decoded: four bytes each are held in memory. */
const PIXELS_MAX = 80_000_000;

/** Decodes a picture file, turned as its camera was held; undefined for formats that are not decoded. */
export async function decodePicture(bytes: Uint8Array): Promise<Pixels | undefined> {
  const size = pictureSize(bytes);
  if (!size) return undefined;
  if (size.width * size.height > PIXELS_MAX)
    throw new UnreadableFile(`The picture has more than ${PIXELS_MAX / 1_000_000} million pixels.`);
  // The decoders make one of these; Node has none.
  (globalThis as { ImageData?: unknown }).ImageData ??= DecodedPicture;
  try {
    return await decoders[size.format](Uint8Array.from(bytes).buffer);
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause;
    throw new UnreadableFile('The picture is damaged.', { cause });
  }
}

const decoders = {
  async jpeg(file: ArrayBuffer): Promise<Pixels> {
    const { default: decode, init } = await import('@jsquash/jpeg/decode.js');
    await init(await codec('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'));
    return (await decode(file, { preserveOrientation: true })) as Pixels;
  },
  async png(file: ArrayBuffer): Promise<Pixels> {
    const { default: decode, init } = await import('@jsquash/png/decode.js');
    await init(await codec('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
    return (await decode(file)) as Pixels;
  },
  async webp(file: ArrayBuffer): Promise<Pixels> {
    const { default: decode, init } = await import('@jsquash/webp/decode.js');
    await init(await codec('@jsquash/webp/codec/dec/webp_dec.wasm'));
    return (await decode(file)) as Pixels;
  },
  gif: async (file: ArrayBuffer): Promise<Pixels> => gifPixels(file),
  bmp: async (file: ArrayBuffer): Promise<Pixels> => bmpPixels(file),
} as const;

class DecodedPicture implements Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

/** Returns a picture at most `widthMax` pixels wide, on white: each pixel is the mean of those that it replaces. */
export function reduced({ width, height, data }: Pixels, widthMax: number): Pixels {
  const scale = Math.max(1, width / widthMax);
  const [columns, rows] = [Math.max(1, Math.round(width / scale)), Math.max(1, Math.round(height / scale))];
  const made = new Uint8ClampedArray(columns * rows * 4);
  for (let row = 0; row < rows; row++) {
    const [top, bottom] = span(row, rows, height);
    for (let column = 0; column < columns; column++) {
      const [left, right] = span(column, columns, width);
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) {
          const at = (y * width + x) * 4;
          const alpha = (data[at + 3] ?? 255) / 255;
          const white = 255 * (1 - alpha);
          red += (data[at] ?? 0) * alpha + white;
          green += (data[at + 1] ?? 0) * alpha + white;
          blue += (data[at + 2] ?? 0) * alpha + white;
        }
      const count = (bottom - top) * (right - left);
      made.set([red / count, green / count, blue / count, 255], (row * columns + column) * 4);
    }
  }
  return { width: columns, height: rows, data: made };
}

/** Returns which of `from` source pixels one of `to` replaces: first, and after the last. */
function span(at: number, to: number, from: number): readonly [number, number] {
  const first = Math.floor((at * from) / to);
  return [first, Math.max(first + 1, Math.floor(((at + 1) * from) / to))];
}
