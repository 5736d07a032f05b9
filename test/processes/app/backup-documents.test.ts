import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { collectInto } from '../../../src/app/backup/collector.ts';
import { copyDocuments } from '../../../src/app/backup/documents.ts';
import { openTarget } from '../../../src/app/backup/backup-target.ts';
import { unpack } from '../../../src/app/backup/unpack.ts';
import { startConnection } from '../../../src/app/start-connection.ts';
import { LocalFolder } from '../../../src/providers/file-object/local-folder/local-folder.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const filesFolder = temporaryFolder({ after });
const on = await testPlatform({ after }, { filesFolder });
const { host, port, user, database } = on.database;
const sql = startConnection({ host, port, user, database }, { name: 'test' });
after(() => sql.end());

async function document(content: string): Promise<{ id: number; path: string }> {
  const { AttachmentID } = (
    await on.admin.post('/api/attachment/save?Output=Json', {
      FileName: 'a.txt',
      Content: Buffer.from(content).toString('base64'),
    })
  ).json();
  const [row] = await sql<
    { path: string }[]
  >`select filepath as path from attachment where attachmentid = ${Number(AttachmentID)}`;
  return { id: Number(AttachmentID), path: row?.path ?? '' };
}

const now = async (): Promise<string> =>
  (await sql<{ now: string }[]>`select clock_timestamp()::text as now`)[0]?.now ?? '';

test('documents moved, replaced or deleted between the copy of the database and that of the files are in the backup where its records say; documents missing in the store are listed', async (t) => {
  const [moved, deleted, gone, stored, before] = [
    await document('moved'),
    await document('deleted'),
    await document('gone'),
    await document('kept'),
    await document('moved before'),
  ];
  const files = new LocalFolder(filesFolder);
  const move = async ({ id, path }: { id: number; path: string }): Promise<string> => {
    const to = `/Elsewhere/${id}/b.txt`;
    await files.copy(path, to);
    await sql`update attachment set filepath = ${to}, version = version + 1 where attachmentid = ${id}`;
    await files.delete(path);
    return to;
  };
  await move(before);
  const since = await now();
  // From here on the database of the backup stands: it knows the documents as they were.
  const to = await move(moved);
  await on.admin.post('/api/attachment/delete', { ID: deleted.id });
  rmSync(join(filesFolder, gone.path));
  await sql`update attachment
    set fileobject = 'Vault'
    where attachmentid = ${(await document('in another storage')).id}`;
  const folder = join(temporaryFolder(t), 'backup');
  const target = await openTarget(folder);
  const into = collectInto(target);
  const found = await copyDocuments(sql, filesFolder, into, since);
  await into.finish({ format: 1, kind: 'cluster', version: '', postgres: '', begun: since, taken: since, keys: [] });
  await target.finish();
  assert.deepEqual(found, { missing: [`document ${gone.id}: ${gone.path}`], elsewhere: 1 });
  for (const [path, content] of [
    [moved.path, 'moved'],
    [to, 'moved'],
    [deleted.path, 'deleted'],
    [stored.path, 'kept'],
  ] as const)
    assert.ok(into.has(`files${path}`), content);
  assert.equal(into.has(`files${before.path}`), false, 'what was moved before is not looked for');
  const unpacked = temporaryFolder(t);
  await unpack(folder, unpacked);
  for (const [path, content] of [
    [moved.path, 'moved'],
    [to, 'moved'],
    [deleted.path, 'deleted'],
    [stored.path, 'kept'],
  ] as const)
    assert.equal(readFileSync(join(unpacked, 'files', path), 'utf8'), content);
  assert.doesNotMatch(
    readFileSync(join(folder, 'manifest.jsonl'), 'utf8'),
    /\.contents/,
    'the index by content is made anew',
  );
});
