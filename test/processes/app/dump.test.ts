import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import postgres from 'postgres';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { atEnd } from '../../support/at-end.ts';
import { testDatabase, type TestDatabase } from '../../support/database.ts';
import { refusedDb, runDb } from '../../support/processes/db-tool.ts';
import { installDebianPostgres, startDebianPostgres } from '../../support/peers/debian-postgres.ts';
import { call, startServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const urlOf = ({ host, port, user, database }: TestDatabase): string =>
  `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
const missing = installDebianPostgres((line) => console.log(line));

test(
  'for an external database without pg_dump, or with an older one, the error says what to install, ' +
    'and nothing is written',
  { timeout: 60_000 },
  async (t) => {
    const folder = temporaryFolder(t);
    const database = await testDatabase(t);
    const env = { DATABASE_URL: urlOf(database), CASEWRIGHT_DATA: folder, CASEWRIGHT_SECRET_KEY: newKey() };
    const target = join(folder, 'backup');
    assert.match(
      await refusedDb(t, ['backup', target], { env: { ...env, PATH: folder } }),
      new RegExp(
        String.raw`pg_dump was not found: install the client programs of PostgreSQL \d+ or later ` +
          String.raw`\(Debian: postgresql-client-\d+\).* Nothing was changed`,
      ),
    );
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 14.9"\n');
    chmodSync(join(programs, 'pg_dump'), 0o755);
    assert.match(
      await refusedDb(t, ['backup', target], { env: { ...env, PATH: programs } }),
      /pg_dump of PostgreSQL 14 is too old for PostgreSQL \d+: install/,
    );
    assert.deepEqual(readdirSync(folder), ['programs']);
  },
);

test(
  'KRN-30 an external database is dumped while it serves, and restored into an empty one with its documents, ' +
    'row security and grants, as a copy without the keys of the original unless it replaces that',
  { timeout: 180_000, skip: missing === undefined ? false : `PostgreSQL 15: ${missing}` },
  async (t) => {
    const folder = temporaryFolder(t);
    const debian = await startDebianPostgres();
    atEnd(t, () => debian.stop());
    const { host, port, user } = debian.server;
    const admin = postgres({
      host,
      port,
      user,
      database: 'postgres',
      path: `${host}/.s.PGSQL.${port}`,
      max: 1,
      onnotice: () => undefined,
    });
    atEnd(t, () => admin.end());
    for (const name of ['one', 'two', 'copy']) await admin.unsafe(`create database ${name} template template0`);
    const envOf = (database: string) => ({
      DATABASE_URL: urlOf({ ...debian.server, database }),
      CASEWRIGHT_DATA: join(folder, database),
      CASEWRIGHT_SECRET_KEY: key,
      CASEWRIGHT_LOG_LEVEL: 'error',
    });
    const key = newKey();
    const server = await startServerProcess(t, { env: envOf('one') });
    assert.equal((await call(server.url, '/api/contact/save', 'LastName=Dumped&USSSN=900123456')).status, 200);
    const saved = await call(
      server.url,
      '/api/attachment/save?Output=Json',
      `FileName=a.txt&Content=${Buffer.from('a document').toString('base64')}`,
    );
    const { AttachmentID } = (await saved.json()) as { AttachmentID: number };
    const target = join(folder, 'backup.tar');
    assert.match(await runDb(t, ['backup', target], { env: envOf('one') }), /backup complete/);
    assert.match(await refusedDb(t, ['restore', target], { env: envOf('one') }), /is not empty/);
    assert.match(
      await refusedDb(t, ['restore', target], { env: { ...envOf('one'), CASEWRIGHT_DATA: join(folder, 'three') } }),
      /the database one is not empty: it contains \w+\.\w+\. Nothing was restored/,
    );
    assert.deepEqual(readdirSync(join(folder, 'three')), []);
    assert.match(
      await refusedDb(t, ['restore', target], { env: { CASEWRIGHT_DATA: join(folder, 'three') } }),
      /a backup of a database named by DATABASE_URL: set DATABASE_URL/,
    );
    assert.match(
      await runDb(t, ['restore', target, '--move'], { env: envOf('two') }),
      /The secret key is present; you can start the server/,
    );
    assert.match(await runDb(t, ['restore', target], { env: envOf('copy') }), /it is a copy: .*will not work here/);
    const copy = await startServerProcess(t, { env: envOf('copy') });
    assert.equal((await call(copy.url, '/api/contact/search')).status, 401);
    assert.equal(await copy.stop(), 0);
    assert.equal(existsSync(join(folder, 'two/restoring')), false);
    assert.equal(await server.stop(), 0);
    const second = await startServerProcess(t, { env: envOf('two') });
    assert.match(
      await (await call(second.url, '/api/contact/search?Output=Json', 'USSSN=900123456')).text(),
      /"LastName":"Dumped"/,
    );
    assert.equal(await (await call(second.url, `/api/attachment/download?ID=${AttachmentID}`)).text(), 'a document');
    // What protects rows is in the dump as much as the rows are.
    const rights = async (database: string) => {
      const sql = postgres({ host, port, user, database, path: `${host}/.s.PGSQL.${port}`, max: 1 });
      const rows = await sql`
      select
        'policy ' || schemaname || '.' || tablename || '.' || policyname || roles::text || coalesce(qual, '') as what
        from pg_policies
      union all select 'table ' || oid::regclass || ' ' || relrowsecurity || ' '
          || coalesce((select string_agg(a::text, ',' order by a::text)
            from unnest(relacl) a where a::text <> all (acldefault('r', relowner)::text[])), '')
        from pg_class
        where relkind in ('r', 'p', 'v') and relnamespace::regnamespace::text in ('public', 'report')
      union all select 'default ' || defaclobjtype::text || coalesce(defaclacl::text, '') from pg_default_acl
      union all select 'function ' || oid::regprocedure || coalesce(proacl::text, '')
        from pg_proc
        where proname = 'set_config' or pronamespace = 'public'::regnamespace
        order by 1`;
      await sql.end();
      return rows.map((row) => row['what'] as string);
    };
    assert.deepEqual(await rights('two'), await rights('one'));
    assert.equal(await second.stop(), 0);
  },
);
