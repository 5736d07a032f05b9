import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkStoredFiles } from '../../../src/modules/documents/attachment/lib/check-stored-files.ts';
import { sweepStoredFiles } from '../../../src/modules/documents/attachment/lib/sweep-stored-files.ts';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const { admin, platform, storagesFolder } = on;

async function ok(answer: Promise<{ status: number; text: string }>): Promise<Record<string, unknown>> {
  const { status, text } = await answer;
  assert.equal(status, 200, text.slice(0, 500));
  return JSON.parse(text) as Record<string, unknown>;
}

await ok(
  admin.post('/api/fileobject/save?Output=Json', { FileObject: 'Archive', FileObjectType: 'local', Folder: 'archive' }),
);
await ok(admin.post('/api/fileobject/save?Output=Json', { FileObject: 'Cellar', FileObjectType: 'database' }));
const archive = join(storagesFolder, 'archive');
mkdirSync(archive, { recursive: true });

async function document(fileName: string, content: string, fields: Record<string, unknown> = {}): Promise<number> {
  return Number(
    (
      await ok(
        admin.post('/api/attachment/save?Output=Json', {
          FileName: fileName,
          Content: Buffer.from(content).toString('base64'),
          ...fields,
        }),
      )
    )['AttachmentID'],
  );
}

interface StoredPath {
  readonly location: string;
  readonly path: string;
  readonly sealed: boolean;
}

async function placeOf(id: number): Promise<StoredPath> {
  const [row] = await platform.store.query<StoredPath & Record<string, unknown>>(
    'select fileobject as location, filepath as path, sealed from attachment where attachmentid = $1::bigint',
    [id],
  );
  assert.ok(row);
  return row;
}

const contentOf = async (id: number): Promise<string> => (await admin.get(`/api/attachment/download?ID=${id}`)).text;

async function stored({ location, path }: StoredPath): Promise<boolean> {
  await platform.settings.fresh();
  return (await platform.providers.get(FILE_OBJECT, location).stat(path)) !== undefined;
}

