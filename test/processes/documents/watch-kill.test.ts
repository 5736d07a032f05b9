import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { s3Buckets } from '../../../src/providers/file-object/s3/s3-type.ts';
import { eventually } from '../../support/eventually.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { s3Server } from '../../support/peers/s3-server.ts';
import { ADMINISTRATOR_KEY, call } from '../../support/processes/server-process.ts';

const s3 = await s3Server({ after });
const FILES_PER_ROUND = 12;
const ROUNDS = 3;
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_122);

const bucket = s3Buckets({
  get: (definition) => (definition.name === 'OutboundHttpLoopback' ? true : definition.default) as never,
}).open({
  id: 1,
  name: 'Arrivals',
  options: {
    Endpoint: s3.endpoint,
    Bucket: s3.bucket,
    AccessKeyID: s3.accessKeyId,
    SecretAccessKey: s3.secretAccessKey,
  },
});

async function ok(answer: Promise<Response>): Promise<Record<string, unknown>> {
  const got = await answer;
  const text = await got.text();
  assert.ok(got.status < 300, `${got.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Saves what may already exist: a kill can come between one answer and the next save. */
async function saved(answer: Promise<Response>): Promise<void> {
  const got = await answer;
  const text = await got.text();
  assert.ok(got.status < 300 || got.status === 409, `${got.status} ${text.slice(0, 500)}`);
}

/** What an administrator sets up once. */
async function setUp(url: string): Promise<void> {
  for (const [Setting, Value] of Object.entries({ OutboundHttpLoopback: 'true', WatchLeaseSeconds: '1' }))
    await saved(call(url, '/api/setting/save?Output=Json', String(new URLSearchParams({ Setting, Value }))));
  await saved(
    call(
      url,
      '/api/fileobject/save?Output=Json',
      String(
        new URLSearchParams({
          FileObject: 'Arrivals',
          FileObjectType: 's3',
          Endpoint: s3.endpoint,
          Bucket: s3.bucket,
          AccessKeyID: s3.accessKeyId,
          SecretAccessKey: s3.secretAccessKey,
        }),
      ),
    ),
  );
  await saved(
    call(
      url,
      '/api/importfiletemplate/save?Output=Json',
      String(
        new URLSearchParams({ ImportFileTemplate: 'Watched', AppliesTo: 'Property', ImportEngine: 'DelimitedEngine' }),
      ),
    ),
  );
}

const request = (round: number): string =>
  '/api/importfile/watch?Output=Json&FileObject=Arrivals&Path=/in&Depth=1&Template=Watched' +
  `&MoveTo=${round % 2 === 0 ? 'Local' : 'Arrivals'}` +
  `&ToPath=${encodeURIComponent('/done/{Guid}/')}${round % 3 === 0 ? '&Async=true' : ''}`;

let isSetUp = false;
/** Rounds whose files have all arrived. */
const arrived = new Set<number>();

async function arrive(round: number): Promise<void> {
  for (let n = 0; n < FILES_PER_ROUND; n++) {
    const content = Buffer.from(`Address,City,PostalCode\n${round}-${n} Killed Way,Alder,01234\n`);
    await bucket.write(
      `/in/${round}/${round}-${n}.csv`,
      (async function* () {
        yield content;
      })(),
    );
  }
  arrived.add(round);
}

/** Files arrive while two watches poll for them repeatedly, until the server is killed. */
async function workload({ url, round, signal }: KillRound): Promise<void> {
  if (!isSetUp) {
    try {
      await setUp(url);
    } catch (error) {
      // The server was killed in the middle of it: the next round continues.
      if (signal.aborted) return;
      throw error;
    }
    isSetUp = true;
  }
  const pollWatch = async (): Promise<void> => {
    while (!signal.aborted)
      await fetch(url + request(round), { headers: { 'X-ApiKey': ADMINISTRATOR_KEY }, signal }).then(
        (answer) => answer.text(),
        () => '',
      );
  };
  await Promise.all([arrive(round), pollWatch(), pollWatch()]);
}

/** At no moment is there more than one document or one saved row per file, or a document without its file. */
async function verify(_url: string, sql: KillSql): Promise<void> {
  const twice = await sql`select address, count(*)
      from property
      where address like '%Killed Way'
      group by address having count(*) > 1`;
  assert.deepEqual(
    twice.map(({ address }) => String(address)),
    [],
    'saved twice',
  );
  const documents = await sql<
    { name: string; location: string; path: string }[]
  >`select attachment as name, fileobject as location, filepath as path from attachment where object = 'ImportFile'`;
  assert.equal(new Set(documents.map(({ name }) => name)).size, documents.length, 'a file has two documents');
  for (const { location, path } of documents)
    if (location === 'Arrivals') assert.ok(await bucket.stat(path), `${path} is not there`);
}

test('IMP-05 a server killed while it watches takes every file once', async (t) => {
  await killRounds(t, {
    rounds: ROUNDS,
    seed: SEED,
    workload,
    verify,
    async finish(url) {
      // On a busy machine a round may have been killed before the setup was complete: its files arrive now.
      if (!isSetUp) await setUp(url);
      for (let round = 0; round < ROUNDS; round++) if (!arrived.has(round)) await arrive(round);
      await eventually(
        'everything has been taken',
        async () => {
          const outcomes = await Promise.all(Array.from({ length: 3 }, (_, round) => ok(call(url, request(round)))));
          return outcomes.every((outcome) => outcome['Found'] === 0 && outcome['Failed'] === 0);
        },
        60_000,
      );
      const left: string[] = [];
      for await (const path of bucket.list('/in', { depth: 2 })) left.push(path);
      assert.deepEqual(left, []);
      await eventually(
        'everything is imported',
        async () => {
          const found = await ok(
            call(url, '/api/importfile/search?Output=Json&DisplaySize=1000&SqlColumns=ImportFileID,Status'),
          );
          const { ImportFileItem = [] } = found['ImportFileCollection'] as {
            ImportFileItem?: { ImportFileID: number; Status: string }[];
          };
          // Housekeeping would resume an interrupted import, but only minutes later: resume it now.
          for (const { ImportFileID, Status } of ImportFileItem)
            if (Status === 'Importing') await ok(call(url, `/api/importfile/import?Output=Json&ID=${ImportFileID}`));
          assert.deepEqual([...new Set(ImportFileItem.map(({ Status }) => Status))], ['Complete']);
          return ImportFileItem.length === ROUNDS * FILES_PER_ROUND;
        },
        90_000,
      );
    },
  });
});
