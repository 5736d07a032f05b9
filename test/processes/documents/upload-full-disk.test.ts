import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { atEnd } from '../../support/at-end.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sendChunk } from '../../support/imports/uploads.ts';
import { zipOf } from '../../support/zip.ts';

const end = { after };
const CHUNK = 500 * 1024;
const folder = temporaryFolder(end);

/** Mounts a file system of three megabytes on a folder; returns the reason if that is not possible. */
function smallDisk(mounted: string): string | false {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', mounted], { stdio: 'ignore' });
    atEnd(end, () => void execFileSync('umount', [mounted]));
    return false;
  } catch {
    return 'a small file system cannot be mounted: it takes root';
  }
}

test(
  'DOC-03 a full disk is reported as UNAVAILABLE, and the upload resumes once there is space',
  { skip: smallDisk(folder) },
  async () => {
    const on = await testPlatform(end, { filesFolder: folder });
    const filler = join(folder, 'filler');
    writeFileSync(filler, Buffer.alloc(2_200_000));
    const content = randomBytes(3 * CHUNK);
    const chunk = (n: number): Uint8Array => content.subarray(n * CHUNK, (n + 1) * CHUNK);
    const first = await sendChunk(on.admin, chunk(0), { name: 'a.bin', size: content.length });
    assert.equal(first.status, 200, first.text);
    const guid = String(first.json()['upload_name']);
    for (let n = 0; n < 2; n++) {
      const full = await sendChunk(on.admin, chunk(1), { guid });
      assert.deepEqual([full.status, full.text.includes('is full')], [503, true], full.text);
      const status = await on.admin.get(`/api/attachment/uploadstatus?Upload=${guid}&Output=Json`);
      assert.equal(status.json()['Received'], CHUNK);
    }
    // New uploads are refused too, and nothing of them is left behind.
    const before = await on.platform.store.query('select uploadguid from upload');
    const refused = await sendChunk(on.admin, chunk(2), { name: 'b.bin', size: CHUNK });
    assert.equal(refused.status, 503, refused.text);
    const saved = await on.admin.post('/api/attachment/save?Output=Json', {
      FileName: 'c.bin',
      Content: Buffer.from(chunk(2)).toString('base64'),
    });
    assert.equal(saved.status, 503, saved.text);
    assert.equal((await on.platform.store.query('select uploadguid from upload')).length, before.length);
    assert.deepEqual(readdirSync(join(folder, '.uploads')), [guid]);
    // A file that is moved here, and one that is unpacked, are kept where they are.
    await on.admin.post('/api/fileobject/save', { FileObject: 'Cellar', FileObjectType: 'database' });
    rmSync(filler);
    const there = await on.admin.post('/api/attachment/save?Output=Json', {
      FileName: 'd.bin',
      Content: Buffer.from(chunk(2)).toString('base64'),
    });
    const id = Number(there.json()['AttachmentID']);
    const move = (location: string) => on.admin.post('/api/attachment/movefile', { ID: id, FileObject: location });
    const toCellar = await move('Cellar');
    assert.equal(toCellar.status, 200, toCellar.text);
    writeFileSync(filler, Buffer.alloc(2_200_000));
    const back = await move('Local');
    assert.deepEqual([back.status, back.text.includes('is full')], [503, true], back.text);
    const { FileObject } = (await on.admin.get(`/api/attachment/select?ID=${id}&Output=Json`)).json();
    assert.equal(FileObject, 'Cellar');
    assert.equal((await on.admin.get(`/api/attachment/download?ID=${id}`)).status, 200);
    rmSync(filler);
    for (const n of [1, 2]) {
      const answer = await sendChunk(on.admin, chunk(n), { guid });
      assert.deepEqual([answer.status, answer.json()['finish']], [200, n === 2], answer.text);
      if (n === 2)
        assert.equal(
          (await on.admin.get(`/api/attachment/select?ID=${String(answer.json()['AttachmentID'])}&Output=Json`)).json()[
            'FileHash'
          ],
          createHash('sha256').update(content).digest('hex'),
        );
    }
    assert.equal(
      statSync(join(folder, '.uploads', guid)).nlink,
      3,
      'part, content and document are one file, with the space of one',
    );
  },
);

const archives = temporaryFolder(end);

test(
  'DOC-09 an archive that the disk has no room for adds nothing, and is unpacked once there is space',
  { skip: smallDisk(archives) },
  async () => {
    const on = await testPlatform(end, { filesFolder: archives });
    // Each fits, both do not; in the archive they take next to nothing.
    const files = ['a', 'b'].map((name) => ({ name: `${name}.txt`, content: name.repeat(600_000) }));
    const saved = await on.admin.post('/api/attachment/save?Output=Json', {
      FileName: 'letters.zip',
      Content: zipOf(files).toString('base64'),
    });
    const archive = Number(saved.json()['AttachmentID']);
    const unzip = () => on.admin.post('/api/attachment/unzip?Output=Json', { ID: archive });
    const stored = (): string[] => readdirSync(archives, { recursive: true }).map(String).toSorted();
    const filler = join(archives, 'filler');
    writeFileSync(filler, Buffer.alloc(2_200_000));
    const before = stored();
    const space = statfsSync(archives).bavail;
    for (let n = 0; n < 2; n++) {
      const full = await unzip();
      assert.deepEqual([full.status, full.text.includes('is full')], [503, true], full.text);
      assert.equal((await on.platform.store.query('select 1 from attachment')).length, 1);
      assert.deepEqual(stored(), before, 'nothing of the first file is left');
      assert.equal(statfsSync(archives).bavail, space);
    }
    rmSync(filler);
    const answer = await unzip();
    assert.equal(answer.status, 200, answer.text);
    const rows = await on.platform.store.query<{ name: string; size: number }>(
      'select attachment as name, filesize as size from attachment where attachmentid <> $1::bigint order by 1',
      [archive],
    );
    assert.deepEqual(
      rows.map(({ name, size }) => [name, size]),
      [
        ['a.txt', 600_000],
        ['b.txt', 600_000],
      ],
    );
  },
);

test('DOC-03 bytes lost in a power failure are detected: the upload is given up, and nothing is saved', async (t) => {
  const own = temporaryFolder(end);
  const on = await testPlatform(end, { filesFolder: own });
  const first = await sendChunk(on.admin, Buffer.from('abcd'), { name: 'a.txt', size: 8 });
  const guid = String(first.json()['upload_name']);
  // The file's size reached the disk, its content did not.
  writeFileSync(join(own, '.uploads', guid), Buffer.alloc(4));
  // The process that took the chunk ended with the power.
  const { url } = await secondPlatform(t, on, undefined, own);
  const response = await fetch(`${url}/api/attachment/uploadchunk`, {
    method: 'POST',
    headers: { 'X-ApiKey': 'the-administrators-key-of-tests', 'Content-Type': 'text/plain', 'X-File-GUID': guid },
    body: 'efgh',
  });
  const last = { status: response.status, text: await response.text() };
  assert.deepEqual([last.status, last.text.includes('lost before they reached the disk')], [503, true], last.text);
  assert.equal((await on.platform.store.query('select 1 from attachment')).length, 0);
  assert.equal((await on.admin.get(`/api/attachment/uploadstatus?Upload=${guid}`)).status, 404);
  const gone = await sendChunk(on.admin, Buffer.from('abcd'), { name: 'a.txt', size: 8 });
  const other = String(gone.json()['upload_name']);
  rmSync(join(own, '.uploads', other));
  assert.equal(
    (await sendChunk(on.admin, Buffer.from('efgh'), { guid: other })).status,
    404,
    'a lost beginning is not filled with zeros',
  );
});
