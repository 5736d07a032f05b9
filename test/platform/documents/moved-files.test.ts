import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, beforeEach, describe, it } from 'node:test';
import { FILE_OBJECT, type FileObject } from '../../../src/contracts/file-object.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { removeNotedFiles } from '../../../src/modules/documents/attachment/lib/transfer/remove-file.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const { platform } = on;
const admin = client(on);

/** Files in memory, with hooks that disturb what is done to them. */
const storedFiles = new Map<string, Buffer>();
const quiet = {
  onRead: async (_path: string, bytes: Buffer) => bytes,
  onStat: async () => {},
  onDelete: async () => {},
};
const hooks: { -readonly [K in keyof typeof quiet]: (typeof quiet)[K] } = { ...quiet };
const unused = (): never => {
  throw new Error('not used by transfers');
};
const memory: FileObject = {
  shared: true,
  async write(path, bytes) {
    if (storedFiles.has(path)) throw new PlatformError('DUPLICATE_KEY', { message: path });
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(Buffer.from(piece));
    const whole = Buffer.concat(pieces);
    storedFiles.set(path, whole);
    return { size: whole.length, hash: createHash('sha256').update(whole).digest('hex') };
  },
  async *read(path, { start = 0, end } = {}) {
    const bytes = storedFiles.get(path);
    if (!bytes) throw new PlatformError('NOT_FOUND', { message: path });
    yield (await hooks.onRead(path, bytes)).subarray(start, end);
  },
  async stat(path) {
    await hooks.onStat();
    const bytes = storedFiles.get(path);
    return bytes && { size: bytes.length, modified: '2026-01-01T00:00:00.000Z' };
  },
  async copy(from, to) {
    const bytes = storedFiles.get(from);
    if (!bytes) throw new PlatformError('NOT_FOUND', { message: from });
    if (storedFiles.has(to)) throw new PlatformError('DUPLICATE_KEY', { message: to });
    storedFiles.set(to, bytes);
  },
  async delete(path) {
    await hooks.onDelete();
    storedFiles.delete(path);
  },
  list: unused,
  entries: unused,
  removeUnfinished: async () => 0,
};
platform.providers.register(FILE_OBJECT, 'Memory', memory);
await admin.save('fileobject', { FileObject: 'Cellar', FileObjectType: 'database' });
await platform.settings.fresh();

const away = async (): Promise<never> => {
  throw new PlatformError('UNAVAILABLE', { message: 'The location is away.' });
};

async function document(content: string, id?: unknown): Promise<unknown> {
  const saved = await admin.save('attachment', {
    FileName: 'deed.txt',
    Content: Buffer.from(content).toString('base64'),
    ...(id === undefined ? {} : { ID: id }),
  });
  return saved['AttachmentID'];
}

const download = async (id: unknown, more = ''): Promise<string> =>
  (await on.admin.get(`/api/attachment/download?ID=${String(id)}${more}`)).text;
const fileOf = async (id: unknown): Promise<{ location: string; path: string }> => {
  const [row] = await platform.store.query<{ location: string; path: string }>(
    'select fileobject as location, filepath as path from attachment where attachmentid = $1::bigint',
    [Number(id)],
  );
  assert.ok(row);
  return row;
};
const move = (id: unknown, location: string, path?: string) =>
  admin.send('attachment/movefile', { ID: id, FileObject: location, ...(path === undefined ? {} : { PathURL: path }) });
const noted = async (): Promise<string[]> =>
  (await platform.store.query<{ path: string }>('select filepath as path from fileremoval')).map(({ path }) => path);

