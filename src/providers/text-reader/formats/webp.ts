import { readFile } from 'node:fs/promises';
import encode, { init } from '@jsquash/webp/encode.js';
import type { PageImage } from '../../../contracts/text-reader.ts';

/** An image in memory: four bytes per pixel, red, green, blue and alpha. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** Small images show no text, so they may lose more. */
const SMALL_PIXELS = 400;
const QUALITY = { small: 60, large: 75 } as const;
/** Effort of the encoder, 0 to 6; each step takes about half as long again and saves little. */
const EFFORT = 2;

/** Its types are those of browsers, which Node's do not declare as a value. */
const { WebAssembly: webAssembly } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };
};

let ready: Promise<unknown> | undefined;

/** Returns an image in the format WebP. */
export async function webpImage({ width, height, data }: Pixels): Promise<PageImage> {
  ready ??= codec('@jsquash/webp/codec/enc/webp_enc_simd.wasm').then((module) => init(module));
  await ready;
  const quality = width <= SMALL_PIXELS ? QUALITY.small : QUALITY.large;
  const bytes = await encode({ data, width, height }, { quality, method: EFFORT });
  return { width, height, bytes: new Uint8Array(bytes) };
}

/** Returns a program of a package, which by itself would be fetched as browsers do. */
export async function codec(path: string): Promise<WebAssembly.Module> {
  return webAssembly.compile(await readFile(new URL(import.meta.resolve(path))));
}
