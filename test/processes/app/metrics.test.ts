import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { PrometheusMetrics } from '../../../src/surfaces/metrics/prometheus.ts';
import { startedDatabase } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { ADMINISTRATOR_KEY, call, startServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { host, port, user, database } = await startedDatabase({ after });
const sql = postgres({ host, port, user, database, max: 1, onnotice: () => undefined });
after(() => sql.end());
const env = {
  DATABASE_URL: `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
  CASEWRIGHT_DATA: temporaryFolder({ after }),
  CASEWRIGHT_SECRET_KEY: newKey(),
  CASEWRIGHT_LOG_LEVEL: 'error',
};
const server = await startServerProcess({ after }, { env: { ...env, METRICS_PORT: '0' } });
const scrapeUrl = /^metrics on (\S+)$/m.exec(server.out())?.[1] ?? '';

/** The samples of a text of metrics: each name with its labels, and its value. */
function samplesOf(text: string): Map<string, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

async function scrape(): Promise<Map<string, number>> {
  const answer = await fetch(scrapeUrl);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  return samplesOf(await answer.text());
}

const calls = (operation: string, status: string, surface = 'http'): string =>
  `casewright_calls_total{operation="${operation}",surface="${surface}",status="${status}"}`;

test('calls are counted by operation, surface and result, and timed', async () => {
  await call(server.url, '/api/contact/save', 'LastName=Counted');
  await call(server.url, '/api/contact/save', 'NoSuchColumn=1');
  await call(server.url, '/api/contact/save', 'LastName=Twice', { 'Idempotency-Key': 'counted' });
  await call(server.url, '/api/contact/save', 'LastName=Twice', { 'Idempotency-Key': 'counted' });
  await call(server.url, '/api/contact/search', undefined, { 'X-ApiKey': 'wrong' });
  await call(server.url, '/api/contact/queue/save', 'LastName=Queued');
  const samples = await eventually('the queued call is counted', async () => {
    const now = await scrape();
    return now.get('casewright_jobs_total{queue="Default",result="completed"}') === 1 && now;
  });
  assert.equal(samples.get(calls('contact/save', 'OK')), 2);
  assert.equal(samples.get(calls('contact/save', 'UNKNOWN_PARAMETER')), 1);
  assert.equal(samples.get(calls('contact/save', 'REPLAYED')), 1);
  assert.equal(samples.get(calls('contact/save', 'QUEUED')), 1);
  assert.equal(samples.get(calls('contact/save', 'OK', 'queue')), 1);
  assert.equal(samples.get(calls('contact/search', 'NOT_SIGNED_IN')), 1);
  assert.equal(samples.get('casewright_call_seconds_count{operation="contact/save",surface="http"}'), 5);
  assert.ok((samples.get('casewright_call_seconds_sum{operation="contact/save",surface="http"}') ?? 0) > 0);
});

test('queues, connections, the process and the build are reported', async () => {
  await call(server.url, '/api/queue/stop', 'QueueName=Mail');
  await call(server.url, '/api/queue/throttle', 'QueueName=Report&MessagesPerMinute=90');
  for (let n = 0; n < 3; n++) await call(server.url, '/api/contact/queue/search', 'QueueName=Mail');
  await sql`update pgboss.job set start_after = now() - interval '2 hours' where name = 'Mail'`;
  const samples = await scrape();
  assert.equal(samples.get('casewright_queue_messages{queue="Mail",state="waiting"}'), 3);
  assert.ok((samples.get('casewright_queue_oldest_seconds{queue="Mail"}') ?? 0) >= 7_200);
  assert.equal(samples.get('casewright_queue_stopped{queue="Mail"}'), 1);
  assert.equal(samples.get('casewright_queue_stopped{queue="Default"}'), 0);
  assert.equal(samples.get('casewright_queue_messages_per_minute_max{queue="Report"}'), 90);
  assert.ok((samples.get('casewright_database_connections{pool="transactions",state="open"}') ?? 0) >= 1);
  assert.equal(samples.get('casewright_database_connection_waits_total{pool="reached"}'), 0);
  assert.equal(samples.get('casewright_database_up'), 1);
  for (const name of [
    'casewright_transaction_retries_total',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
  ])
    assert.ok(samples.has(name), name);
  assert.ok(
    [...samples.keys()].some((name) => /^casewright_build_info\{version="\d+\.\d+\.\d+",node="v\d+/.test(name)),
  );
});

test('caller input never becomes a label: neither paths, nor values, nor names of statements', async () => {
  const canary = 'xanthippe987654321';
  for (const path of [
    `/api/${canary}/search`,
    `/api/contact/${canary}`,
    `/api/contact/search?LastName=${canary}`,
    `/api/import/${canary}`,
    `/api/contact/${canary}/12345`,
    `/${canary}`,
  ])
    await call(server.url, path);
  await call(
    server.url,
    '/api/statement/save',
    `Statement=${canary}&ModuleName=contact&Sql=${encodeURIComponent('select 1 as one')}`,
  );
  await call(server.url, `/api/contact/${canary}`);
  const before = await scrape();
  for (let n = 0; n < 50; n++) await call(server.url, `/api/nothing${n}/search`);
  const afterwards = await scrape();
  assert.equal([...afterwards.keys()].filter((name) => name.includes(canary)).length, 0);
  assert.equal(
    (afterwards.get(calls('unknown', 'UNKNOWN_OPERATION')) ?? 0) -
      (before.get(calls('unknown', 'UNKNOWN_OPERATION')) ?? 0),
    50,
  );
  const own = (samples: Map<string, number>): string[] =>
    [...samples.keys()].filter((name) => name.startsWith('casewright_call'));
  assert.deepEqual(own(afterwards), own(before), 'fifty unknown names make no new series');
});

test("on the web server's own port the metrics are for signed-in users with the permission and universal access", async () => {
  const keyOf = async (roles: string): Promise<string> => {
    const person = (await (
      await call(server.url, '/api/person/save', `Person=${roles.replace(' ', '')}&Roles=${roles}&Output=Json`)
    ).json()) as { PersonID: number };
    return (
      (await (await call(server.url, '/api/apikey/create', `PersonID=${person.PersonID}&Output=Json`)).json()) as {
        ApiKey: string;
      }
    ).ApiKey;
  };
  assert.equal((await fetch(`${server.url}/metrics`)).status, 401);
  for (const roles of ['Staff', 'Read Only', 'Partner'])
    assert.equal(
      (await call(server.url, '/metrics', undefined, { 'X-ApiKey': await keyOf(roles) })).status,
      403,
      roles,
    );
  await call(server.url, '/api/role/save', 'Role=Watcher&Permissions=MetricsRead&UniversalAccess=true');
  const message = await call(server.url, '/metrics', undefined, { 'X-ApiKey': await keyOf('Watcher') });
  assert.equal(message.status, 200);
  assert.ok(samplesOf(await message.text()).has('casewright_database_up'));
  assert.equal((await call(server.url, '/metrics')).status, 200, 'an administrator has all permissions');
});

test('the separate address serves only the metrics, and keeps no connection open for long', async () => {
  const { origin } = new URL(scrapeUrl);
  assert.equal(
    (await fetch(`${origin}/api/contact/search`, { headers: { 'X-ApiKey': ADMINISTRATOR_KEY } })).status,
    404,
  );
  assert.equal((await fetch(`${origin}/`)).status, 404);
  assert.equal((await fetch(scrapeUrl, { method: 'POST', body: 'x'.repeat(1_000_000) })).status, 405);
  const [address = '', at = ''] = new URL(scrapeUrl).host.split(':');
  const socket = connect(Number(at), address);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write('GARBAGE\r\n\r\n');
  const text = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  assert.match(text, /^HTTP\/1\.1 400/);
  socket.destroy();
});

test('concurrent scrapes share one query of the store, and an unavailable store does not hide the other metrics', async () => {
  const metrics = new PrometheusMetrics('1.2.3');
  let looks = 0;
  const pool = { open: 1, inUse: 0, max: 1, waiting: 0, waits: 2, waitedMilliseconds: 1_500 };
  const store = { usage: () => ({ transactions: pool, reached: pool }) };
  const requested = (states: () => Promise<never[]>) =>
    metrics.text({ store, queue: { states }, settings: { fresh: () => undefined } } as never);
  const texts = await Promise.all(Array.from({ length: 20 }, () => requested(() => Promise.resolve((looks++, [])))));
  assert.equal(looks, 1);
  assert.equal(new Set(texts).size, 1);
  const away = samplesOf(await requested(() => Promise.reject(new Error('away'))));
  assert.equal(away.get('casewright_database_up'), 0);
  assert.equal(away.get('casewright_database_connection_wait_seconds_total{pool="reached"}'), 1.5);
  assert.ok(away.has('process_cpu_seconds_total'));
});

test('a process without a web server serves its metrics on the separate address, if one is set', async (t) => {
  const worker = await startServerProcess(t, { env: { ...env, METRICS_PORT: '0' }, args: ['--role', 'worker'] });
  const url = /^metrics on (\S+)$/m.exec(worker.out())?.[1] ?? '';
  assert.equal((await fetch(url)).status, 200);
  assert.equal(await worker.stop(), 0);
  const silent = await startServerProcess(t, { env, args: ['--role', 'worker'] });
  assert.doesNotMatch(silent.out(), /metrics/);
  assert.equal(await silent.stop(), 0);
});
