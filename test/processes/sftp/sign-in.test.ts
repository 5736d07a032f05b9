import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { ended, hasOpenSsh, type Peer } from '../../support/peers/openssh.ts';
import { connectRaw, execute } from '../../support/peers/sftp-raw.ts';
import { testSftp, type TestAccount } from '../../support/peers/sftp-server.ts';

const s = await testSftp({ after });
const { client, p } = s;

const isIn = async (peer: Peer): Promise<boolean> => (await client.sftp(peer, 'pwd')).code === 0;
const passwordOf = async (account: TestAccount, more: Record<string, string> = {}): Promise<string> => {
  const answer = await p.admin.post('/api/sftpaccount/setpassword?Output=Json', { ID: String(account.id), ...more });
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json()['Password']);
};
const byPassword = ({ peer }: TestAccount, password: string): Peer => ({ port: peer.port, user: peer.user, password });
const save = (fields: Record<string, string>) => p.admin.post('/api/sftpaccount/save?Output=Json', fields);

describe('authentication', { skip: hasOpenSsh() ? false : "OpenSSH's client is not installed" }, () => {
  test('EVT-07 a key of the account signs in, several of them, of every safe type; no other does', async () => {
    const on = await s.account('keys');
    const kinds = { ecdsa: ['-t', 'ecdsa', '-b', '384'], rsa: ['-t', 'rsa', '-b', '2048'], ed: [] };
    const keys = Object.entries(kinds).map(([name, kind]) => client.key(name, ...kind));
    await s.save(on.id, { PublicKeys: keys.map((key) => key.line).join('\n') });
    for (const key of keys) assert.ok(await isIn({ ...on.peer, key: key.file }), key.line.slice(0, 30));
    assert.equal(
      await isIn({ ...on.peer, key: keys[1]?.file ?? '', options: ['PubkeyAcceptedAlgorithms=ssh-rsa'] }),
      false,
      'no signature with SHA-1',
    );
    assert.equal(await isIn({ ...on.peer, user: 'KEYS' }), false, 'its first key was replaced');
    assert.ok(await isIn({ ...on.peer, user: 'KEYS', key: keys[0]?.file ?? '' }), 'names are compared without case');
    const refused = await client.sftp({ ...on.peer, key: client.key('foreign').file }, 'pwd');
    assert.match(refused.error, /Permission denied/);
    assert.notEqual(refused.code, 0);
    await eventually('the security log names the key', async () =>
      (await s.events('SftpSignInRefused')).some((detail) =>
        /^the key SHA256:\S+ is none of the account's$/.test(detail),
      ),
    );
    assert.ok((await s.events('SftpSignedIn')).some((detail) => detail.startsWith('key SHA256:')));
  });

  test('EVT-14 short RSA keys, private keys and texts that are not keys are refused when they are saved', async () => {
    const on = await s.account('short');
    const short = client.key('rsa1024', '-t', 'rsa', '-b', '1024').line;
    const cut = client.key('cut').line.slice(0, 50);
    const rsa = client.key('mangled', '-t', 'rsa', '-b', '2048').line;
    const wrong: Readonly<Record<string, RegExp>> = {
      [short]: /at least 2048 bits; the key in line 1 has 1024/,
      [`${client.key('good').line}\n${cut}`]: /line 2/,
      'ssh-dss AAAA': /starting with/,
      '-----BEGIN OPENSSH PRIVATE KEY-----': /private key must never leave/,
      [rsa.replace('AAAAB3', 'AAAAB4')]: /line 1/,
    };
    for (const [line, says] of Object.entries(wrong)) {
      const answer = await save({ ID: String(on.id), PublicKeys: line });
      assert.equal(answer.status, 400, line.slice(0, 60));
      assert.match(answer.text, says);
    }
    assert.ok(await isIn(on.peer), 'the previous key still signs in');
  });

  test('EVT-07 a generated password signs in, is shown once, and is stored as a hash; wrong ones are limited, counted and logged', async () => {
    const on = await s.account('words');
    assert.equal(await isIn(byPassword(on, 'anything')), false, 'without a stored password none is accepted');
    const password = await passwordOf(on);
    assert.match(password, /^[\w-]{32}$/);
    assert.ok(await isIn(byPassword(on, password)));
    const [row] = await p.platform.store.query<{ password: string }>(
      'select password from sftpaccount where sftpaccountid = $1::bigint',
      [on.id],
    );
    assert.match(row?.password ?? '', /^\$argon2id\$/);
    const shown =
      (await p.admin.get(`/api/sftpaccount/${on.id}`)).text +
      (await p.admin.get(`/api/sftpaccount/history/${on.id}`)).text;
    assert.ok(!shown.includes(password) && !shown.includes('argon2'), shown);
    const next = await passwordOf(on);
    assert.deepEqual([await isIn(byPassword(on, password)), await isIn(byPassword(on, next))], [false, true]);
    for (let i = 0; i < 11; i++) await isIn(byPassword(on, `wrong ${i}`));
    assert.equal(await isIn(byPassword(on, next)), false, 'locked until the window ends');
    assert.ok(await isIn(on.peer), 'keys cannot be guessed, so they still sign in');
    assert.ok((await s.events('SftpSignInRefused')).includes('too many wrong passwords'));
    await p.platform.store.query('delete from signinattempt');
    assert.ok(await isIn(byPassword(on, next)));
    await passwordOf(on, { Remove: 'true' });
    assert.equal(await isIn(byPassword(on, next)), false);
    await p.platform.store.query('delete from signinattempt');
  });

  test("EVT-07 an address outside of the account's networks is refused whatever its credentials; one that no account allows gets no greeting", async () => {
    const on = await s.account('network', { AllowedNetworks: '192.0.2.0/24' });
    const password = await passwordOf(on);
    assert.equal(await isIn(on.peer), false);
    assert.equal(await isIn(byPassword(on, password)), false);
    await eventually(
      'the log gives the reason',
      async () =>
        (await s.events('SftpSignInRefused')).filter((detail) => detail === 'address not allowed').length === 2,
    );
    const other = await testSftp({ after });
    await other.account('far', { AllowedNetworks: '192.0.2.0/24' });
    assert.equal(await receivedText(other.server.port, 'SSH-2.0-test\r\n'), '', "not even the server's identification");
    await receivedText(other.server.port, 'SSH-2.0-test\r\n');
    assert.deepEqual(
      await other.events('SftpRefused'),
      ['no account is used from this address'],
      'once, however often it connects',
    );
  });

  test('EVT-14 an account of another environment is refused with a line in the log, an inactive one too', async () => {
    const uat = await s.account('uat', { Environment: 'UAT' });
    assert.equal(await isIn(uat.peer), false);
    await s.set('Environment', 'uat');
    assert.ok(await isIn(uat.peer), 'where the installation is that environment');
    await s.set('Environment', 'Production');
    const off = await s.account('off');
    await s.save(off.id, { Status: 'Inactive' });
    assert.equal(await isIn(off.peer), false);
    const left = await s.account('left');
    await p.admin.post('/api/person/save', { ID: String(left.firm.personId), Status: 'Inactive' });
    assert.equal(
      await eventually('the user of the account is known as inactive', async () => !(await isIn(left.peer))),
      true,
    );
    await eventually('the log gives the reason', async () => {
      const refusals = await s.events('SftpSignInRefused');
      return [
        'the account belongs to the environment UAT',
        'the account is inactive',
        'the user of the account is inactive',
      ].every((why) => refusals.includes(why));
    });
  });

  for (const [what, revoke] of Object.entries({
    'the account is switched off': () => ({ Status: 'Inactive' }),
    'the key is taken away': (on: TestAccount) => ({ PublicKeys: client.key(`other-${on.id}`).line }),
    'its networks change': () => ({ AllowedNetworks: '192.0.2.1/32' }),
  })) {
    test(`EVT-07 an open session ends at its next request when ${what}`, async (t) => {
      const on = await s.account(`open${what.length}`);
      const child = client.running(t, 'sftp', on.peer, { before: ['-b', '-'] });
      const end = ended(child);
      let out = '';
      child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
      child.stdin?.write('pwd\n');
      await eventually('it is signed in', () => out.includes('Remote working directory'));
      await s.save(on.id, revoke(on));
      await eventually('a request is refused and the connection ended', () => {
        child.stdin?.write('-mkdir more\n');
        return child.exitCode !== null || child.signalCode !== null;
      });
      assert.notEqual((await end).code, 0);
      assert.equal(await isIn(on.peer), false);
      assert.ok((await s.events('SftpSessionEnded')).length > 0);
    });
  }

  test('EVT-07 no shell, commands, terminal, port forwarding, legacy scp or links', async (t) => {
    const on = await s.account('only');
    client.file('x.txt', 'x');
    for (const command of [['id'], [], ['-tt'], ['internal-sftp; id']]) {
      const output = await client.ssh(on.peer, [], ...command);
      assert.notEqual(output.code, 0, command.join(' '));
      assert.doesNotMatch(output.out, /uid=/);
    }
    assert.notEqual((await client.scp(on.peer, '-O', 'x.txt', `${on.name}@127.0.0.1:x.txt`)).code, 0);
    const copied = await client.scp(on.peer, 'x.txt', `${on.name}@127.0.0.1:x.txt`);
    assert.equal(copied.code, 0, `scp over sFTP is sFTP: ${copied.error}`);
    const raw = await connectRaw(on.peer);
    await assert.rejects(execute(raw.client, 'id'), /Unable to exec/);
    await assert.rejects(raw.symlink('/etc/passwd', 'link'), /no links/);
    await assert.rejects(
      new Promise((resolve, reject) =>
        raw.client.forwardIn('127.0.0.1', 0, (error, port) => (error ? reject(error) : resolve(port))),
      ),
      /Unable to bind/,
    );
    raw.end();
    // Local port forwarding to the platform's web server: a connection through it must reach nothing.
    const local = await freePort();
    client.running(t, 'ssh', on.peer, { before: ['-N', '-L', `127.0.0.1:${local}:${new URL(p.url).host}`] });
    await eventually('the client listens', () => receivedText(local, 'x').then(() => true));
    assert.equal(await receivedText(local, 'GET /api/healthcheck HTTP/1.0\r\n\r\n'), '');
  });
});

