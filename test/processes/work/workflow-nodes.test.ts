import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { startedDatabase } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { seeded } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY, startServerProcess, type ServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { workflowTemplateBody } from '../../support/work/workflows.ts';

/** `npm run soak -- workflow` runs more rounds. */
const ROUNDS = Math.ceil(Number(process.env['CASEWRIGHT_TEST_WORKFLOW_ROUNDS'] ?? 5) / 5);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_121);
/** A killed worker's jobs are taken over after 10 to 20 seconds; a busy machine gets more time. */
const TAKEN_OVER_MILLISECONDS = 30_000;

/** Two processes of one installation. */
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

async function send(
  node: ServerProcess,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly json: Record<string, unknown> }> {
  const answer = await fetch(`${node.url}/api/${path}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

async function ok(node: ServerProcess, path: string, body: object): Promise<Record<string, unknown>> {
  const { status, json } = await send(node, path, body);
  assert.equal(status, 200, `${path}: ${JSON.stringify(json)}`);
  return json;
}

const contact = (name: string): Record<string, string> => ({
  Object: 'Contact',
  Operation: 'Save',
  Parameters: `Object=Foreclosure&ObjectID={ForeclosureID}&LastName=${name}`,
});

await ok(
  nodes[0],
  'decisiontemplate/save',
  workflowTemplateBody('Crowded', [
    { name: 'Waits A' },
    { name: 'Waits B' },
    { name: 'Queued', ...contact('Queued'), Async: true, Queue: 'Batch' },
    { name: 'After A', ...contact('After A'), after: ['Waits A'] },
    { name: 'After B', ...contact('After B'), after: ['Waits B'] },
    { name: 'After all', ...contact('After all'), after: ['After A', 'After B', 'Queued'] },
  ]),
);
await ok(
  nodes[0],
  'decisiontemplate/save',
  workflowTemplateBody('Handed over', [
    { name: 'Queued', ...contact('Queued'), Async: true },
    { name: 'Then', ...contact('Then'), after: ['Queued'] },
  ]),
);

async function startOn(node: ServerProcess, template: string, name: string): Promise<number> {
  const made = await ok(node, 'foreclosure/save', { Foreclosure: name });
  return Number(
    (await ok(node, 'decision/save', { Template: template, Object: 'Foreclosure', ObjectID: made['ForeclosureID'] }))[
      'DecisionID'
    ],
  );
}

const stepsOf = (decisionId: number): Promise<{ id: number; name: string; status: string | null }[]> =>
  sql`select decisionstepid::integer as id, decisionstep as name, status
    from decisionstep
    where decisionid = ${decisionId}
    order by decisionstepid`;
/** Returns the contacts, by name, that the steps of a workflow have left on its case. */
const madeBy = async (decisionId: number): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await sql<{ name: string; n: number }[]>`select c.lastname as name, count(*)::integer as n
        from contact c join decision d on d.objectid = c.objectid and c.object = 'Foreclosure'
        where d.decisionid = ${decisionId}
        group by 1
        order by 1`
    ).map(({ name, n }) => [name, n]),
  );

test(
  'WF-17 sixteen callers on two processes that process, complete and start one workflow at once ' +
    'insert and run each step once',
  { timeout: ROUNDS * 30_000 + 30_000 },
  async () => {
    // Only the callers start what is queued.
    await ok(nodes[0], 'queue/stop', { QueueName: 'Batch' });
    for (let round = 0; round < ROUNDS; round++) {
      const decision = await startOn(nodes[0], 'Crowded', `Crowd ${round}`);
      const steps = await stepsOf(decision);
      const [a, b, queued] = ['Waits A', 'Waits B', 'Queued'].map(
        (name) => steps.find((step) => step.name === name)?.id,
      );
      const calls = [
        'decision/process',
        'decisionstep/complete',
        'decisionstep/start',
        'decisionstep/complete',
      ] as const;
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, n) => {
          const path = calls[n % 4] ?? 'decision/process';
          const waiting = n % 8 < 4 ? a : b;
          const ID = {
            'decision/process': decision,
            'decisionstep/start': [queued],
            'decisionstep/complete': [waiting],
          };
          return send(nodes[n % 2] as ServerProcess, path, { ID: ID[path] });
        }),
      );
      // Starting a step that is running or complete is refused; no other call is.
      for (const [n, { status, json }] of answers.entries())
        assert.ok(
          status === 200 || (n % 4 === 2 && status === 422),
          `${calls[n % 4]}: ${status} ${JSON.stringify(json)}`,
        );
      assert.ok(
        answers.some(({ status }, n) => n % 4 === 2 && status === 200),
        'one of the callers started the step',
      );
      assert.deepEqual((await stepsOf(decision)).map(({ name, status }) => `${name} ${String(status)}`).sort(), [
        'After A Complete',
        'After B Complete',
        'After all Complete',
        'Queued Complete',
        'Waits A Complete',
        'Waits B Complete',
      ]);
      assert.deepEqual(await madeBy(decision), { 'After A': 1, 'After all': 1, 'After B': 1, Queued: 1 });
      const [row] = await sql<
        { complete: boolean }[]
      >`select actualcompletion is not null as complete from decision where decisionid = ${decision}`;
      assert.equal(row?.complete, true);
    }
    await ok(nodes[0], 'queue/start', { QueueName: 'Batch' });
  },
);

const active = async (): Promise<number> =>
  (await sql`select 1 from pgboss.job where state = 'active' and data ->> 'route' = 'decisionstep/start'`).length;
const openOf = async (ids: readonly number[]): Promise<number> =>
  (await sql`select 1 from decision where decisionid = any(${ids}::bigint[]) and actualcompletion is null`).length;

test('WF-17 WF-36 a step that a user starts while its queue starts it runs once', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 8; n++) {
    const id = await startOn(nodes[n % 2] as ServerProcess, 'Handed over', `Contested ${n}`);
    const step = (await stepsOf(id))[0]?.id;
    const answers = await Promise.all(
      [0, 1].map((other) => send(nodes[other] as ServerProcess, 'decisionstep/start', { ID: [step] })),
    );
    for (const { status, json } of answers) assert.ok(status === 200 || status === 422, JSON.stringify(json));
    ids.push(id);
  }
  await eventually('all are complete', async () => (await openOf(ids)) === 0);
  await eventually(
    'nothing is queued for them any longer',
    async () =>
      (await sql`select 1 from pgboss.job where data ->> 'route' = 'decisionstep/start' and state < 'completed'`)
        .length === 0,
  );
  for (const id of ids) assert.deepEqual(await madeBy(id), { Queued: 1, Then: 1 });
});

test(
  'WF-17 a worker stopped in good order finishes what it runs and leaves the rest to the other at once',
  { timeout: 240_000 },
  async () => {
    const [one, other] = nodes;
    const ids: number[] = [];
    await ok(one, 'queue/stop', { QueueName: 'Default' });
    for (let n = 0; n < 12; n++) ids.push(await startOn(other, 'Handed over', `Stopped ${n}`));
    await ok(one, 'queue/start', { QueueName: 'Default' });
    await eventually('steps are running', async () => (await active()) > 0 || (await openOf(ids)) < 12);
    assert.equal(await one.stop(), 0);
    await eventually('the other runs the rest', async () => (await openOf(ids)) === 0, 180_000);
    const labels = (
      await sql<
        { id: number }[]
      >`select decisionstepid::integer as id from decisionstep where decisionid = any(${ids}::bigint[])`
    ).map(({ id }) => `DecisionStep ${id}`);
    const jobs = await sql<
      { retries: number }[]
    >`select retry_count as retries from pgboss.job where data ->> 'label' = any(${labels})`;
    // A job that it had kept would have been taken over after a missed heartbeat, and run again.
    assert.deepEqual(
      jobs.map(({ retries }) => retries),
      Array.from({ length: 12 }, () => 0),
    );
    for (const id of ids) assert.deepEqual(await madeBy(id), { Queued: 1, Then: 1 });
    assert.equal((await sql`select 1 from pgboss.job where name = 'DeadLetters'`).length, 0);
  },
);

/** Returns how many contacts the steps of workflows have left on their cases. */
const effectsOf = async (ids: readonly number[]): Promise<number> =>
  (
    await sql`select 1 from contact c join decision d on d.objectid = c.objectid and c.object = 'Foreclosure'
      where d.decisionid = any(${ids}::bigint[])`
  ).length;

test(
  'WF-17 the steps that a killed worker was running are run by another, each with one effect, and the workflows ' +
    'continue',
  { timeout: ROUNDS * 90_000 + 60_000 },
  async (t) => {
    const random = seeded(SEED);
    nodes[0] = await startNode();
    let longest = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const victim = Math.floor(random() * 2);
      const [one, other] = [nodes[victim] as ServerProcess, nodes[1 - victim] as ServerProcess];
      const [contacts, workflows] = [0, 1].map(() => postgres({ ...database, max: 1, onnotice: () => undefined }));
      assert.ok(contacts && workflows);
      const ids: number[] = [];
      const started = async (): Promise<number> =>
        (await sql`select 1 from decisionstep where decisionid = any(${ids}::bigint[]) and status = 'Started'`).length;
      try {
        await ok(one, 'queue/stop', { QueueName: 'Default' });
        for (let n = 0; n < 4; n++) ids.push(await startOn(one, 'Handed over', `Killed ${round}x${n}`));
        // The steps' operations wait for this lock, so that the worker is killed in the middle of them.
        await contacts.unsafe('begin; lock table contact in share mode');
        other.signal('SIGSTOP');
        await ok(one, 'queue/start', { QueueName: 'Default' });
        await eventually('the one worker runs steps', async () => (await active()) > 0 && (await started()) > 0);
        if (round % 2 === 0) {
          // The operations commit, but the passes that record it wait for the workflows.
          await workflows`begin`;
          await workflows`select 1 from decision where decisionid = any(${ids}::bigint[]) for update`;
          const running = await started();
          await contacts.unsafe('rollback');
          await eventually('the operations have committed', async () => (await effectsOf(ids)) >= running);
        }
        one.signal('SIGKILL');
        await one.ended;
        other.signal('SIGCONT');
      } finally {
        await Promise.all([contacts.end(), workflows.end()]);
      }
      const began = performance.now();
      await eventually('the other worker runs them', async () => (await openOf(ids)) === 0, TAKEN_OVER_MILLISECONDS);
      longest = Math.max(longest, performance.now() - began);
      // Killed before its commit, an operation has left nothing. Afterward its outcome is known: it is not repeated.
      for (const id of ids)
        assert.deepEqual(
          [await madeBy(id), (await stepsOf(id)).map(({ name, status }) => `${name} ${String(status)}`)],
          [{ Queued: 1, Then: 1 }, ['Queued Complete', 'Then Complete']],
        );
      nodes[victim] = await startNode();
    }
    for (const node of nodes) assert.equal(await node.stop(), 0);
    t.diagnostic(`at the most ${(longest / 1_000).toFixed(1)} s after the kill, seed ${SEED}`);
  },
);