describe('copying the files of documents', () => {
  it('DOC-05 copyfile only copies, to a path filled in from the document', async () => {
    const loan = Number((await ok(admin.post('/api/loan/save?Output=Json', { Loan: '700000011' })))['LoanID']);
    const id = await document('deed.pdf.txt', 'the deed', { Object: 'Loan', ObjectID: loan, Description: 'a/b\\..' });
    const before = await placeOf(id);
    const year = new Date().getUTCFullYear();
    const answer = await ok(
      admin.post('/api/attachment/copyfile?Output=Json', {
        ID: id,
        FileObject: 'archive',
        PathURL: '/{Year}/{Month}/{Object}/{ObjectID}/{Description}.{Uri.Extension}',
      }),
    );
    const path = `/${year}/${new Date().toISOString().slice(5, 7)}/Loan/${loan}/a_b_...txt`;
    assert.deepEqual((answer['AttachmentCollection'] as { AttachmentItem: unknown[] }).AttachmentItem, [
      { AttachmentID: id, FileObject: 'Archive', FilePath: path },
    ]);
    assert.equal(readFileSync(join(archive, path), 'utf8'), 'the deed');
    assert.deepEqual(await placeOf(id), before);
    // The same copy again is accepted; other content at its path is an error.
    await ok(admin.post('/api/attachment/copyfile?Output=Json', { ID: id, FileObject: 'archive', PathURL: path }));
    writeFileSync(join(archive, path), 'another');
    assert.equal(
      (await admin.post('/api/attachment/copyfile', { ID: id, FileObject: 'archive', PathURL: path })).status,
      409,
    );
    assert.equal(readFileSync(join(archive, path), 'utf8'), 'another');
    const toLocal = await admin.post('/api/attachment/copyfile', { ID: id, FileObject: 'Local' });
    assert.deepEqual([toLocal.status, toLocal.text.includes('would delete a copy')], [422, true], toLocal.text);
  });

  it('DOC-05 transferfile points the document to the copy and keeps the original; movefile removes it', async () => {
    const id = await document('moved.txt', 'moved about');
    const first = await placeOf(id);
    await ok(admin.post('/api/attachment/transferfile?Output=Json', { ID: id, FileObject: 'Cellar' }));
    const second = await placeOf(id);
    assert.match(second.path, /^\/Attachment\/0\/[0-9a-f-]{36}\/moved\.txt$/);
    assert.deepEqual([second.location, await contentOf(id), await stored(first)], ['Cellar', 'moved about', true]);
    await ok(admin.post('/api/attachment/movefile?Output=Json', { ID: id, FileObject: 'Archive', PathURL: '/kept/' }));
    assert.deepEqual(
      [await placeOf(id), await contentOf(id), await stored(second)],
      [{ location: 'Archive', path: '/kept/moved.txt', sealed: false }, 'moved about', false],
    );
    // To its current location.
    await ok(
      admin.post('/api/attachment/movefile?Output=Json', { ID: id, FileObject: 'Archive', PathURL: '/kept/moved.txt' }),
    );
    assert.equal(await contentOf(id), 'moved about');
  });

  it('DOC-05 a file that another document uses is not removed', async () => {
    const [one, two] = [await document('one.txt', 'shared'), await document('two.txt', 'shared')];
    await ok(
      admin.post('/api/attachment/transferfile?Output=Json', {
        ID: one,
        FileObject: 'Archive',
        PathURL: '/shared.txt',
      }),
    );
    await ok(
      admin.post('/api/attachment/transferfile?Output=Json', {
        ID: two,
        FileObject: 'Archive',
        PathURL: '/shared.txt',
      }),
    );
    await ok(admin.post('/api/attachment/movefile?Output=Json', { ID: one, FileObject: 'Cellar' }));
    assert.deepEqual([await contentOf(one), await contentOf(two)], ['shared', 'shared']);
  });

  it('DOC-05 a failed copy loses nothing: a damaged file is not copied, one failure does not stop the others, an unknown ID does', async () => {
    const [good, bad] = [await document('good.txt', 'good'), await document('bad.txt', 'fine')];
    await ok(
      admin.post('/api/attachment/transferfile?Output=Json', { ID: bad, FileObject: 'Archive', PathURL: '/bad.txt' }),
    );
    writeFileSync(join(archive, 'bad.txt'), 'altered by somebody');
    const answer = await admin.post('/api/attachment/movefile?Output=Json', {
      ID: [bad, good],
      FileObject: 'Cellar',
      PathURL: '/{AttachmentID}/',
    });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /content differs from what the document records/);
    assert.deepEqual(
      [(await placeOf(bad)).location, (await placeOf(good)).location, existsSync(join(archive, 'bad.txt'))],
      ['Archive', 'Cellar', true],
    );
    const [left] = await platform.store.query<{ n: number }>(
      "select count(*)::integer as n from storedfile where path like '/' || $1::text || '/%'",
      [String(bad)],
    );
    assert.equal(left?.n, 0);
    assert.equal(
      (await admin.post('/api/attachment/movefile', { ID: [good, 999_999_999], FileObject: 'Archive' })).status,
      404,
    );
    assert.equal((await placeOf(good)).location, 'Cellar');
    for (const [path, message] of [
      ['/../x', /within the storage location/],
      ['/{Nothing}/', /found Nothing/],
      ['/{', /within the storage location/],
      ['/{Object}/../x', /within the storage location/],
    ] as const) {
      const refused = await admin.post('/api/attachment/copyfile', { ID: good, FileObject: 'Archive', PathURL: path });
      assert.deepEqual([refused.status, message.test(refused.text)], [400, true], refused.text);
    }
  });

  it("DOC-05 sealed documents stay sealed, and in the platform's own storage", async () => {
    const id = await document('sealed.txt', 'to be sealed');
    await ok(
      admin.post('/api/attachment/transferfile?Output=Json', { ID: id, FileObject: 'Archive', PathURL: '/clear.txt' }),
    );
    await ok(admin.post('/api/attachment/movefile?Output=Json', { ID: id, FileObject: 'Local', Sealed: true }));
    const place = await placeOf(id);
    assert.deepEqual(
      [place.location, place.sealed, await contentOf(id), existsSync(join(archive, 'clear.txt'))],
      ['Local', true, 'to be sealed', false],
    );
    // Whoever knows the rest of its bytes would find the numbers in it by trying them.
    const hash = createHash('sha256').update('to be sealed').digest('hex');
    const [row] = await platform.store.query<{ hash: string | null; history: string }>(
      `select filehash as hash, (select string_agg(old::text, ' ') from history
         where tablename = 'attachment' and recordid = attachmentid) as history
       from attachment where attachmentid = $1::bigint`,
      [id],
    );
    assert.deepEqual([row?.hash, row?.history.includes(hash), row?.history.includes('"sealed"')], [null, false, true]);
    const history = await ok(admin.get(`/api/attachment/history?ID=${id}&Output=Json`));
    assert.doesNotMatch(JSON.stringify(history), new RegExp(hash));
    const out = await admin.post('/api/attachment/transferfile', { ID: id, FileObject: 'Archive' });
    assert.deepEqual([out.status, out.text.includes('stored encrypted')], [422, true], out.text);
    await ok(
      admin.post('/api/attachment/movefile?Output=Json', {
        ID: id,
        FileObject: 'Local',
        PathURL: '/Attachment/0/{Guid}/again.txt',
      }),
    );
    assert.deepEqual([(await placeOf(id)).sealed, await contentOf(id)], [true, 'to be sealed']);
  });
});