describe('other traffic on the port', () => {
  test('EVT-07 meaningless bytes end their connection and nothing else', async () => {
    const on = await s.account('steady');
    const raw = await connectRaw(on.peer);
    for (const bytes of [
      randomBytes(65_536),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(65_536)]),
      Buffer.from(`SSH-2.0-${'x'.repeat(100_000)}`),
      Buffer.from('SSH-1.5-old\r\n'),
    ])
      await receivedText(s.server.port, bytes);
    await raw.mkdir('still-there');
    raw.end();
    assert.deepEqual(on.files(), ['still-there']);
  });

  test('EVT-07 connections that do not sign in are limited, and signed-in ones continue', async () => {
    const on = await s.account('busy');
    const raw = await connectRaw(on.peer);
    const sockets = await Promise.all(Array.from({ length: 60 }, () => connected(s.server.port)));
    const open = (): number => sockets.filter((socket) => !socket.destroyed && !socket.closed).length;
    await eventually('most are closed again', () => open() <= 20);
    await raw.mkdir('during');
    for (const socket of sockets) socket.destroy();
    await eventually('a connection is free again', () => connectRaw(on.peer).then((again) => (again.end(), true)));
    raw.end();
  });

  test('EVT-07 the connections of one account are limited', async () => {
    await s.set('SftpSessionsPerAccountMax', '2');
    const on = await s.account('twice');
    const [first, second] = [await connectRaw(on.peer), await connectRaw(on.peer)];
    await assert.rejects(connectRaw(on.peer));
    first.end();
    await first.ended;
    await eventually('a connection is free again', () => connectRaw(on.peer).then((again) => (again.end(), true)));
    second.end();
    await s.set('SftpSessionsPerAccountMax', '10');
  });
});

