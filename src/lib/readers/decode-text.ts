import { isUtf8 } from 'node:buffer';

/** Bytes in which UTF-16 without a mark is recognized. */
const SAMPLE_BYTES = 4_096;

/** Returns the text of bytes: by their byte order mark, as UTF-8 if they are, else as declared or as Western. */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  return new TextDecoder(encodingOf(bytes, declared)).decode(bytes);
}

function encodingOf(bytes: Uint8Array, declared: string | undefined): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return wide;
  if (isUtf8(bytes)) return 'utf-8';
  return declared !== undefined && isKnown(declared) ? declared : 'windows-1252';
}

/** Returns the kind of UTF-16 that bytes without a mark are in: nearly every second one is zero. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = sample.length / 2;
  if (odd > half * 0.7 && even < half * 0.1) return 'utf-16le';
  return even > half * 0.7 && odd < half * 0.1 ? 'utf-16be' : undefined;
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== '';
  } catch {
    return false;
  }
}