describe('housekeeping of storage locations', () => {
  it('DOC-11 in a shared location removes only leftover parts of interrupted writes', async () => {
    writeFileSync(join(archive, 'theirs.txt'), 'theirs');
    const part = join(archive, '.casewright-7f1d2c3e-0000-4000-8000-1234567890ab.part');
    writeFileSync(part, 'cut off');
    for (const file of [join(archive, 'theirs.txt'), part])
      utimesSync(file, new Date('2024-01-01'), new Date('2024-01-01'));
    await platform.settings.fresh();
    assert.equal(await sweepStoredFiles.run(platform), 1);
    assert.deepEqual([existsSync(join(archive, 'theirs.txt')), existsSync(part)], [true, false]);
  });

  it('DOC-11 checks files in locations by presence and size, and reports an unreachable location once', async () => {
    const ids = [];
    for (const name of ['x', 'y', 'z']) ids.push(await document(`${name}.txt`, name));
    await ok(
      admin.post('/api/attachment/transferfile?Output=Json', { ID: ids, FileObject: 'Archive', PathURL: '/checked/' }),
    );
    const errors = async (): Promise<string[]> =>
      (
        await platform.store.query<{ message: string }>(
          "select errorlog as message from errorlog where operation = 'attachment/checkfiles' order by errorlogid",
        )
      ).map(({ message }) => message);
    await checkStoredFiles.run(platform);
    const before = (await errors()).length;
    writeFileSync(join(archive, 'checked/x.txt'), 'longer than it was');
    rmSync(join(archive, 'checked/y.txt'));
    await checkStoredFiles.run(platform);
    const logged = (await errors()).slice(before).join('\n');
    assert.match(logged, new RegExp(`Attachment ${ids[0]} has 18 bytes instead of 1`));
    assert.match(logged, new RegExp(`Attachment ${ids[1]} is missing`));
    await platform.store.query(
      "update attachment set fileobject = 'Gone away' where attachmentid = any($1::bigint[])",
      [`{${ids.join(',')}}`],
    );
    const then = (await errors()).length;
    await checkStoredFiles.run(platform);
    assert.equal(
      (await errors()).slice(then).filter((message) => /Gone away.*cannot be reached/.test(message)).length,
      1,
    );
    const download = await admin.get(`/api/attachment/download?ID=${ids[2]}`);
    assert.equal(download.status, 422, download.text);
  });
});
