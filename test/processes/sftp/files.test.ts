import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { ended, hasOpenSsh } from '../../support/peers/openssh.ts';
import { connectRaw } from '../../support/peers/sftp-raw.ts';
import { testSftp } from '../../support/peers/sftp-server.ts';

const s = await testSftp({ after });
const { client } = s;
const stored = async (accountId: number): Promise<readonly { path: string | null; state: string }[]> =>
  (
    await s.p.platform.store.query<{ path: string | null; state: string }>(
      'select path, state from sftpfile where sftpaccountid = $1::bigint order by path',
      [accountId],
    )
  ).map(({ path, state }) => ({ path, state }));

describe(
  "files over sFTP with OpenSSH's client",
  { skip: hasOpenSsh() ? false : "OpenSSH's client is not installed" },
  () => {
    test('EVT-07 a file is put, listed, renamed over another, read back and removed', async () => {
      const alpha = await s.account('alpha');
      const content = randomBytes(300_000);
      client.file('one.bin', content);
      const output = await client.sftp(
        alpha.peer,
        'put one.bin',
        'put one.bin two.bin',
        'ls -l',
        'rename one.bin two.bin',
        'mkdir sub',
        'rename two.bin sub/three.bin',
        'ls sub',
        'get sub/three.bin back.bin',
        'put -p one.bin kept.bin',
        'rm kept.bin',
        'rm sub/three.bin',
        'rmdir sub',
        'ls -1',
      );
      assert.equal(output.code, 0, output.error);
      assert.match(output.out, /-rw------- .*300000 .* one\.bin/);
      assert.match(output.out, /sub\/three\.bin/);
      assert.deepEqual(readFileSync(join(client.folder, 'back.bin')), content);
      assert.deepEqual(alpha.files(), []);
      assert.deepEqual(await stored(alpha.id), [], 'no row of the removed file is left');
    });

    test('EVT-07 an interrupted upload stays incomplete, and is resumed byte for byte; then it is complete', async (t) => {
      const beta = await s.account('beta');
      const content = randomBytes(6_000_000);
      client.file('Big.csv', content);
      const child = client.running(t, 'sftp', beta.peer, { before: ['-l', '16000', '-b', '-'], input: 'put Big.csv' });
      const gone = ended(child);
      const place = join(beta.home, 'Big.csv');
      await eventually('some of the file arrived', () => existsSync(place) && statSync(place).size > 200_000);
      child.kill('SIGKILL');
      await gone;
      assert.ok(statSync(place).size < content.length, 'it was interrupted in the middle');
      await s.server.importDue();
      assert.deepEqual(
        await stored(beta.id),
        [{ path: '/Big.csv', state: 'Open' }],
        'an incomplete file is not examined',
      );
      assert.equal((await client.sftp(beta.peer, 'rename Big.csv My-Events.csv')).code, 0);
      await s.server.importDue();
      assert.deepEqual(
        await stored(beta.id),
        [{ path: '/My-Events.csv', state: 'Open' }],
        'renaming does not complete it',
      );
      assert.equal((await client.sftp(beta.peer, 'rename My-Events.csv Big.csv', 'reput Big.csv')).code, 0);
      assert.deepEqual(readFileSync(place), content);
      await eventually('it was examined', async () => (await stored(beta.id))[0]?.state === 'Left');
    });

    test("EVT-07 KRN-24 files count towards the bytes that the account's user may send in a day, and one beyond is not taken", async () => {
      const flooding = await s.account('flooding');
      const calm = await s.account('calm');
      await s.set('MegabytesPerDayMax', '1');
      client.file('small.bin', randomBytes(700_000));
      client.file('large.bin', randomBytes(2_000_000));
      assert.equal((await client.sftp(flooding.peer, 'put small.bin')).code, 0);
      const refused = await client.sftp(flooding.peer, 'put large.bin');
      assert.notEqual(refused.code, 0, refused.out);
      const search = await flooding.firm.caller.post('/api/loan/search', { Loan: 'x'.repeat(200_000) });
      assert.equal(search.status, 429, 'calls of the same user send no more either');
      assert.equal((await client.sftp(calm.peer, 'put small.bin')).code, 0, 'others do');
      await s.set('MegabytesPerDayMax', '0');
      await s.server.importDue();
      const stateOf = async (path: string): Promise<string | undefined> =>
        (await stored(flooding.id)).find((file) => file.path === path)?.state;
      await eventually('the whole file was examined', async () => (await stateOf('/small.bin')) !== 'Open');
      assert.equal(await stateOf('/large.bin'), 'Open', 'the file that was cut off stays incomplete');
      assert.equal((await client.sftp(flooding.peer, 'put large.bin')).code, 0);
    });

    test('EVT-07 two accounts see nothing of one another, whatever paths they use', async () => {
      const [one, two] = [await s.account('gamma'), await s.account('delta')];
      client.file('secret.txt', 'of gamma alone');
      assert.equal((await client.sftp(one.peer, 'put secret.txt')).code, 0);
      await client.sftp(two.peer, 'ls');
      const output = await client.sftp(
        two.peer,
        'pwd',
        '-get ../home/secret.txt',
        `-get ../../${one.id}/home/secret.txt stolen1`,
        `-get /../../${one.id}/home/secret.txt stolen2`,
        `-get ${one.home}/secret.txt stolen3`,
        '-get /etc/hostname stolen4',
        '-get ../../../../../../../../etc/hostname stolen5',
        '-put secret.txt ../planted.txt',
        'ls -1 /',
      );
      assert.equal(output.code, 0, output.error);
      assert.match(output.out, /Remote working directory: \/\n/);
      assert.match(output.out, /ls -1 \/\n\/planted\.txt\n$/, 'only its own files');
      for (const name of ['stolen1', 'stolen2', 'stolen3', 'stolen4', 'stolen5'])
        assert.ok(!existsSync(join(client.folder, name)), name);
      assert.deepEqual(two.files(), ['planted.txt'], 'a path that goes up ends at the home folder');
    });

    test('EVT-07 links planted in a home folder lead nowhere', async () => {
      const on = await s.account('epsilon');
      await client.sftp(on.peer, 'ls');
      const outside = join(s.folder, 'outside');
      mkdirSync(outside);
      writeFileSync(join(outside, 'inner.txt'), 'outside');
      symlinkSync('/etc/hostname', join(on.home, 'file'));
      symlinkSync(outside, join(on.home, 'folder'));
      symlinkSync(on.home, join(on.home, 'itself'));
      client.file('x.txt', 'written');
      const output = await client.sftp(
        on.peer,
        'ls -la',
        '-get file stolen',
        '-get folder/inner.txt stolen',
        '-put x.txt folder/new.txt',
        '-put x.txt file',
        '-mkdir folder/sub',
        '-cd folder',
        '-get itself/file stolen',
        '-rename folder/inner.txt taken.txt',
        '-rm folder/inner.txt',
        '-ln -s /etc/hostname link',
        '-rmdir folder',
      );
      assert.ok(!/ file| folder| itself/.test(output.out.replace(/^sftp>.*$/gm, '')), output.out);
      assert.ok(!existsSync(join(client.folder, 'stolen')));
      assert.deepEqual(
        [
          readFileSync(join(outside, 'inner.txt'), 'utf8'),
          existsSync(join(outside, 'new.txt')),
          existsSync(join(outside, 'sub')),
          on.files().join(),
        ],
        ['outside', false, false, 'file,folder,itself'],
      );
    });

    test('names that could mislead people or the server are refused, and so are paths that are too long or too deep', async () => {
      const on = await s.account('zeta');
      client.file('x.txt', 'x');
      const raw = await connectRaw(on.peer);
      for (const name of [
        'a\u0000b',
        'a\nb',
        'csv.\u202etxe',
        'a\\b',
        'x'.repeat(256),
        'y/'.repeat(30) + 'z',
        `/${'long-name/'.repeat(110)}`,
      ]) {
        await assert.rejects(
          raw.write(name, 'x'),
          /Failure|not allowed|too long|too many/,
          JSON.stringify(name.slice(0, 20)),
        );
        await assert.rejects(raw.mkdir(name), /not allowed|too long|too many/);
      }
      await assert.rejects(raw.rename('/', '/x'), /stays/);
      await assert.rejects(raw.rmdir('/'), /stays/);
      raw.end();
      assert.deepEqual(on.files(), []);
    });

    test('EVT-07 limits: the size of a file, the space of a home folder, open handles; a file beyond one is incomplete', async () => {
      await s.set('SftpFileMegabytesMax', '2');
      await s.set('SftpHomeMegabytesMax', '3');
      const on = await s.account('eta');
      client.file('fits.bin', randomBytes(2_000_000));
      client.file('large.bin', randomBytes(2_200_000));
      const output = await client.sftp(on.peer, 'put fits.bin', '-put large.bin', '-put fits.bin second.bin');
      assert.match(output.error, /write remote "\/large\.bin": Failure[\s\S]*write remote "\/second\.bin": Failure/);
      const whole = (await stored(on.id)).filter(({ state }) => state !== 'Open');
      assert.deepEqual(
        whole.map(({ path }) => path),
        ['/fits.bin'],
      );
      const raw = await connectRaw(on.peer);
      await assert.rejects(raw.writeAt('sparse.bin', 2 ** 40, 'x'), /larger than is taken here/);
      await assert.rejects(raw.writeAt('full.bin', 1_500_000, 'x'), /The home is full/);
      const handles = await Promise.all(Array.from({ length: 64 }, () => raw.open('fits.bin')));
      await assert.rejects(raw.open('fits.bin'), /Too many files are open/);
      await raw.close(handles[0] ?? Buffer.alloc(0));
      await raw.open('fits.bin');
      raw.end();
      await s.set('SftpFileMegabytesMax', '2048');
      await s.set('SftpHomeMegabytesMax', '4096');
    });

    test('EVT-07 of two connections that write one file, only the later one completes it', async () => {
      const on = await s.account('theta');
      const [first, second] = [await connectRaw(on.peer), await connectRaw(on.peer)];
      const old = await first.open('same.txt', 'w');
      const late = await second.open('same.txt', 'w');
      await first.close(old);
      assert.deepEqual(await stored(on.id), [{ path: '/same.txt', state: 'Open' }], 'it is still open elsewhere');
      await second.close(late);
      await eventually('it is complete', async () => (await stored(on.id))[0]?.state !== 'Open');
      first.end();
      second.end();
    });

    test('a client that sends endless requests and reads no answers is disconnected, and others are not affected', async () => {
      const on = await s.account('iota');
      client.file('some.bin', randomBytes(1_000_000));
      await client.sftp(on.peer, 'put some.bin');
      const raw = await connectRaw(on.peer);
      const handle = await raw.open('some.bin');
      raw.flood(handle, 5_000);
      await raw.ended;
      assert.equal((await client.sftp(on.peer, 'ls')).code, 0);
    });
  },
);
