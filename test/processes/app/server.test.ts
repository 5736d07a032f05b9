import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { readEnvironment } from '../../../src/app/environment.ts';
import { startEmbeddedPostgres } from '../../../src/app/embedded-postgres.ts';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { atEnd } from '../../support/at-end.ts';
import { emptyTestDatabase, type CleanUp, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startedDatabase } from '../../support/platform.ts';
import {
  ADMINISTRATOR_KEY,
  call,
  launchServer,
  startServerProcess,
  type ServerProcess,
  type ServerStart,
} from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const secretKey = newKey();
const urlOf = ({ host, port, user, database }: TestDatabase): string =>
  `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;

/** For the tests of a server on an existing database. */
const shared = await startedDatabase({ after });
const sql = postgres({ ...shared, max: 2, onnotice: () => undefined });
after(() => sql.end());
const onShared = (folder: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  DATABASE_URL: urlOf(shared),
  CASEWRIGHT_DATA: folder,
  CASEWRIGHT_SECRET_KEY: secretKey,
  ...more,
});

/**
 * Exit code of a start that cannot succeed with this configuration. Any other failure is 1 and may be worth a retry.
 */
const EXIT_CONFIGURATION = 78;

/** What a start that must fail says, and that it ends so. */
async function refused(cleanUp: CleanUp, start: ServerStart, code = EXIT_CONFIGURATION): Promise<string> {
  const server = launchServer(cleanUp, start);
  assert.equal(await server.ended, code);
  return server.log();
}

async function messageOf(url: string, path: string, body: string): Promise<string> {
  const answer = await call(url, path, `${body}&Output=Json`);
  assert.equal(answer.status, 202);
  return ((await answer.json()) as { QueueMessageID: string }).QueueMessageID;
}

async function stateOf(id: string): Promise<string | undefined> {
  const [row] = await sql<{ state: string }[]>`select state::text as state from pgboss.job where id = ${id}`;
  return row?.state;
}

test('an unknown variable, option, role or value stops the start with a suggestion', () => {
  const of =
    (env: Record<string, string>, ...args: string[]) =>
    () =>
      readEnvironment(env, args);
  assert.throws(
    of({ CASEWRIGHT_DAAT: 'x' }),
    /unknown environment variable CASEWRIGHT_DAAT\. Did you mean CASEWRIGHT_DATA\?/,
  );
  assert.throws(of({}, '--no-dmeo'), /unknown server option --no-dmeo\. Did you mean --no-demo\?/);
  assert.throws(of({}, '--role', 'web,wroker'), /--role: expected some of web, worker, scheduler/);
  assert.throws(of({}, '--role'), /--role: expected some of/);
  assert.throws(of({ PORT: '99999' }), /PORT: expected a port number/);
  assert.throws(of({ CASEWRIGHT_LOG_LEVEL: 'loud' }), /CASEWRIGHT_LOG_LEVEL: expected one of debug, info/);
  assert.throws(of({ CASEWRIGHT_ADMIN_KEY: 'key' }), /CASEWRIGHT_ADMIN_KEY: expected at least \d+ characters/);
  assert.deepEqual([...readEnvironment({}, ['--role=worker,scheduler']).roles], ['worker', 'scheduler']);
  assert.equal(readEnvironment({}, []).demo, true);
  assert.equal(
    readEnvironment({ DATABASE_URL: 'postgres://x' }, []).demo,
    false,
    'the demo never goes into a database that somebody brought',
  );
});

test('the embedded server: ready, healthy, exclusive on its folder, its key only for the first start, stopped in order', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServerProcess(t, { env: { CASEWRIGHT_DATA: folder } });
  assert.equal((await fetch(`${server.url}/api/healthcheck`)).status, 200);
  assert.equal((await call(server.url, '/api/role/search')).status, 200);
  assert.match(server.out(), /has no password yet; to sign in at a browser: npm run db -- administrator\n/);
  const second = await refused(t, { env: { CASEWRIGHT_DATA: folder } }, 1);
  assert.match(second, /casewright did not start: .*process/);
  assert.match(second, new RegExp(String(server.pid)), 'it names the owner');
  assert.equal(await server.stop(), 0);
  assert.match(server.log(), /database system is shut down/);
  assert.equal(existsSync(join(folder, 'postgres/cluster/postmaster.pid')), false);
  const again = await startServerProcess(t, {
    env: { CASEWRIGHT_DATA: folder, CASEWRIGHT_ADMIN_KEY: 'another key for the administrator' },
  });
  assert.doesNotMatch(again.out(), /has no password/);
  assert.equal((await call(again.url, '/api/role/search')).status, 200);
  assert.equal(
    (await call(again.url, '/api/role/search', undefined, { 'X-ApiKey': 'another key for the administrator' })).status,
    401,
  );
  const key = readFileSync(join(folder, 'secret.key'), 'utf8');
  assert.equal(await again.stop(), 0);
  rmSync(join(folder, 'secret.key'));
  assert.match(
    await refused(t, { env: { CASEWRIGHT_DATA: folder } }),
    /the secret key is missing: .*secret\.key does not exist, but this store contains values sealed with it/,
  );
  assert.equal(existsSync(join(folder, 'secret.key')), false, 'no new key is made');
  assert.match(
    await refused(t, { env: { CASEWRIGHT_DATA: folder, CASEWRIGHT_SECRET_KEY: newKey() } }),
    /the secret key in CASEWRIGHT_SECRET_KEY is not the key of this store/,
  );
  writeFileSync(join(folder, 'secret.key'), `${newKey()}\n${key}`);
  const rotated = await startServerProcess(t, { env: { CASEWRIGHT_DATA: folder } });
  assert.equal(await rotated.stop(), 0, 'a ring that holds the first key opens the store');
});

test('a port in use is reported before anything is created, so that the next start is the first one', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => taken.close());
  const { port } = taken.address() as { port: number };
  const empty = await emptyTestDatabase(t);
  const server = launchServer(t, {
    env: {
      DATABASE_URL: urlOf(empty),
      CASEWRIGHT_DATA: temporaryFolder(t),
      PORT: String(port),
      CASEWRIGHT_ADMIN_KEY: '',
    },
  });
  assert.equal(await server.ended, 1);
  assert.match(
    server.log(),
    new RegExp(`casewright did not start: port ${port} of 127\\.0\\.0\\.1 is in use by another program`),
  );
  assert.doesNotMatch(server.out(), /API key/);
  const store = postgres({ ...empty, max: 1 });
  atEnd(t, () => store.end());
  assert.equal((await store`select 1 from pg_class where relname = 'migration'`).length, 0);
});

test('an unusable DATABASE_URL is reported in one line without its password', async (t) => {
  const start = (url: string, code?: number) =>
    refused(t, { env: { DATABASE_URL: url, CASEWRIGHT_DATA: temporaryFolder(t) } }, code);
  const unreachable = await start('postgres://someone:hidden-word@127.0.0.1:1/casewright', 1);
  assert.match(
    unreachable,
    /casewright did not start: the database of DATABASE_URL cannot be used: nothing is listening at 127\.0\.0\.1:1\n$/,
  );
  assert.doesNotMatch(unreachable, /hidden-word/);
  assert.match(
    await start(urlOf({ ...shared, database: 'no_such_database' }), 1),
    /database no_such_database does not exist .*create it first: create database no_such_database owner/,
  );
  assert.match(await start('mysql://x'), /DATABASE_URL: expected an address that begins with postgres:\/\//);
});

/** A PostgreSQL of the test's own, to which any user may come. */
async function ownPostgres(
  cleanUp: CleanUp,
): Promise<{ server: { host: string; port: number }; restart: () => Promise<void>; stop: () => Promise<void> }> {
  const dataFolder = mkdtempSync(join('/tmp', 'casewright-pg-'));
  atEnd(cleanUp, () => rmSync(dataFolder, { recursive: true, force: true }));
  const start = async () => {
    const embedded = await startEmbeddedPostgres({ dataFolder, log: () => undefined, settings: { fsync: 'off' } });
    writeFileSync(join(dataFolder, 'postgres/cluster/pg_hba.conf'), 'local all all trust\n');
    const admin = postgres({
      host: embedded.socketFolder,
      port: embedded.port,
      user: embedded.user,
      database: 'postgres',
      max: 1,
    });
    await admin`select pg_reload_conf()`;
    await admin.end();
    return embedded;
  };
  let running = await start();
  atEnd(cleanUp, () => running.stop());
  return {
    server: { host: running.socketFolder, port: running.port },
    stop: () => running.stop(),
    restart: async () => void (running = await start()),
  };
}

test('a database user without rights gets a list of sufficient grants; a store that goes away and comes back', async (t) => {
  const { server, stop, restart } = await ownPostgres(t);
  const admin = postgres({ ...server, user: 'casewright', database: 'postgres', max: 1, onnotice: () => undefined });
  await admin.unsafe('create role plain login');
  await admin.unsafe("create database plain owner plain encoding 'UTF8' template template0");
  const env = {
    DATABASE_URL: urlOf({ ...server, user: 'plain', database: 'plain' }),
    CASEWRIGHT_DATA: temporaryFolder(t),
  };
  const message = await refused(t, { env });
  assert.match(
    message,
    new RegExp(
      'the user plain of DATABASE_URL may not create the missing roles ' +
        'casewright_reach, casewright_report, casewright_report_all',
    ),
  );
  const commands = /have an administrator run: (.*)$/m.exec(message)?.[1] ?? '';
  await admin.unsafe(commands);
  await admin.end();
  const running = await startServerProcess(t, { env });
  assert.equal((await call(running.url, '/api/role/search')).status, 200);
  await stop();
  await eventually('it is not healthy', async () => (await fetch(`${running.url}/api/healthcheck`)).status === 503);
  assert.equal((await call(running.url, '/api/role/search')).status, 503);
  await restart();
  await eventually(
    'it is healthy again',
    async () => (await fetch(`${running.url}/api/healthcheck`)).status === 200,
    20_000,
  );
  const id = await messageOf(running.url, '/api/contact/queue/save', 'LastName=Returned');
  await eventually(
    'jobs are done again',
    async () => (await (await call(running.url, `/api/queue/status?ID=${id}`)).text()).includes('<State>completed'),
    20_000,
  );
  assert.equal(await running.stop(), 0);
});

/** Holds a contact's row, so that a call which changes it waits. */
async function heldContact(server: ServerProcess, run: (id: number) => Promise<void>): Promise<void> {
  const saved = (await (await call(server.url, '/api/contact/save', 'LastName=Held&Output=Json')).json()) as {
    ContactID: number;
  };
  const holder = postgres({ ...shared, max: 1 });
  try {
    await holder.unsafe('begin');
    await holder`select 1 from contact where contactid = ${saved.ContactID} for update`;
    await run(saved.ContactID);
  } finally {
    await holder.end();
  }
}

const waiting = (what: string) =>
  eventually(
    what,
    async () =>
      (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length > 0,
  );

test('a signal during a call and a job: both finish, a second signal at once is ignored, the exit code is 0', async (t) => {
  const server = await startServerProcess(t, { env: onShared(temporaryFolder(t)) });
  let answer: Promise<Response> | undefined;
  let id = '';
  await heldContact(server, async (contactId) => {
    id = await messageOf(server.url, '/api/contact/queue/save', `ID=${contactId}&City=Queued`);
    await eventually('the job runs', async () => (await stateOf(id)) === 'active');
    answer = call(server.url, '/api/contact/save', `ID=${contactId}&FirstName=Slow&Output=Json`);
    await waiting('the call waits for the row');
    server.signal('SIGTERM');
    server.signal('SIGTERM');
    await eventually('no more calls are taken', async () => {
      const refusal = await call(server.url, '/api/role/search').then(
        (r) => r.status,
        () => 0,
      );
      return refusal === 503 || refusal === 0;
    });
  });
  const answered = await answer;
  assert.equal(answered?.status, 200);
  assert.equal(((await answered?.json()) as { FirstName: string } | undefined)?.FirstName, 'Slow');
  assert.equal(await server.ended, 0);
  assert.equal(await stateOf(id), 'completed');
});

test("roles: a web server alone runs no jobs, a worker alone reports that it is ready; a killed worker's job continues elsewhere", async (t) => {
  const web = await startServerProcess(t, { env: onShared(temporaryFolder(t)), args: ['--role', 'web'] });
  const waits = await messageOf(web.url, '/api/contact/queue/save', 'LastName=Waits');
  const first = await startServerProcess(t, { env: onShared(temporaryFolder(t)), args: ['--role=worker'] });
  assert.equal(first.out(), 'casewright ready as worker\n');
  await eventually('the worker does what web left', async () => (await stateOf(waits)) === 'completed');
  let id = '';
  await heldContact(web, async (contactId) => {
    id = await messageOf(web.url, '/api/contact/queue/save', `ID=${contactId}&City=Taken over`);
    await waiting('the job waits for the row');
    first.signal('SIGKILL');
    assert.equal(await first.ended, 'SIGKILL');
  });
  assert.equal(await stateOf(id), 'active', 'nobody knows yet');
  const second = await startServerProcess(t, {
    env: onShared(temporaryFolder(t)),
    args: ['--role', 'worker,scheduler'],
  });
  await eventually('another worker does the job', async () => (await stateOf(id)) === 'completed', 30_000);
  const [row] = await sql`select city from contact where lastname = 'Held' and city is not null and city <> 'Queued'`;
  assert.equal(row?.['city'], 'Taken over');
  for (const each of [web, second]) assert.equal(await each.stop(), 0);
});

test('the log has a line for each call with its correlation id, and no personal data', async (t) => {
  const server = await startServerProcess(t, { env: onShared(temporaryFolder(t), { CASEWRIGHT_LOG_LEVEL: 'debug' }) });
  const canary = 'Xanthippe';
  const ssn = '987-65-4321';
  await call(server.url, '/api/contact/save', `LastName=${canary}&USSSN=${ssn}&Address=${canary}`, {
    'X-Correlation-ID': 'correlation-of-this',
  });
  for (const sent of [`LastName=${canary}&USSSN=${ssn}`, `LastName=${canary}&USSSN=${ssn}99`]) {
    await call(server.url, '/api/contact/search', sent);
    await call(server.url, `/api/contact/search?${sent}`);
  }
  await call(server.url, '/api/contact/save', `LastName=${canary}&BirthDate=${canary}&USSSN=${ssn}99`);
  await call(server.url, '/api/person/save', `Person=${canary}&Password=${canary}-password`);
  await call(server.url, '/api/person/save', `Person=${canary}&Password=${canary}-password`);
  await call(server.url, `/api/${canary}/search`, undefined, { 'X-ApiKey': `${canary}-key` });
  await fetch(`${server.url}/api/role/search`, {
    headers: { Authorization: `Basic ${Buffer.from(`${canary}:${canary}`).toString('base64')}` },
  });
  const id = await messageOf(server.url, '/api/contact/queue/save', `LastName=${canary}&USSSN=${ssn}&ID=999999999`);
  await eventually(
    'the job failed',
    async () => (await sql`select 1 from pgboss.job where source_id = ${id}`).length > 0,
  );
  assert.equal(await server.stop(), 0);
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const own = lines.filter((line) => line['correlationId'] === 'correlation-of-this');
  assert.equal(own.length, 1);
  assert.equal(own[0]?.['operation'], 'contact/save');
  assert.equal(own[0]?.['status'], 200);
  assert.equal(lines.filter((line) => line['msg'] === 'call').length, 11);
  assert.ok(lines.some((line) => line['msg'] === 'queued call failed'));
  for (const word of [canary, canary.toLowerCase(), ssn, ssn.replaceAll('-', ''), ADMINISTRATOR_KEY])
    assert.equal(server.log().includes(word), false, `the log holds ${word}`);
});
