import type { Cipher } from './cipher.ts';
import { PlatformError } from '../door/errors.ts';

/** Bytes of plain text in one sealed piece. */
const PIECE_BYTES = 64 * 1024;

function purposeOf(purpose: string, index: number, last: boolean): string {
  return `${purpose}.${index}${last ? '.last' : ''}`;
}

function frameOf(sealed: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([length, sealed]);
}

/**
 * Seals a stream in pieces, in bounded memory. Each piece is bound to its position and the last one to being last, so
 * that a file with swapped or missing pieces does not open.
 */
export async function* sealStream(
  cipher: Cipher,
  purpose: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  let index = 0;
  for await (const piece of bytes) {
    held = held.length === 0 ? Buffer.from(piece) : Buffer.concat([held, piece]);
    while (held.length > PIECE_BYTES) {
      yield frameOf(cipher.seal(purposeOf(purpose, index++, false), held.subarray(0, PIECE_BYTES)));
      held = held.subarray(PIECE_BYTES);
    }
  }
  yield frameOf(cipher.seal(purposeOf(purpose, index, true), held));
}

/** Bytes of the length at the beginning of a frame. */
const LENGTH_BYTES = 4;

/**
 * Opens what {@link sealStream} sealed. Alternates between two buffers: copying at each step kept the garbage collector
 * busy with large files.
 */
export async function* openStream(
  cipher: Cipher,
  purpose: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let frame: Buffer = Buffer.alloc(LENGTH_BYTES);
  let length = 0;
  let spare: Buffer = Buffer.alloc(LENGTH_BYTES);
  let waiting: Buffer | undefined;
  let index = 0;
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length;) {
      const frameLength = length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + frame.readUInt32BE(0);
      const taken = piece.subarray(at, at + frameLength - length);
      // Allocates no more than has arrived, whatever length a damaged file claims.
      if (length + taken.length > frame.length)
        frame = Buffer.concat(
          [frame.subarray(0, length)],
          Math.min(frameLength, Math.max(2 * frame.length, length + taken.length)),
        );
      frame.set(taken, length);
      length += taken.length;
      at += taken.length;
      if (length < LENGTH_BYTES || length < LENGTH_BYTES + frame.readUInt32BE(0)) continue;
      if (waiting) yield cipher.open(purposeOf(purpose, index++, false), waiting);
      waiting = frame.subarray(LENGTH_BYTES, length);
      [frame, spare] = [spare, frame];
      length = 0;
    }
  }
  if (!waiting || length > 0) throw new PlatformError('INTERNAL', { message: 'The stored file is incomplete.' });
  yield cipher.open(purposeOf(purpose, index, true), waiting);
}

/** A sealed file that can be read in parts. */
export interface SealedSource {
  /** Bytes of the plain text. */
  readonly size: number;
  /** Streams sealed bytes from `start` to before `end`. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>;
}

/**
 * Opens the part of a sealed stream from `start` to before `end`, positions in its plain text. Each
 * piece proves that it is genuine and in its place; a truncation shows in the size, which the caller knows.
 */
export async function* openPart(
  cipher: Cipher,
  purpose: string,
  { size, read }: SealedSource,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncIterable<Uint8Array> {
  if (start >= end) return;
  const last = Math.max(0, Math.ceil(size / PIECE_BYTES) - 1);
  const first = Math.floor(start / PIECE_BYTES);
  const frame = 4 + (await collect(read(0, 4))).readUInt32BE(0);
  // All pieces but the last have equal length; a stream of one piece is a single frame.
  for (let index = first; index <= Math.min(last, Math.floor((end - 1) / PIECE_BYTES)); index++) {
    const head = index === last ? 4 + (await collect(read(index * frame, index * frame + 4))).readUInt32BE(0) : frame;
    const sealed = await collect(read(index * frame, index * frame + head));
    const plain = cipher.open(purposeOf(purpose, index, index === last), sealed.subarray(4));
    const from = index * PIECE_BYTES;
    yield plain.subarray(Math.max(0, start - from), Math.min(plain.length, end - from));
  }
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  if (whole.length < 4) throw new PlatformError('INTERNAL', { message: 'The stored file is incomplete.' });
  return whole;
}
