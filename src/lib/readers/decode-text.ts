import { isUtf8 } from 'node:buffer';

/** Bytes in which UTF-16 without a mark is recognized. */
const SAMPLE_BYTES = 4_096;

/** Returns the text of bytes: by their byte order mark, as UTF-8 if they are, else as declared or as Western. */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  return new TextDecoder(encodingOf(bytes, declared)).decode(bytes);
}

/** Bytes of each sample in which control characters are counted, and how many samples are taken. */
const TEXT_SAMPLE_BYTES = 8_192;
const TEXT_SAMPLES = 9;
/** Share of control characters that a sample of a text may have. */
const CONTROLS_MAX = 0.02;
/** Characters that texts do not have: controls but for blanks and escapes, and what bytes of no encoding become. */
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g;

/** Whether bytes are a text: samples from all of them, such as its beginning and end, have hardly any controls. */
export function isText(bytes: Uint8Array): boolean {
  const encoding = encodingOf(bytes, undefined);
  const last = Math.max(0, bytes.length - TEXT_SAMPLE_BYTES);
  for (let n = 0; n < TEXT_SAMPLES; n++) {
    // From even places, where characters of UTF-16 begin.
    const start = Math.ceil((last * n) / (TEXT_SAMPLES - 1) / 2) * 2;
    const sample = new TextDecoder(encoding).decode(bytes.subarray(start, start + TEXT_SAMPLE_BYTES));
    if ((sample.match(CONTROL)?.length ?? 0) > sample.length * CONTROLS_MAX) return false;
    if (last === 0) break;
  }
  return true;
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
