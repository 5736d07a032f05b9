import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { client, type Row } from '../../support/client.ts';
import { callDue, eventually } from '../../support/eventually.ts';
import { s3Server } from '../../support/peers/s3-server.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

/** How many files are moved; 10000 takes minutes. */
const FILES = Number(process.env['CASEWRIGHT_TEST_FILES'] ?? 60);
/** Files that are moved before the first stop. */
const STOPPED_AFTER = 5;

const s3 = await s3Server({ after });
const p = await testPlatform({ after }, { worker: true });
const admin = client(p);
await p.user('chief', 'Administrator');
const session = await testSession(p, 'chief');
for (const Setting of ['OutboundHttpLoopback', 'CallsPerMinuteMax'])
  await admin.save('setting', { Setting, Value: Setting === 'CallsPerMinuteMax' ? '0' : 'true' });
await admin.save('fileobject', {
  FileObject: 'Bucket',
  FileObjectType: 's3',
  Endpoint: s3.endpoint,
  Bucket: s3.bucket,
  AccessKeyID: s3.accessKeyId,
  SecretAccessKey: s3.secretAccessKey,
});

const contentOf = (n: number, turn = 0): string => `deed ${n}, ${turn}`;
const save = (n: number, turn: number, id?: unknown): Promise<Row> =>
  admin.save('attachment', {
    ...(id === undefined ? {} : { ID: id }),
    FileName: `deed ${n}.txt`,
    Content: Buffer.from(contentOf(n, turn)).toString('base64'),
  });
const download = async (id: unknown): Promise<string> =>
  (await p.admin.get(`/api/attachment/download?ID=${String(id)}`)).text;
const movedCount = async (): Promise<number> => {
  const [row] = await p.platform.store.query<{ n: number }>(
    "select count(*)::integer as n from attachment where fileobject = 'Bucket'",
  );
  return row?.n ?? 0;
};

describe('moving many files', () => {
  it('DOC-05 an administrator moves many files while people work: it is stopped and resumed, and none is lost', async () => {
    const ids: unknown[] = [];
    for (let n = 0; n < FILES; n++) ids.push((await save(n, 0))['AttachmentID']);
    const page = await session.get('/administration/files?From=Local&FileName=deed*');
    assert.match(page.text, new RegExp(`${FILES.toLocaleString('en-US')} documents in <bdi>Local</bdi> are found`));
    const filters = /name="Filters" value="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const form = {
      Action: 'move',
      All: 'true',
      Filters: filters,
      FileObject: 'Bucket',
      PathURL: '/{Year}/{Guid}/{Uri.FileName}',
    };
    const check = await session.post('/bulk/attachment', { ...form, Step: 'check' });
    assert.match(check.text, /can be changed/, check.text.slice(0, 3_000));
    const started = await session.post('/bulk/attachment', { ...form, Step: 'run' });
    const run = /^\/bulk\/(\d+)/.exec(started.location ?? '')?.[1];
    const { ImportFileID } = await admin.select('bulkrun', run);
    // Meanwhile others read, and replace.
    const turns = new Map<unknown, number>();
    let isOver = false;
    const people = Promise.all([
      (async () => {
        for (let n = 0; !isOver; n = (n + 7) % FILES) {
          assert.match(await download(ids[n]), new RegExp(`^deed ${n}, `));
          await callDue(() => isOver);
        }
      })(),
      (async () => {
        for (let n = 0; !isOver && turns.size < FILES / 4; n = (n + 11) % FILES) {
          if ((await save(n, 1, ids[n]))['AttachmentID'] === ids[n]) turns.set(n, 1);
        }
      })(),
    ]);
    await eventually('some are moved', async () => (await movedCount()) >= STOPPED_AFTER, 30_000);
    await session.post(`/bulk/runs/${run}`, { Action: 'stop' });
    await eventually(
      'it is stopped',
      async () => (await admin.select('importfile', ImportFileID))['Status'] === 'Stopped',
      30_000,
    );
    const atStop = await movedCount();
    assert.ok(atStop < FILES, `${atStop} were moved before it stopped`);
    await session.post(`/bulk/runs/${run}`, { Action: 'resume' });
    const finish = (): Promise<unknown> =>
      eventually(
        'it is finished',
        async () =>
          !['Importing', 'Queued'].includes(String((await admin.select('importfile', ImportFileID))['Status'])),
        FILES * 2_000,
      );
    await finish();
    isOver = true;
    await people;
    // Files that were replaced while they were copied are named, and moved by trying again.
    const refused = await admin.expectRows('importfilequeue/search', {
      ImportFileID,
      Status: 'Error',
      DisplaySize: 999,
    });
    assert.ok(
      refused.every(({ Message }) => String(Message).includes('in the meantime')),
      JSON.stringify(refused[0]),
    );
    if (refused.length > 0) {
      await session.post(`/bulk/runs/${run}`, { Action: 'retry' });
      await finish();
    }
    for (const [n, id] of ids.entries()) assert.equal(await download(id), contentOf(n, turns.get(n)));
    // A document that was replaced after its move is in the first location again.
    assert.ok((await movedCount()) >= FILES - turns.size);
    const local: string[] = [];
    for await (const path of p.platform.providers.get(FILE_OBJECT, 'Local').list('/Attachment', { depth: 2 }))
      local.push(path);
    const known = await p.platform.store.query(
      `select 1 from attachment where fileobject = 'Local' union all
       select 1 from documentversion where fileobject = 'Local'`,
    );
    assert.equal(local.length, known.length);
  });

  it('DOC-05 WEB-06 the page of files lists locations and moves, and is for administrators', async () => {
    const { text } = await session.get('/administration/files');
    assert.match(text, /<bdi>Bucket<\/bdi>/);
    assert.match(text, /Move the files of/);
    const none = await session.get('/administration/files?From=Bucket&Before=2001-01-01');
    assert.match(none.text, /No documents in Bucket are found/);
    await p.user('clerk', 'Staff');
    const clerk = await testSession(p, 'clerk');
    assert.doesNotMatch((await clerk.get('/documents')).text, /Move files/);
  });
});
