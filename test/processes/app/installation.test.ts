import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { writeRestoreDecision } from '../../../src/app/installation.ts';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { atEnd } from '../../support/at-end.ts';
import { type CleanUp, type TestDatabase } from '../../support/database.ts';
import { startedDatabase } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { refusedDb, runDb } from '../../support/processes/db-tool.ts';
import { call, launchServer, startServerProcess, type ServerStart } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const original = await startedDatabase({ after });
const secretKey = newKey();
const EXIT_CONFIGURATION = 78;

function environmentOf({ host, port, user, database }: TestDatabase, folder: string, name?: string) {
  return {
    DATABASE_URL: `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    CASEWRIGHT_DATA: folder,
    CASEWRIGHT_SECRET_KEY: secretKey,
    CASEWRIGHT_LOG_LEVEL: 'error',
    ...(name === undefined ? {} : { CASEWRIGHT_ENVIRONMENT: name }),
  };
}

/** Returns what a start that must fail for its configuration says. */
async function refusedStart(cleanUp: CleanUp, start: ServerStart): Promise<string> {
  const server = launchServer(cleanUp, start);
  assert.equal(await server.ended, EXIT_CONFIGURATION);
  return server.log();
}

/** Copies a database beside the original, as an operator might with their own tools. */
async function copyOf(cleanUp: CleanUp, { database, ...server }: TestDatabase): Promise<TestDatabase> {
  const copy = `${database}_copy`;
  const admin = postgres({ ...server, database: 'postgres', max: 1, onnotice: () => undefined });
  await admin.unsafe(`create database ${copy} template ${database}`);
  atEnd(cleanUp, async () => {
    await admin.unsafe(`drop database if exists ${copy} with (force)`);
    await admin.end();
  });
  return { ...server, database: copy };
}

const basic = (name: string, password: string): Record<string, string> => ({
  'X-ApiKey': '',
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

test('KRN-30 a copied store starts only once an operator says so, without the keys and passwords of the original, and paused', async (t) => {
  const env = environmentOf(original, temporaryFolder(t), 'production');
  const production = await startServerProcess(t, { env, args: ['--role', 'web'] });
  const password = 'a long password of anna';
  const saved = await call(
    production.url,
    '/api/person/save',
    `Person=anna&FirstName=Anna&LastName=Clerk&Roles=Staff&Password=${password}`,
  );
  assert.equal(saved.status, 200);
  assert.equal(
    (await call(production.url, '/api/organization/save', 'Organization=Alder&ProviderCode=A1')).status,
    200,
  );
  assert.equal((await call(production.url, '/api/contact/queue/save', 'LastName=Queued')).status, 202);
  assert.equal(await production.stop(), 0);

  const before = postgres({ ...original, max: 1 });
  await before`insert into sftpaccount (sftpaccount, personid, password, publickeys)
    select 'alder', personid, 'a hash', 'ssh-ed25519 AAAA' from person where person = 'anna'`;
  await before`insert into registration (tokenhash, kind, personid, organizationid, passwordhash, expires, createddate)
    select '\\x01', 'User', p.personid, o.organizationid, 'a hash', now() + interval '1 day', now()
    from person p, organization o
    where p.person = 'anna'`;
  await before`insert into paymentprovider (paymentprovider, apikey, webhooksecret)
    values ('Cards', 'sealed', 'sealed')`;
  await before.end();

  const copy = await copyOf(t, original);
  const there = environmentOf(copy, temporaryFolder(t), 'test');
  const sql = postgres({ ...copy, max: 1, onnotice: () => undefined });
  t.after(() => sql.end());
  const queued = async () => (await sql<{ n: number }[]>`select 1 as n from contact where lastname = 'Queued'`).length;
  assert.match(
    await refusedStart(t, { env: there }),
    /last used in another database: it was moved or copied\. Nothing was changed\..*--move.*--copy/,
  );
  assert.match(await runDb(t, ['installation'], { env: there }), /original; environment production/);
  assert.match(await runDb(t, ['installation', '--copy'], { env: there }), /paused copy.*environment test/);
  assert.match(await refusedStart(t, { env: there, args: ['--role', 'worker'] }), /a copy of another installation/);

  assert.deepEqual(
    [
      ...(await sql`select password, publickeys,
          (select count(*)::integer from registration where expires > now()) as open
        from sftpaccount`),
    ],
    [{ password: null, publickeys: null, open: 0 }],
  );
  assert.deepEqual(
    [...(await sql`select apikey, webhooksecret from paymentprovider`)],
    [{ apikey: null, webhooksecret: null }],
    'a copy charges nothing with the keys of the original',
  );
  const paused = await startServerProcess(t, { env: there });
  assert.match(paused.out(), /a copy of another installation\. Its API keys, passwords and sessions do not work here/);
  assert.equal((await call(paused.url, '/api/contact/search')).status, 401);
  assert.equal((await call(paused.url, '/api/contact/search', undefined, basic('anna', password))).status, 401);
  const [, recovered = ''] =
    /password, shown only now: (\S+)/.exec(await runDb(t, ['administrator'], { env: there })) ?? [];
  const signedIn = await call(paused.url, '/api/contact/search', undefined, basic('administrator', recovered));
  assert.match(await signedIn.text(), /PASSWORD_CHANGE_REQUIRED/);
  assert.equal(await paused.stop(), 0);
  assert.equal(await queued(), 0, 'no worker runs on a paused copy');

  assert.match(await runDb(t, ['installation', '--resume'], { env: there }), /copy, running/);
  assert.match(await refusedDb(t, ['installation', '--resume'], { env: there }), /not a paused copy/);
  const running = await startServerProcess(t, { env: there });
  await eventually('queued calls of a resumed copy run', async () => (await queued()) === 1, 20_000);
  assert.equal((await call(running.url, '/api/contact/search')).status, 401);
  assert.equal(await running.stop(), 0);

  const again = await startServerProcess(t, { env, args: ['--role', 'web'] });
  assert.equal((await call(again.url, '/api/contact/search')).status, 200, 'the original goes on');
  assert.equal((await call(again.url, '/api/contact/search', undefined, basic('anna', password))).status, 403);
  assert.equal(await again.stop(), 0);
});

test('KRN-30 naming the environment of a store that had no name is neither a copy nor a move', async (t) => {
  const database = await startedDatabase(t);
  const folder = temporaryFolder(t);
  const unnamed = await startServerProcess(t, { env: environmentOf(database, folder), args: ['--role', 'web'] });
  assert.equal(await unnamed.stop(), 0);
  const env = environmentOf(database, folder, 'production');
  assert.match(
    await refusedDb(t, ['installation', '--copy'], { env }),
    /in which it was last used\. Nothing was changed/,
    'its keys and passwords are not dropped',
  );
  assert.match(await runDb(t, ['installation', '--copy', '--yes'], { env: environmentOf(database, folder) }), /paused/);
  assert.match(await runDb(t, ['installation', '--resume'], { env }), /copy, running; environment production/);
});

test('KRN-30 a store in an environment of another name is refused, and a moved one keeps its keys by one command', async (t) => {
  const folder = temporaryFolder(t);
  const named = (name?: string) => environmentOf(original, folder, name);
  for (const [name, says] of [
    [undefined, /the environment production, and CASEWRIGHT_ENVIRONMENT is not set/],
    ['staging', /the environment production, and CASEWRIGHT_ENVIRONMENT is staging/],
    ['two words', /CASEWRIGHT_ENVIRONMENT: expected a name such as production or test/],
  ] as const)
    assert.match(await refusedStart(t, { env: named(name) }), says);
  assert.match(
    await refusedDb(t, ['installation', '--copy'], { env: named('production') }),
    /in which it was last used\. Nothing was changed; .* --yes/,
  );
  assert.match(await refusedDb(t, ['installation', '--copy', '--move'], { env: named('staging') }), /expected one of/);
  assert.match(await runDb(t, ['installation', '--move'], { env: named('staging') }), /original; environment staging/);
  const moved = await startServerProcess(t, { env: named('staging'), args: ['--role', 'web'] });
  assert.equal((await call(moved.url, '/api/contact/search')).status, 200);
  const log = await (await call(moved.url, '/api/securitylog/search?Output=Json&SecurityLog=StoreMoved')).text();
  assert.match(log, /environment staging.*before in environment production/);
  assert.equal(await moved.stop(), 0);
});

test('KRN-30 before its first start, a restored copy says what it is, and the administrator keeps a password made then', async (t) => {
  const folder = temporaryFolder(t);
  const env = environmentOf(original, folder, 'staging');
  writeRestoreDecision(folder, 'copy');
  assert.match(await runDb(t, ['installation'], { env }), /restored as a copy, not started yet: .*--move/);
  assert.match(await refusedDb(t, ['installation', '--resume'], { env }), /has not been started since it was restored/);
  assert.match(await runDb(t, ['installation', '--move'], { env }), /original; environment staging/);
  const moved = await startServerProcess(t, { env, args: ['--role', 'web'] });
  assert.equal((await call(moved.url, '/api/contact/search')).status, 200, 'the start does not make it a copy again');
  assert.equal(await moved.stop(), 0);

  writeRestoreDecision(folder, 'copy');
  const printed = await runDb(t, ['administrator'], { env });
  assert.match(printed, /paused copy/);
  const [, password = ''] = /password, shown only now: (\S+)/.exec(printed) ?? [];
  const copy = await startServerProcess(t, { env });
  assert.equal((await call(copy.url, '/api/contact/search')).status, 401);
  const signedIn = await call(copy.url, '/api/contact/search', undefined, basic('administrator', password));
  assert.match(await signedIn.text(), /PASSWORD_CHANGE_REQUIRED/);
  assert.equal(await copy.stop(), 0);
});
