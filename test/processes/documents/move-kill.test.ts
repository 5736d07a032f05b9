import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { s3Server } from '../../support/peers/s3-server.ts';
import { ADMINISTRATOR_KEY, call } from '../../support/processes/server-process.ts';

const ROUNDS = Number(process.env['CASEWRIGHT_TEST_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
const DOCUMENTS_PER_ROUND = 6;
const s3 = await s3Server({ after });

/** A document with the contents that it may have: the last acknowledged one, or one whose answer was lost. */
interface Item {
  readonly id: number;
  readonly hashes: string[];
}

const hashOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Posts a call. 503, 409 and a lost connection are what a kill does; anything else is an error. */
async function post(url: string, route: string, fields: object): Promise<Record<string, unknown> | undefined> {
  const answer = await fetch(`${url}/api/${route}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(fields),
  }).catch(() => undefined);
  const text = await answer?.text().catch(() => undefined);
  if (!answer || text === undefined || answer.status === 503 || answer.status === 409) return undefined;
  assert.equal(answer.status, 200, `${route}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const contentOf = (name: string): string => `${name} `.repeat(4_000);

async function setUp(url: string): Promise<void> {
  await post(url, 'setting/save', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await post(url, 'fileobject/save', {
    FileObject: 'Bucket',
    FileObjectType: 's3',
    Endpoint: s3.endpoint,
    Bucket: s3.bucket,
    AccessKeyID: s3.accessKeyId,
    SecretAccessKey: s3.secretAccessKey,
  });
  await post(url, 'fileobject/save', { FileObject: 'Cellar', FileObjectType: 'database' });
}

async function create(url: string, name: string, items: Item[]): Promise<void> {
  const content = contentOf(name);
  const saved = await post(url, 'attachment/save', {
    FileName: `${name}.txt`,
    Content: Buffer.from(content).toString('base64'),
  });
  if (saved) items.push({ id: Number(saved['AttachmentID']), hashes: [hashOf(content)] });
}

async function replace(url: string, item: Item, name: string): Promise<void> {
  const content = contentOf(name);
  item.hashes.push(hashOf(content));
  await post(url, 'attachment/save', {
    ID: item.id,
    FileName: `${name}.txt`,
    Content: Buffer.from(content).toString('base64'),
  });
}

/** Downloads a document; it must be one of its contents, whole. */
async function read(url: string, item: Item): Promise<void> {
  const answer = await call(url, `/api/attachment/download?ID=${item.id}`).catch(() => undefined);
  const bytes = await answer?.arrayBuffer().catch(() => undefined);
  if (!answer || bytes === undefined || answer.status !== 200) {
    const text = bytes === undefined ? '' : Buffer.from(bytes).toString();
    assert.doesNotMatch(text, /missing|damaged/, `${item.id}`);
    return;
  }
  assert.ok(item.hashes.includes(hashOf(Buffer.from(bytes))), `document ${item.id} has another content`);
}

const LOCATIONS = ['Bucket', 'Cellar', 'Local'];

/** Two movers, a reader and a replacer work on the same documents until the server is killed. */
async function workload({ url, round, signal, random }: KillRound, items: Item[]): Promise<void> {
  if (round === 0) await setUp(url);
  for (let n = 0; n < DOCUMENTS_PER_ROUND && !signal.aborted; n++) await create(url, `deed ${round} ${n}`, items);
  const any = (): Item | undefined => items[Math.floor(random() * items.length)];
  const until = async (act: (item: Item, n: number) => Promise<unknown>): Promise<void> => {
    for (let n = 0; !signal.aborted; n++) {
      const item = any();
      if (!item) return;
      await act(item, n);
    }
  };
  const move = async (item: Item, n: number): Promise<unknown> =>
    post(url, 'attachment/movefile', {
      ID: [item.id, any()?.id ?? item.id],
      FileObject: LOCATIONS[(round + n) % LOCATIONS.length],
    });
  await Promise.all([
    until(move),
    until(move),
    until((item) => read(url, item)),
    until((item, n) => (n % 5 === 0 ? replace(url, item, `new ${round} ${n}`) : read(url, item))),
  ]);
}

/** Every document has the content that its row says, wherever it is, and so has every version. */
async function verify(url: string, sql: KillSql, items: readonly Item[]): Promise<void> {
  const rows = await sql<
    { id: number; hash: string; versions: number[] }[]
  >`select attachmentid::integer as id, filehash as hash,
      array(select number from documentversion v where v.attachmentid = a.attachmentid) as versions
    from attachment a`;
  const known = new Map(items.map((item) => [item.id, item]));
  for (const { id, hash, versions } of rows) {
    const item = known.get(id);
    assert.ok(!item || item.hashes.includes(hash));
    for (const version of [undefined, ...versions]) {
      const query = version === undefined ? '' : `&Version=${version}`;
      const answer = await call(url, `/api/attachment/download?ID=${id}${query}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal(answer.status, 200, `document ${id}${query}: ${bytes.toString().slice(0, 300)}`);
      if (version === undefined) assert.equal(hashOf(bytes), hash);
      else assert.ok(!item || item.hashes.includes(hashOf(bytes)));
    }
  }
}

test(
  'DOC-05 KRN-23 a server killed while files are moved, read and replaced loses none of them',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const items: Item[] = [];
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      workload: (round) => workload(round, items),
      verify: async (url, sql, round) => {
        await verify(url, sql, items);
        if (round < ROUNDS) return;
        const elsewhere = await sql`select attachmentid, fileobject from attachment where fileobject <> 'Bucket'
          union all select attachmentid, fileobject from documentversion where fileobject <> 'Bucket'`;
        assert.deepEqual([...elsewhere], []);
        // What is left in the database's files is noted, and is removed within minutes.
        const [left] = await sql`select count(*)::integer as n from storedfile s
          join fileobject f on f.fileobjectid = s.fileobjectid
          where not exists (select from fileremoval r where r.fileobject = f.fileobject and r.filepath = s.path)`;
        assert.ok(Number(left?.['n']) <= ROUNDS * 4, `${left?.['n']} copies were left behind`);
      },
      async finish(url) {
        for (const { id } of items) {
          const moved = await post(url, 'attachment/movefile', { ID: id, FileObject: 'Bucket' });
          assert.ok(moved, `document ${id} was not moved`);
        }
      },
    });
    t.diagnostic(`${items.length} documents in ${ROUNDS} rounds, seed ${SEED}`);
  },
);
