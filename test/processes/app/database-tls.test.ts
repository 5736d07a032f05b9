import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import postgres from 'postgres';
import { ConfigurationError } from '../../../src/app/configuration-error.ts';
import { checkDatabase } from '../../../src/app/database-check.ts';
import { logEncryption } from '../../../src/app/database-encryption.ts';
import { connectionOf } from '../../../src/app/environment.ts';
import { Store } from '../../../src/kernel/database/store.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { atEnd } from '../../support/at-end.ts';
import { installDebianPostgres, startDebianPostgres } from '../../support/peers/debian-postgres.ts';
import { serverCertificate } from '../../support/peers/server-certificate.ts';
import { runDb } from '../../support/processes/db-tool.ts';
import { call, startServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const missing = installDebianPostgres((line) => console.log(line));
const skip = missing === undefined ? false : `PostgreSQL 15: ${missing}`;
const folder = temporaryFolder({ after });
const { authority, certificate, key } = serverCertificate(folder, ['DNS:localhost']);
mkdirSync(join(folder, 'other'));
const { authority: otherAuthority } = serverCertificate(join(folder, 'other'), ['DNS:localhost']);

/** Returns a port on which nothing listens. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Starts a PostgreSQL with or without TLS; returns where it listens on TCP. */
async function listening(withTls: boolean): Promise<{ port: number; socket: string }> {
  const port = await freePort();
  const { server, stop } = await startDebianPostgres({
    settings: { listen_addresses: '127.0.0.1', port: String(port), ...(withTls ? { ssl: 'on' } : {}) },
    prepare: (cluster, account) => {
      for (const [name, content] of [
        ['server.crt', certificate],
        ['server.key', key],
      ] as const) {
        const file = join(cluster, name);
        writeFileSync(file, content);
        chmodSync(file, 0o600);
        if (account) chownSync(file, account.uid, account.gid);
      }
      appendFileSync(join(cluster, 'pg_hba.conf'), '\nhost all all 127.0.0.1/32 trust\n');
    },
  });
  atEnd({ after }, stop);
  return { port, socket: server.host };
}

const [encrypted, plain] =
  skip === false ? await Promise.all([listening(true), listening(false)]) : [{ port: 0, socket: '' }, { port: 0 }];
const urlOf = (host: string, port: number, parameters = ''): string =>
  `postgres://casewright@${host}:${port}/postgres?${parameters}`;
const check = (host: string, port: number, parameters?: string) =>
  checkDatabase(connectionOf(urlOf(host, port, parameters)));

describe('encrypted connections to the database', { skip }, () => {
  test('a connection is encrypted by default if the server offers it, and stays so', async (t) => {
    const connection = await check('localhost', encrypted.port);
    assert.equal(connection.ssl, 'require');
    // Somebody who answers in the server's place without TLS is not believed.
    const store = new Store({ connection: { ...connection, port: plain.port }, log: silentLog, connectionsMax: 1 });
    t.after(() => store.end());
    await assert.rejects(store.query('select 1'));
    assert.equal((await check('localhost', plain.port)).ssl, 'disable');
  });

  const verified = `sslrootcert=${encodeURIComponent(authority)}`;
  const foreign = `sslrootcert=${encodeURIComponent(otherAuthority)}`;
  const cases: readonly (readonly [string, string, string, 'accepted' | RegExp])[] = [
    ['localhost', 'sslmode=disable', 'which asks for no TLS', 'accepted'],
    ['127.0.0.1', 'sslmode=require', 'with any certificate', 'accepted'],
    ['localhost', `sslmode=verify-full&${verified}`, 'which the certificate names', 'accepted'],
    ['localhost', verified, 'which the certificate names', 'accepted'],
    ['127.0.0.1', `sslmode=verify-ca&${verified}`, 'which the certificate does not name', 'accepted'],
    ['127.0.0.1', `sslmode=verify-full&${verified}`, 'which the certificate does not name', /does not name 127/],
    ['localhost', `sslmode=verify-full&${foreign}`, 'with a certificate of another authority', /cannot be verified/],
    ['localhost', `sslmode=verify-ca&${foreign}`, 'with a certificate of another authority', /cannot be verified/],
    ['localhost', `sslmode=require&${foreign}`, 'with a certificate of another authority', /cannot be verified/],
    ['localhost', 'sslmode=verify-full', 'with a certificate of an unknown authority', /cannot be verified/],
  ];
  for (const [host, parameters, about, expected] of cases)
    test(`${parameters.replace(/=%2F\S+/, '=…')} to ${host}, ${about}: ${expected === 'accepted' ? 'accepted' : 'refused'}`, async () => {
      if (expected === 'accepted') await check(host, encrypted.port, parameters);
      else await assert.rejects(check(host, encrypted.port, parameters), expected);
    });

  test('a server without TLS is refused where the address requires it', async () => {
    for (const mode of ['require', 'verify-full'])
      await assert.rejects(check('localhost', plain.port, `sslmode=${mode}`), /does not offer TLS/);
  });

  test('a misspelled or unsupported parameter is refused', () => {
    for (const [parameters, message] of [
      [
        'sslmode=verify_full',
        /DATABASE_URL: sslmode: expected one of disable, prefer, require, verify-ca, verify-full/,
      ],
      ['sslrootcert=/nowhere.pem', /sslrootcert: there is no file/],
      ['sslrootcert=system&sslmode=require', /sslmode: with sslrootcert=system, expected verify-full or verify-ca/],
      ['sslcert=client.pem', /sslcert is not supported; supported are sslmode and sslrootcert/],
    ] as const)
      assert.throws(
        () => connectionOf(urlOf('db.example', 5432, parameters)),
        (error) => error instanceof ConfigurationError && message.test(error.message),
      );
  });

  test('a plain connection to another machine is a warning in the log, one to this machine is not', () => {
    const warningsFor = (host: string): number => {
      let warnings = 0;
      logEncryption({ host, port: 5432, user: 'u', database: 'd' }, { ...silentLog, warn: () => void warnings++ });
      return warnings;
    };
    assert.deepEqual(['/run/postgresql', 'localhost', '127.0.0.1', '::1'].map(warningsFor), [0, 0, 0, 0]);
    assert.deepEqual(['db.example', '10.0.0.7', '127.0.0.1.example'].map(warningsFor), [1, 1, 1]);
  });

  test('every connection of a server is encrypted, its log and health report say so, and a backup is too', async (t) => {
    const sql = postgres({ host: encrypted.socket, port: encrypted.port, user: 'casewright', database: 'postgres' });
    t.after(() => sql.end());
    await sql.unsafe('create database served template template0');
    const env = {
      DATABASE_URL: `postgres://casewright@localhost:${encrypted.port}/served?sslmode=verify-full&${verified}`,
      CASEWRIGHT_DATA: temporaryFolder(t),
      CASEWRIGHT_SECRET_KEY: newKey(),
    };
    const server = await startServerProcess(t, { env });
    assert.match(server.log(), /connections to the database: encrypted, server verified/);
    assert.match(
      await (await call(server.url, '/api/system/health?Output=Json')).text(),
      /encrypted with TLSv1\.3, server verified/,
    );
    const connections = await sql<{ ssl: boolean; name: string }[]>`
      select s.ssl, a.application_name as name
      from pg_stat_activity a
      join pg_stat_ssl s using (pid)
      where a.datname = 'served' and a.backend_type = 'client backend'`;
    assert.ok(connections.some(({ name }) => name === 'casewright queue'));
    assert.deepEqual(
      connections.filter(({ ssl }) => !ssl),
      [],
    );
    await runDb(t, ['backup', join(env.CASEWRIGHT_DATA, 'backup')], { env });
    assert.match(await runDb(t, ['status'], { env }), /connection encrypted, server verified/);
    assert.equal(await server.stop(), 0);
  });
});
