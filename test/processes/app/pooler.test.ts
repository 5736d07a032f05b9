import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import postgres from 'postgres';
import { ConfigurationError } from '../../../src/app/configuration-error.ts';
import { checkDatabase } from '../../../src/app/database-check.ts';
import { Store } from '../../../src/kernel/database/store.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { atEnd } from '../../support/at-end.ts';
import type { TestDatabase } from '../../support/database.ts';
import { installDebianPostgres, startDebianPostgres } from '../../support/peers/debian-postgres.ts';
import { startPgbouncer, withoutPgbouncer, type PgbouncerOptions } from '../../support/peers/pgbouncer.ts';
import { launchServer } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The start-up parameters of our connections that PgBouncer does not know, as an operator would list them. */
const IGNORED = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'casewright.firm',
  'casewright.sslmode',
  'role',
  'default_transaction_read_only',
];
const MODES: readonly PgbouncerOptions['mode'][] = ['session', 'transaction', 'statement'];

const missing = installDebianPostgres((line) => console.log(line));
const skip = missing === undefined ? withoutPgbouncer : `PostgreSQL 15: ${missing}`;
const database = skip === false ? await emptyDatabase() : { host: '', port: 0, user: '', database: '' };

/** A server that lets PgBouncer in, which runs as another user than the tests. */
async function emptyDatabase(): Promise<TestDatabase> {
  const { server, stop } = await startDebianPostgres();
  atEnd({ after }, stop);
  const created = { ...server, database: 'pooled' };
  const sql = postgres({ ...server, database: 'postgres', max: 1 });
  await sql.unsafe('create database pooled template template0');
  await sql.unsafe('create role casewright_reach nologin nobypassrls');
  await sql.end();
  return created;
}

function storeOf(t: TestContext, connection: TestDatabase): Store {
  const store = new Store({ connection, log: silentLog, connectionsMax: 2 });
  t.after(() => store.end());
  return store;
}

describe('connections through PgBouncer', { skip }, () => {
  for (const mode of MODES) {
    test(`KRN-18 a start through PgBouncer in ${mode} mode is refused`, async (t) => {
      const pooled = await startPgbouncer(t, database, { mode, ignored: IGNORED });
      await assert.rejects(
        checkDatabase(pooled),
        (error) =>
          error instanceof ConfigurationError && /connection pooler .*Connect to PostgreSQL itself/.test(error.message),
      );
    });

    test(`KRN-18 a running process whose connections come to lead through PgBouncer in ${mode} mode reads nothing for firms`, async (t) => {
      const store = storeOf(t, await startPgbouncer(t, database, { mode, ignored: IGNORED }));
      const firm = { personId: 1, firm: 7, callId: 'pooler' };
      // PgBouncer drops the role: this would be answered with the rows of all firms.
      const text = 'select rolname from pg_roles';
      for (const read of [
        () => store.readAs(7, text),
        () => store.readAs(7, text, [], 'point'),
        () => store.transaction(firm, (transaction) => transaction.query(text)),
      ])
        await assert.rejects(read(), { code: 'CONNECTION_UNAVAILABLE', message: /connection pooler/ });
    });
  }

  test('a PgBouncer with its own defaults refuses our start-up parameters, and the start says why', async (t) => {
    const pooled = await startPgbouncer(t, database, { mode: 'session' });
    await assert.rejects(storeOf(t, pooled).readAs(7, 'select 1'), /unsupported startup parameter/);
    const { host, port, user } = pooled;
    const server = launchServer(t, {
      env: {
        DATABASE_URL: `postgres://${user}@/${pooled.database}?host=${encodeURIComponent(host)}&port=${port}`,
        CASEWRIGHT_DATA: temporaryFolder(t),
        CASEWRIGHT_SECRET_KEY: newKey(),
      },
    });
    assert.equal(await server.ended, 78);
    assert.match(server.log(), /did not start: the database of DATABASE_URL cannot be used: .*connection pooler/);
  });

  test('a connection to PostgreSQL itself is accepted', async (t) => {
    await checkDatabase(database);
    assert.deepEqual([...(await storeOf(t, database).readAs(7, 'select 1 as one'))], [{ one: 1 }]);
  });
});
