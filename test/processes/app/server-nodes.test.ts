import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { startedDatabase } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { seeded } from '../../support/processes/kill.ts';
import { call, startServerProcess, type ServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** `npm run soak -- nodes` runs more rounds. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_NODES_ROUNDS'] ?? 1);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_121);

/** Two processes of one installation (each a web server, worker and scheduler) share database, documents and key. */
const database = await startedDatabase({ after });
const sql = postgres({ ...database, max: 3, onnotice: () => undefined });
after(() => sql.end());
const env = {
  DATABASE_URL:
    `postgres://${database.user}@/${database.database}?host=${encodeURIComponent(database.host)}` +
    `&port=${database.port}`,
  CASEWRIGHT_DATA: temporaryFolder({ after }),
  CASEWRIGHT_SECRET_KEY: newKey(),
  CASEWRIGHT_LOG_LEVEL: 'error',
};
const startNode = (): Promise<ServerProcess> => startServerProcess({ after }, { env });
const nodes: [ServerProcess, ServerProcess] = [await startNode(), await startNode()];

async function json(node: ServerProcess, path: string, body?: string): Promise<Record<string, unknown>> {
  const answer = await call(node.url, `${path}${path.includes('?') ? '&' : '?'}Output=Json`, body);
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function queued(node: ServerProcess, path: string, body: string): Promise<string> {
  return String((await json(node, path, body))['QueueMessageID']);
}

const stateOf = async (id: string): Promise<string | undefined> =>
  (await sql<{ state: string }[]>`select state::text as state from pgboss.job where id = ${id}`)[0]?.state;

interface QueueList {
  readonly QueueCollection: { readonly QueueItem: readonly { readonly QueueName: string; readonly State: string }[] };
}

const queueStates = async (node: ServerProcess): Promise<Map<string, string>> =>
  new Map(
    ((await json(node, '/api/queue/queues')) as unknown as QueueList).QueueCollection.QueueItem.map((queue) => [
      queue.QueueName,
      queue.State,
    ]),
  );

test('a document stored by one node is served by the other, byte for byte', async () => {
  const [one, other] = nodes;
  const sample = readFileSync(new URL('../../../samples/referrals/northgate-law-001-judicial.xml', import.meta.url));
  const firm = await json(one, '/api/organization/save', 'Organization=Northgate Law&ProviderCode=NL');
  const person = await json(
    one,
    '/api/person/save',
    `Person=Sender&Roles=Partner&OrganizationID=${String(firm['OrganizationID'])}`,
  );
  const key = String((await json(one, '/api/apikey/create', `PersonID=${String(person['PersonID'])}`))['ApiKey']);
  const sent = await fetch(`${one.url}/api/import/foreclosure`, {
    method: 'POST',
    headers: { 'X-ApiKey': key, 'Content-Type': 'text/xml' },
    body: sample,
  });
  assert.equal(sent.status, 200, await sent.text());
  const found = (await json(other, '/api/attachment/search?Object=ImportFile')) as unknown as {
    AttachmentCollection: { AttachmentItem: { AttachmentID: number }[] };
  };
  const reported = await call(
    other.url,
    `/api/attachment/download?ID=${found.AttachmentCollection.AttachmentItem[0]?.AttachmentID}`,
  );
  assert.ok(Buffer.from(await reported.arrayBuffer()).equals(sample));
});

test('a revoked key, a setting and a stopped queue are known to both', async () => {
  const [one, other] = nodes;
  const person = await json(one, '/api/person/save', 'Person=Roaming&Roles=Staff');
  const key = await json(one, '/api/apikey/create', `PersonID=${String(person['PersonID'])}`);
  const asRoaming = (node: ServerProcess): Promise<number> =>
    call(node.url, '/api/contact/search', undefined, { 'X-ApiKey': String(key['ApiKey']) }).then(
      (answer) => answer.status,
    );
  assert.deepEqual(await Promise.all([asRoaming(one), asRoaming(other)]), [200, 200]);
  await json(one, '/api/apikey/revoke', `ID=${String(key['ApiKeyID'])}`);
  await eventually('the other node refuses the revoked key', async () => (await asRoaming(other)) === 401, 2_000);

  await json(one, '/api/setting/save', 'Setting=QueueNames&Value=Default, Import, Batch, Mail, Report, Night');
  await eventually(
    'the other node knows the new queue',
    async () => (await queueStates(other)).get('Night') === 'running',
    2_000,
  );
  const night = await queued(other, '/api/contact/queue/save', 'LastName=Night&QueueName=Night');
  await eventually('it is worked on', async () => (await stateOf(night)) === 'completed');

  await json(one, '/api/queue/stop', 'QueueName=Mail');
  assert.equal((await queueStates(other)).get('Mail'), 'stopped');
  const waits = await queued(other, '/api/contact/queue/save', 'LastName=Waits&QueueName=Mail');
  for (const node of nodes) {
    const fence = await queued(node, '/api/contact/queue/search', '');
    await eventually('a later call of another queue is done', async () => (await stateOf(fence)) === 'completed');
  }
  assert.equal(await stateOf(waits), 'created');
  await json(other, '/api/queue/start', 'QueueName=Mail');
  await eventually('it is done', async () => (await stateOf(waits)) === 'completed');
});

test('KRN-24 a recurring call runs once, whichever node gets it, and leaves one next run', async () => {
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      queued(
        nodes[n % 2] as ServerProcess,
        '/api/contact/queue/save',
        `LastName=Recurring${n}&ScheduleName=Daily at 3am&QueueLabel=nodes&QueuedDate=2020-01-01T00:00:00Z`,
      ),
    ),
  );
  for (const id of ids) await eventually('the first run is done', async () => (await stateOf(id)) === 'completed');
  const made = await sql<
    { n: number }[]
  >`select count(*)::integer as n from contact where lastname like 'Recurring%' collate "C" group by lastname`;
  assert.deepEqual(
    made.map(({ n }) => n),
    Array.from({ length: 12 }, () => 1),
  );
  const [next] = await sql<
    { n: number; chains: number }[]
  >`select count(*)::integer as n, count(distinct data ->> 'scheduleId')::integer as chains
    from pgboss.job
    where data ->> 'label' = 'nodes' and state < 'active'`;
  assert.deepEqual({ ...next }, { n: 12, chains: 12 });
  await sql`delete from pgboss.job where data ->> 'label' = 'nodes'`;
});

