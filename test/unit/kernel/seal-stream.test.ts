import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import { cipherFromKeys, newKey } from '../../../src/kernel/security/cipher.ts';
import { openPart, openStream, sealStream } from '../../../src/kernel/security/seal-stream.ts';

const cipher = cipherFromKeys(newKey());
const PIECE = 64 * 1024;

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* of(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

it('any range of a sealed file opens as that range of the plain one', async () => {
  const sizes = [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 17];
  const files = await Promise.all(
    sizes.map(async (size) => {
      const plain = randomBytes(size);
      return { plain, sealed: await whole(sealStream(cipher, 'test', of(plain))) };
    }),
  );
  for (const { plain, sealed } of files) assert.ok((await whole(openStream(cipher, 'test', of(sealed)))).equals(plain));
  await fc.assert(
    fc.asyncProperty(fc.nat(sizes.length - 1), fc.nat(4 * PIECE), fc.nat(4 * PIECE), async (n, a, b) => {
      const { plain, sealed } = files[n] ?? assert.fail();
      const [start, end] = [Math.min(a, b, plain.length), Math.min(Math.max(a, b), plain.length)];
      const read = (from: number, to: number): AsyncIterable<Uint8Array> => of(sealed.subarray(from, to));
      const part = await whole(openPart(cipher, 'test', { size: plain.length, read }, { start, end }));
      assert.ok(part.equals(plain.subarray(start, end)), `${plain.length}: ${start} to ${end}`);
    }),
  );
});

it('a range of a sealed file whose pieces were swapped or cut off does not open', async () => {
  const plain = randomBytes(3 * PIECE + 5);
  const sealed = await whole(sealStream(cipher, 'test', of(plain)));
  const frame = 4 + sealed.readUInt32BE(0);
  const swapped = Buffer.concat([
    sealed.subarray(frame, 2 * frame),
    sealed.subarray(0, frame),
    sealed.subarray(2 * frame),
  ]);
  const part = (bytes: Buffer, start: number, end: number): Promise<Buffer> =>
    whole(
      openPart(
        cipher,
        'test',
        { size: plain.length, read: (from, to) => of(bytes.subarray(from, to)) },
        { start, end },
      ),
    );
  await assert.rejects(part(swapped, 0, 10));
  await assert.rejects(part(sealed.subarray(0, sealed.length - 20), 3 * PIECE, 3 * PIECE + 5));
  assert.ok((await part(sealed, 3 * PIECE, 3 * PIECE + 5)).equals(plain.subarray(3 * PIECE)));
});

it('a sealed file opens whole however its bytes are split, and not if a piece was swapped, changed, lost or cut off', async () => {
  const plain = randomBytes(3 * PIECE + 5);
  const sealed = await whole(sealStream(cipher, 'test', of(plain)));
  async function* cut(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
    // As a source does that reuses its read buffer.
    const memory = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) yield memory.subarray(0, bytes.copy(memory, 0, at, at + size));
  }
  for (const size of [1, 3, 1_000, PIECE - 1, PIECE + 50, 3 * PIECE, 10 * PIECE])
    assert.ok((await whole(openStream(cipher, 'test', cut(sealed, size)))).equals(plain), String(size));
  const frame = 4 + sealed.readUInt32BE(0);
  const changed = Buffer.from(sealed);
  changed[2 * frame + 100] = (changed[2 * frame + 100] ?? 0) ^ 1;
  const long = Buffer.from(sealed);
  long.writeUInt32BE(0xffffffff, frame);
  for (const damaged of [
    Buffer.of(),
    sealed.subarray(0, 2),
    sealed.subarray(0, frame),
    sealed.subarray(0, -1),
    Buffer.concat([sealed, Buffer.of(0)]),
    Buffer.concat([sealed.subarray(frame, 2 * frame), sealed.subarray(0, frame), sealed.subarray(2 * frame)]),
    Buffer.concat([sealed.subarray(0, frame), sealed.subarray(2 * frame)]),
    changed,
    long,
  ]) {
    for (const size of [1_000, 10 * PIECE]) await assert.rejects(whole(openStream(cipher, 'test', cut(damaged, size))));
  }
});
