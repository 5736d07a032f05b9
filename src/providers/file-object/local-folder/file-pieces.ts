import { open } from 'node:fs/promises';
import { READ_BYTES } from './contents.ts';

/** Which bytes of a file to read, and whether pieces may share memory. */
export interface PieceOptions {
  readonly start: number;
  readonly end: number;
  /** The memory of a piece is used again once the next one is requested. */
  readonly reuse?: boolean;
}

/**
 * Streams the bytes of a file from `start` to before `end`, or to the end of a shorter file. The next piece is read
 * while the caller uses the present one. With `reuse` two buffers serve the whole file: new ones for each piece grow
 * the memory outside the heap, which makes the garbage collector run full cycles (a quarter of the time of a download).
 */
export async function* filePieces(path: string, { start, end, reuse }: PieceOptions): AsyncIterable<Uint8Array> {
  if (end <= start) return;
  const size = Math.min(READ_BYTES, end - start);
  const memory: Buffer[] = [];
  const file = await open(path, 'r');
  const readAt = async (position: number, turn: number): Promise<Uint8Array> => {
    const buffer = memory[turn % 2] ?? Buffer.allocUnsafeSlow(size);
    if (reuse === true) memory[turn % 2] = buffer;
    const { bytesRead } = await file.read(buffer, 0, Math.min(size, end - position), position);
    return buffer.subarray(0, bytesRead);
  };
  let reading = readAt(start, 0);
  try {
    for (let [position, turn] = [start, 1]; position < end; turn++) {
      const piece = await reading;
      if (piece.length === 0) return;
      position += piece.length;
      // A caller that needs no more than this piece may not ask for another one.
      if (position >= end) await file.close();
      else reading = ignoringFailure(readAt(position, turn));
      yield piece;
    }
  } finally {
    await reading.catch(() => undefined);
    await file.close();
  }
}

/** Returns a promise whose failure is reported where it is awaited, and not as unhandled before that. */
function ignoringFailure<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