test('WEB-06 KRN-24 a retry of dead letters goes on after its server is killed, and runs each call once', async () => {
  const many = ROUNDS > 1 ? 4_000 : 60;
  const [victim, other] = nodes;
  await json(other, '/api/role/save', 'Role=Saver&Permissions=ContactSave&UniversalAccess=true');
  const person = await json(other, '/api/person/save', 'Person=Saver&Roles=Saver');
  const key = await json(other, '/api/apikey/create', `PersonID=${String(person['PersonID'])}`);
  await json(other, '/api/queue/stop', 'QueueName=Default');
  for (let n = 0; n < many; n++) {
    const headers = { 'X-ApiKey': String(key['ApiKey']) };
    const answer = await call(other.url, `/api/contact/queue/save`, `LastName=Retried${n}`, headers);
    assert.equal(answer.status, 202, await answer.text());
  }
  await json(other, '/api/person/save', `ID=${String(person['PersonID'])}&Roles=`);
  await json(other, '/api/queue/start', 'QueueName=Default');
  const dead = async (): Promise<number> =>
    (await sql`select 1 from pgboss.job where name = 'DeadLetters' and state < 'active'`).length;
  await eventually('all are dead letters', async () => (await dead()) === many, 60_000);
  await json(other, '/api/person/save', `ID=${String(person['PersonID'])}&Roles=Saver`);
  // Until a node knows of the role, it refuses the calls that it retries.
  const probe = { 'X-ApiKey': String(key['ApiKey']) };
  for (const node of nodes)
    await eventually(
      'each node knows that the user may save again',
      async () => (await call(node.url, '/api/contact/save', 'LastName=Known', probe)).status === 200,
    );
  const { DeadLetterCauseCollection: causes } = (await json(other, '/api/queue/causes')) as unknown as {
    DeadLetterCauseCollection: { DeadLetterCauseItem: readonly { Cause: string; ErrorCode: string; Count: number }[] };
  };
  const [cause] = causes.DeadLetterCauseItem;
  assert.deepEqual([cause?.ErrorCode, cause?.Count], ['NO_PERMISSION', many]);
  const start = `Operation=contact/save&ErrorCode=NO_PERMISSION&Cause=${cause?.Cause ?? ''}`;
  const started = await Promise.all(nodes.map((node) => json(node, '/api/queueretry/start', start)));
  assert.equal(started[0]?.['QueueRetryID'], started[1]?.['QueueRetryID'], 'two operators start one retry');
  const made = async (): Promise<number> =>
    (await sql`select 1 from contact where lastname like 'Retried%' collate "C"`).length;
  await eventually('some calls have run', async () => (await made()) > 0);
  victim.signal('SIGKILL');
  await victim.ended;
  const ended = await eventually<Record<string, unknown> | false>(
    'the other node goes on',
    async () => {
      const row = await json(other, `/api/queueretry/select?ID=${String(started[0]?.['QueueRetryID'])}`);
      return row['Status'] === 'Complete' && row;
    },
    90_000,
  );
  assert.deepEqual(ended && [ended['Total'], ended['Succeeded'], ended['FailedAgain']], [many, many, 0]);
  const [names] = await sql<
    { n: number; names: number }[]
  >`select count(*)::integer as n, count(distinct lastname)::integer as names
    from contact where lastname like 'Retried%' collate "C"`;
  assert.deepEqual({ ...names }, { n: many, names: many });
  nodes[0] = await startNode();
});

