import { finished, Readable, Writable } from 'node:stream';
import { createInflate } from 'node:zlib';

/** Chunks that decide how a picture looks; texts, profiles and further frames are left out. */
const SHOWN = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
const SIGNATURE_BYTES = 8;
/** Bytes of a chunk beside its data: length, type and checksum. */
const FRAME_BYTES = 12;
/** Samples of a pixel by its color type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Passes of an interlaced picture; each adds at most one row and one byte a row to the size. */
const PASSES = 7;

/**
 * Returns a PNG file with nothing but its first picture, which unpacks to no more than its width and height say;
 * undefined for a damaged file. Whoever decodes the result needs memory in proportion to its pixels.
 */
export async function plainPng(bytes: Buffer): Promise<Buffer | undefined> {
  const chunks = chunksOf(bytes);
  const head = chunks?.[0];
  if (!chunks || head?.type !== 'IHDR' || head.data.length < 13) return undefined;
  const shown = chunks.filter(({ type }, at) => SHOWN.has(type) && (type !== 'IHDR' || at === 0));
  const packed = shown.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  if (!(await unpacksTo(packed, unpackedBytes(head.data)))) return undefined;
  return Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), ...shown.map(({ whole }) => whole)]);
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** With its length, type and checksum. */
  readonly whole: Buffer;
}

function chunksOf(bytes: Buffer): readonly Chunk[] | undefined {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= bytes.length;) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    const type = bytes.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) });
    if (type === 'IEND') return chunks;
    at = end;
  }
  return chunks;
}

/** Returns the most bytes of the rows of a picture with this head. */
function unpackedBytes(head: Buffer): number {
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const bits = head.readUInt8(8) * (SAMPLES[head.readUInt8(9)] ?? 4);
  const row = 1 + Math.ceil((width * bits) / 8);
  return head.readUInt8(12) === 0 ? row * height : (row + PASSES) * (height + PASSES);
}

/** Whether packed data unpack to at most so many bytes. */
function unpacksTo(packed: readonly Buffer[], most: number): Promise<boolean> {
  let unpacked = 0;
  const counter = new Writable({
    write(piece: Buffer, _encoding, next) {
      unpacked += piece.length;
      next(unpacked > most ? new Error('too much') : null);
    },
  });
  return new Promise((resolve) => {
    const inflate = createInflate();
    inflate.on('error', () => counter.destroy(new Error('damaged')));
    finished(Readable.from(packed).pipe(inflate).pipe(counter), (error) => {
      inflate.destroy();
      resolve(!error);
    });
  });
}