describe('moving the files of documents', () => {
  beforeEach(() => {
    Object.assign(hooks, quiet);
    storedFiles.clear();
  });

  it('DOC-05 reads the copy back: a location that returns other bytes does not get the only one', async () => {
    const id = await document('the deed');
    const before = await fileOf(id);
    hooks.onRead = async (_path, bytes) => Buffer.from(bytes.map((byte, at) => (at === 3 ? byte ^ 1 : byte)));
    const refused = await move(id, 'Memory');
    assert.deepEqual(
      [refused.status, refused.text.includes('returned different bytes than were written')],
      [503, true],
    );
    assert.deepEqual([await fileOf(id), await download(id), storedFiles.size], [before, 'the deed', 0]);
  });

  it('DOC-05 leaves no copy behind if it cannot be read back, and keeps the original', async () => {
    const id = await document('the deed');
    const before = await fileOf(id);
    hooks.onRead = away;
    assert.equal((await move(id, 'Memory')).status, 503);
    assert.deepEqual([await fileOf(id), await download(id), storedFiles.size], [before, 'the deed', 0]);
    hooks.onRead = async (_path, bytes) => {
      await document('another deed', id);
      return bytes;
    };
    assert.equal((await move(id, 'Memory')).status, 409);
    assert.deepEqual([(await fileOf(id)).location, await download(id), storedFiles.size], ['Local', 'another deed', 0]);
  });

  it('DOC-05 an original that cannot be removed now is removed later', async (t) => {
    const id = await document('the deed');
    assert.equal((await move(id, 'Memory')).status, 200);
    const { path } = await fileOf(id);
    hooks.onDelete = away;
    assert.equal((await move(id, 'Cellar')).status, 200);
    assert.deepEqual([await download(id), storedFiles.size, await noted()], ['the deed', 1, [path]]);
    t.mock.method(platform.clock, 'milliseconds', () => Date.now() + 3_600_000);
    assert.equal(await removeNotedFiles.run(platform), 0);
    hooks.onDelete = quiet.onDelete;
    assert.equal(await removeNotedFiles.run(platform), 1);
    assert.deepEqual([storedFiles.size, await noted(), await download(id)], [0, [], 'the deed']);
  });

  it('DOC-05 repeated calls find what an interrupted one copied, and a moved document stays where it is', async () => {
    const id = await document('the deed');
    const before = await fileOf(id);
    assert.equal((await admin.send('attachment/transferfile', { ID: id, FileObject: 'Memory' })).status, 200);
    const { path } = await fileOf(id);
    // As if the process had ended before the document referred to the copy.
    await platform.store.query(
      'update attachment set fileobject = $2::text, filepath = $3::text where attachmentid = $1::bigint',
      [Number(id), before.location, before.path],
    );
    assert.equal((await move(id, 'Memory')).status, 200);
    assert.deepEqual([...storedFiles.keys()], [path]);
    assert.equal(await platform.providers.get(FILE_OBJECT, 'Local').stat(before.path), undefined);
    assert.equal((await move(id, 'Memory')).status, 200);
    assert.deepEqual([(await fileOf(id)).path, storedFiles.size, await download(id)], [path, 1, 'the deed']);
  });

  it('DOC-05 of several calls that move one document at once, all find it moved', async () => {
    const id = await document('the deed');
    const answers = await Promise.all([1, 2, 3].map(() => move(id, 'Memory')));
    assert.ok(
      answers.every(({ status }) => status === 200 || status === 409),
      answers.map(({ text }) => text).join('\n'),
    );
    assert.deepEqual([storedFiles.has((await fileOf(id)).path), await download(id)], [true, 'the deed']);
  });

  it('DOC-05 DOC-10 moves earlier versions along, each to a path of its own', async () => {
    const id = await document('one');
    await document('two', id);
    await document('three', id);
    assert.equal((await move(id, 'Memory', '/archive/')).status, 200);
    assert.deepEqual([...storedFiles.keys()].sort(), [
      '/archive/deed.txt',
      '/archive/version-1/deed.txt',
      '/archive/version-2/deed.txt',
    ]);
    assert.deepEqual(await Promise.all(['', '&Version=2', '&Version=1'].map((each) => download(id, each))), [
      'three',
      'two',
      'one',
    ]);
    assert.equal((await move(id, 'Cellar')).status, 200);
    assert.deepEqual([storedFiles.size, await download(id, '&Version=1'), await noted()], [0, 'one', []]);
  });

  it('DOC-04 DOC-05 a download finds a file that is moved while it is opened, whole and in part', async () => {
    const id = await document('the deed');
    for (const [headers, expected] of [
      [{}, 'the deed'],
      [{ Range: 'bytes=4-7' }, 'deed'],
    ] as const) {
      assert.equal((await move(id, 'Memory')).status, 200);
      let turn = 0;
      // After the check that the file is there, and before its first byte.
      hooks.onStat = async () => {
        if (++turn > 1) return;
        assert.equal((await move(id, 'Cellar')).status, 200);
      };
      const answer = await on.admin.get(`/api/attachment/download?ID=${String(id)}`, headers);
      assert.deepEqual([answer.text, turn], [expected, 1]);
      hooks.onStat = quiet.onStat;
      assert.equal((await move(id, 'Memory')).status, 200);
      hooks.onRead = async (path) => {
        hooks.onRead = quiet.onRead;
        assert.equal((await move(id, 'Cellar')).status, 200);
        throw new PlatformError('NOT_FOUND', { message: path });
      };
      const opened = await on.admin.get(`/api/attachment/download?ID=${String(id)}`, headers);
      assert.equal(opened.text, expected);
    }
  });
});