/** Lets one node claim calls that block and the other the rest; kills the first, then unblocks the calls. */
async function killHolding(
  victim: ServerProcess,
  other: ServerProcess,
  takeAll: () => Promise<unknown>,
  active: () => Promise<number>,
): Promise<void> {
  const holder = postgres({ ...database, max: 1, onnotice: () => undefined });
  try {
    await holder.unsafe('begin; lock table contact in share mode');
    other.signal('SIGSTOP');
    await takeAll();
    await eventually('the one node holds calls', async () => (await active()) > 0);
    other.signal('SIGCONT');
    victim.signal('SIGKILL');
    await victim.ended;
  } finally {
    await holder.end();
  }
}

test(
  'KRN-24 the calls of a killed node continue on the other, each with one effect',
  { timeout: ROUNDS * 90_000 + 60_000 },
  async (t) => {
    const random = seeded(SEED);
    let longest = 0;
    let takenOver = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const victim = Math.floor(random() * 2);
      const isHeld = round % 2 === 0;
      const many = isHeld ? 20 : 60 + Math.floor(random() * 200);
      const word = `Killed${round}x`;
      const send = (n: number): Promise<string> =>
        queued(
          nodes[n % 2] as ServerProcess,
          '/api/contact/queue/save',
          `LastName=${word}${n}&Methods_0_MethodType=Email&Methods_0_ContactValue=${word}${n}@example.test`,
        );
      const ids: string[] = [];
      const sendAll = async (): Promise<void> =>
        void ids.push(...(await Promise.all(Array.from({ length: many }, (_, n) => send(n)))));
      // Calls of a schedule may be active too.
      const active = async (): Promise<number> =>
        (await sql`select 1 from pgboss.job where id = any(${ids}::uuid[]) and state = 'active'`).length;
      if (isHeld) {
        const [one, other] = [nodes[victim] as ServerProcess, nodes[1 - victim] as ServerProcess];
        await json(one, '/api/queue/stop', 'QueueName=Default');
        await sendAll();
        await killHolding(one, other, () => json(one, '/api/queue/start', 'QueueName=Default'), active);
      } else {
        await sendAll();
        await eventually('some are running', async () => (await active()) > 0);
        (nodes[victim] as ServerProcess).signal('SIGKILL');
        await (nodes[victim] as ServerProcess).ended;
      }
      const began = performance.now();
      await eventually(
        'the other node does what is left',
        async () =>
          (await sql`select 1 from pgboss.job where id = any(${ids}::uuid[]) and state <> 'completed'`).length === 0,
        45_000,
      );
      longest = Math.max(longest, performance.now() - began);
      const again = await sql`select 1 from pgboss.job where id = any(${ids}::uuid[]) and retry_count > 0`;
      takenOver += again.length;
      if (isHeld) assert.ok(again.length > 0, `${again.length} of ${many} calls were the killed node's`);
      const [sum] = await sql<{ contacts: number; names: number; methods: number }[]>`
      select count(*)::integer as contacts, count(distinct c.lastname)::integer as names,
        (select count(*)::integer from contactmethod m
        where m.contactvalue like ${`${word}%`} collate "C") as methods
      from contact c where c.lastname like ${`${word}%`} collate "C"`;
      assert.deepEqual({ ...sum }, { contacts: many, names: many, methods: many });
      nodes[victim] = await startNode();
    }
    assert.equal((await sql`select 1 from pgboss.job where name = 'DeadLetters'`).length, 0);
    t.diagnostic(
      `${takenOver} calls were taken over in ${ROUNDS} rounds, the last of a round ` +
        `${(longest / 1_000).toFixed(1)} s after the kill at the most; seed ${SEED}`,
    );
    for (const node of nodes) assert.equal(await node.stop(), 0);
  },
);
