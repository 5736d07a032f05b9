import type { Cipher } from './cipher.ts';
import { PlatformError } from './errors.ts';

/** Bytes of plain text in one sealed piece. */
const PIECE_BYTES = 64 * 1024;

function purposeOf(purpose: string, index: number, last: boolean): string {
  return `${purpose}.${index}${last ? '.last' : ''}`;
}

function framed(sealed: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([length, sealed]);
}

/**
 * Seals a stream piece by piece in bounded memory. Each piece is bound to its place and the last one to being last, so that
 * a file whose pieces were swapped or cut off does not open.
 */
export async function* sealStream(cipher: Cipher, purpose: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  let index = 0;
  for await (const piece of bytes) {
    held = held.length === 0 ? Buffer.from(piece) : Buffer.concat([held, piece]);
    while (held.length > PIECE_BYTES) {
      yield framed(cipher.seal(purposeOf(purpose, index++, false), held.subarray(0, PIECE_BYTES)));
      held = held.subarray(PIECE_BYTES);
    }
  }
  yield framed(cipher.seal(purposeOf(purpose, index, true), held));
}

/** Opens what {@link sealStream} sealed. */
export async function* openStream(cipher: Cipher, purpose: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  let waiting: Buffer | undefined;
  let index = 0;
  for await (const piece of bytes) {
    held = Buffer.concat([held, piece]);
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
      const end = 4 + held.readUInt32BE(0);
      if (waiting) yield cipher.open(purposeOf(purpose, index++, false), waiting);
      waiting = Buffer.from(held.subarray(4, end));
      held = held.subarray(end);
    }
  }
  if (!waiting || held.length > 0) throw new PlatformError('INTERNAL', { message: 'The stored file is not whole.' });
  yield cipher.open(purposeOf(purpose, index, true), waiting);
}