describe('creating accounts', () => {
  test('EVT-07 an account needs a plain, unique name, networks and patterns; missing values get defaults', async () => {
    const { personId } = await p.firm('Makers');
    const of = (fields: Record<string, string>) =>
      save({ SftpAccount: 'maker', PersonID: String(personId), AllowedNetworks: '10.0.0.0/8', ...fields });
    const wrong: Readonly<Record<string, Record<string, string>>> = {
      SftpAccount: { SftpAccount: 'with space' },
      AllowedNetworks: { AllowedNetworks: '' },
      FileNames: { FileNames: ' , ' },
      Template: { Template: 'a/b' },
      Status: { Status: 'Maybe' },
    };
    for (const [field, fields] of Object.entries(wrong)) {
      const answer = await of(fields);
      assert.equal(answer.status, 400, field);
      assert.match(answer.text, new RegExp(field));
    }
    const made = await of({});
    assert.equal(made.status, 200, made.text);
    const { Status, Environment, Template } = made.json();
    assert.deepEqual(
      { Status, Environment, Template },
      { Status: 'Active', Environment: 'Production', Template: 'LegacyEvents' },
    );
    assert.equal((await of({ SftpAccount: 'MAKER' })).status, 409, 'names must differ by more than case');
    assert.ok((await s.events('SftpAccountMade')).length > 0);
  });
});

/** Returns everything that a server sends on a connection until it is closed. */
function receivedText(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.end(bytes));
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => undefined);
    socket.resume();
  });
}

/** Returns a port on which nothing listens now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
