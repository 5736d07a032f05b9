import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import postgres from 'postgres';
import { readEnvironment } from '../../../src/app/environment.ts';
import { openHostKeys } from '../../../src/app/sftp-host-keys.ts';
import { startedDatabase } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { ended, hasOpenSsh, OpenSsh, type Peer } from '../../support/peers/openssh.ts';
import { foreclosure } from '../../support/imports/referrals.ts';
import { ADMINISTRATOR_KEY, startServerProcess, type ServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('sFTP server setup', () => {
  test('it is on by default if only this machine can connect, and can be switched off or moved', () => {
    assert.deepEqual(readEnvironment({}, []).sftp, {
      host: '127.0.0.1',
      port: 2222,
      isPortGiven: false,
      hostKeys: undefined,
    });
    assert.equal(readEnvironment({ SFTP_PORT: 'off' }, []).sftp, undefined);
    assert.deepEqual(readEnvironment({ SFTP_PORT: '22', SFTP_HOST: '0.0.0.0' }, []).sftp, {
      host: '0.0.0.0',
      port: 22,
      isPortGiven: true,
      hostKeys: undefined,
    });
    assert.throws(() => readEnvironment({ SFTP_PORT: 'none' }, []), /SFTP_PORT: expected a port number/);
    assert.ok(readEnvironment({}, []).roles.has('sftp'));
    assert.ok(!readEnvironment({}, ['--role', 'web']).roles.has('sftp'));
  });

  test('host keys are created once, readable only by their owner, and shared by all servers of the installation; others can be configured', async (t) => {
    const file = join(temporaryFolder(t, 'closed'), 'keys.pem');
    const [first, second] = await Promise.all([openHostKeys(file, undefined), openHostKeys(file, undefined)]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(first, second, 'of two that start together');
    assert.equal(first.keys.length, 2);
    assert.deepEqual(await openHostKeys('/nowhere', readFileSync(file, 'utf8').replaceAll('\n', '\\n')), first);
    await assert.rejects(openHostKeys('/nowhere', 'no key'), /SFTP_HOST_KEYS: expected private keys/);
    await assert.rejects(
      openHostKeys('/nowhere', '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----'),
      /one of them cannot be read/,
    );
  });

  test('the native module is built once per Node version; a failing compiler neither stops the start nor is retried', async (t) => {
    const copy = checkout(t);
    const compiler = fakeCompiler(t, copy);
    assert.equal(start(copy, { PATH: '' }), 'ran\n', 'without a compiler');
    compiler.fails(true);
    assert.equal(start(copy, { PATH: compiler.folder }), 'Building the native part of the sFTP server …\nran\n');
    assert.equal(start(copy, { PATH: compiler.folder }), 'ran\n');
    const other = checkout(t);
    const good = fakeCompiler(t, other);
    assert.equal(start(other, { PATH: good.folder }), 'Building the native part of the sFTP server …\nran\n');
    assert.equal(readFileSync(join(other, target), 'utf8'), 'built');
    assert.equal(start(other, { PATH: good.folder }), 'ran\n');
    writeFileSync(join(other, `${target}.for`), 'another Node');
    assert.equal(
      start(other, { PATH: '' }),
      'ran\n',
      'the built module is kept, as when the dependencies are reinstalled',
    );
    assert.notEqual(readFileSync(join(other, `${target}.for`), 'utf8'), 'another Node');
  });
});

const target = 'node_modules/ssh2/lib/protocol/crypto/build/Release/sshcrypto.node';
const nativeModule = join(import.meta.dirname, '../../..', target);

describe(
  'the native module',
  { skip: existsSync(nativeModule) ? false : 'it is not built: there is no compiler' },
  () => {
    test('its ciphers can be garbage-collected at any moment', () => {
      const program = join(import.meta.dirname, '../../support/peers/drop-ciphers.ts');
      const { status, signal, stderr } = spawnSync(
        process.execPath,
        ['--max-semi-space-size=1', program, nativeModule],
        {
          encoding: 'utf8',
        },
      );
      assert.deepEqual([status, signal], [0, null], stderr);
    });
  },
);

describe('a killed server', { skip: hasOpenSsh() ? false : "OpenSSH's client is not installed" }, () => {
  test('EVT-07 host keys sign with Ed25519 and SHA-2 alone; kill -9 in the middle of an upload and of imports: complete files are imported once, incomplete ones are resumed', async (t) => {
    const database = await startedDatabase({ after });
    const folder = temporaryFolder(t);
    const env = {
      DATABASE_URL:
        `postgres://${database.user}@/${database.database}?host=${encodeURIComponent(database.host)}` +
        `&port=${database.port}`,
      CASEWRIGHT_DATA: folder,
      SFTP_PORT: '0',
      CASEWRIGHT_LOG_LEVEL: 'error',
    };
    const client = new OpenSsh(t);
    const key = client.key('key');
    let server = await startServerProcess(t, { env });
    const fingerprint = listeningFacts(server).keys;
    const organization = await json(server, 'organization/save', { Organization: 'Killed' });
    const person = await json(server, 'person/save', {
      Person: 'killed',
      OrganizationID: String(organization['OrganizationID']),
      Roles: 'Partner',
    });
    const account = await json(server, 'sftpaccount/save', {
      SftpAccount: 'killed',
      PersonID: String(person['PersonID']),
      PublicKeys: key.line,
      AllowedNetworks: '127.0.0.1',
      Template: 'Foreclosure',
      FileNames: '*.xml',
    });
    await json(server, 'setting/save', { Setting: 'SftpQuietSeconds', Value: '0' });
    const home = join(folder, 'sftp', String(account['SftpAccountID']), 'home');
    const peer = (): Peer => ({
      port: listeningFacts(server).port,
      user: 'killed',
      key: key.file,
      options: ['HostKeyAlias=killed'],
    });
    const signedWith = (algorithm: string) =>
      client.sftp({ ...peer(), options: [`HostKeyAlias=${algorithm}`, `HostKeyAlgorithms=${algorithm}`] }, 'pwd');
    for (const algorithm of ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256'])
      assert.deepEqual([algorithm, (await signedWith(algorithm)).error], [algorithm, '']);
    assert.notEqual((await signedWith('ssh-rsa')).code, 0, 'no signature with SHA-1');
    for (let i = 0; i < 10; i++) client.file(`whole-${i}.xml`, foreclosure());
    const content = randomBytes(4_000_000);
    client.file('big.bin', content);
    const uploading = client.running(t, 'sftp', peer(), { before: ['-l', '16000', '-b', '-'], input: 'put big.bin' });
    const gone = ended(uploading);
    await eventually(
      'some of it arrived',
      () => existsSync(join(home, 'big.bin')) && statSync(join(home, 'big.bin')).size > 200_000,
    );
    // However long the other files take, the upload is not finished when the server is killed.
    uploading.kill('SIGSTOP');
    assert.equal((await client.sftp(peer(), ...Array.from({ length: 10 }, (_, i) => `put whole-${i}.xml`))).code, 0);
    server.signal('SIGKILL');
    await server.ended;
    uploading.kill('SIGCONT');
    await gone;
    // An import that the kill cut off before it left a trace is repeated only when it is certainly dead.
    const sql = postgres(database);
    await sql`update sftpfile set takendate = takendate - interval '10 minutes' where state = 'Taken'`;
    await sql.end();
    server = await startServerProcess(t, { env });
    assert.equal(listeningFacts(server).keys, fingerprint, 'clients see the same server');
    const resumed = await client.sftp(
      { ...peer(), options: ['HostKeyAlias=killed', 'StrictHostKeyChecking=yes'] },
      'reput big.bin',
    );
    assert.equal(resumed.code, 0, resumed.error);
    assert.deepEqual(readFileSync(join(home, 'big.bin')), content);
    const files = await eventually(
      'all are imported',
      async () => {
        const found = await json(server, 'importfile/search', { DisplaySize: '100' });
        const items = (
          (found['ImportFileCollection'] as { ImportFileItem?: readonly { ImportFile: string }[] }).ImportFileItem ?? []
        ).map((item) => item.ImportFile);
        return items.length >= 10 && !existsSync(join(home, 'whole-9.xml')) ? items : undefined;
      },
      30_000,
    );
    assert.deepEqual(
      [...files].sort(),
      Array.from({ length: 10 }, (_, i) => `whole-${i}.xml`),
    );
    await server.stop();
  });
});

function listeningFacts(server: ServerProcess): { port: number; keys: string } {
  const match =
    /^sftp on 127\.0\.0\.1:(\d+), host keys (SHA256:\S+ SHA256:\S+); encryption (?:by|without) the native part/m.exec(
      server.out(),
    );
  assert.ok(match, server.out());
  return { port: Number(match[1]), keys: match[2] ?? '' };
}

async function json(
  server: ServerProcess,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${server.url}/api/${path}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY },
    body: new URLSearchParams(fields),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Record<string, unknown>;
}

/** A checkout with the starter and only those dependencies from which the native module is built. */
function checkout(t: TestContext): string {
  const copy = temporaryFolder(t);
  mkdirSync(join(copy, 'tools'));
  cpSync(join(import.meta.dirname, '../../../tools/run.mjs'), join(copy, 'tools', 'run.mjs'));
  writeFileSync(join(copy, 'script.ts'), `console.log('ran');`);
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
  mkdirSync(join(copy, 'node_modules/ssh2/lib/protocol/crypto/src'), { recursive: true });
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeFileSync(join(copy, file), '{"packages":{}}');
  writeFileSync(join(copy, 'node_modules/ssh2/package.json'), '{"version":"1.0.0"}');
  writeFileSync(join(copy, 'node_modules/ssh2/lib/protocol/crypto/src/binding.cc'), '');
  return copy;
}

/** A compiler that writes the expected output, or fails. */
function fakeCompiler(t: TestContext, copy: string): { folder: string; fails(does: boolean): void } {
  const folder = temporaryFolder(t);
  const write = (script: string): void => {
    writeFileSync(join(folder, 'g++'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'g++'), 0o755);
  };
  write(`while [ "$1" != "-o" ]; do shift; done; printf built > "$2"`);
  assert.ok(existsSync(copy));
  return { folder, fails: (does) => does && write('exit 1') };
}

function start(copy: string, env: Record<string, string>): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(copy, 'tools', 'run.mjs'), 'script.ts'], {
    cwd: copy,
    encoding: 'utf8',
    env,
  });
  return stdout + stderr;
}
