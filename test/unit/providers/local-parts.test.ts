import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { LocalFolder } from '../../../src/providers/file-object/local-folder/local-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NAME = '0b1f2c3d-0000-4000-8000-00000000abcd';
const content = Buffer.alloc(300_000, 'chunk ');

/** Stores a part, and lets the next sync of a file fail as a disk that cannot write does. Returns the part's CRC-32. */
async function partWithFailedSync(t: TestContext, { parts }: LocalFolder, folder: string): Promise<number> {
  const checksum = await parts.write(NAME, 0, [Buffer.from(content)]);
  const file = await open(join(folder, '.uploads', NAME));
  const methods = Object.getPrototypeOf(file) as { sync: () => Promise<void> };
  await file.close();
  const failing = t.mock.method(methods, 'sync', async () => {
    throw Object.assign(new Error('i/o error'), { code: 'EIO' });
  });
  await assert.rejects(parts.complete(NAME, content.length, '/a.txt', checksum));
  failing.mock.restore();
  return checksum;
}

it('DOC-03 a part whose sync failed is written again before the next one, and completed', async (t) => {
  const folder = temporaryFolder(t);
  const files = new LocalFolder(folder);
  const checksum = await partWithFailedSync(t, files, folder);
  const completed = await files.parts.complete(NAME, content.length, '/a.txt', checksum);
  assert.deepEqual(completed, {
    size: content.length,
    hash: createHash('sha256').update(content).digest('hex'),
    checksum: crc32(content),
  });
  const stored: Uint8Array[] = [];
  for await (const piece of files.read('/a.txt')) stored.push(Buffer.from(piece));
  assert.ok(Buffer.concat(stored).equals(content));
});

it('DOC-03 a part that lost bytes when its sync failed is read again, so that its checksum differs', async (t) => {
  const folder = temporaryFolder(t);
  const files = new LocalFolder(folder);
  const checksum = await partWithFailedSync(t, files, folder);
  await writeFile(join(folder, '.uploads', NAME), Buffer.alloc(content.length));
  const completed = await files.parts.complete(NAME, content.length, '/a.txt', checksum);
  assert.notEqual(completed.checksum, checksum);
});

it('DOC-04 a file that is read by a caller who keeps no piece needs the memory of two pieces', async (t) => {
  const files = new LocalFolder(temporaryFolder(t));
  await files.write(
    '/large.bin',
    (async function* () {
      for (let n = 0; n < 8; n++) yield content;
    })(),
  );
  const memoryOf = async (reuse: boolean): Promise<number> => {
    const memory = new Set<ArrayBufferLike>();
    for await (const piece of files.read('/large.bin', { reuse })) memory.add(piece.buffer);
    return memory.size;
  };
  assert.equal(await memoryOf(true), 2);
  assert.ok((await memoryOf(false)) > 2, 'others may keep all pieces');
});
