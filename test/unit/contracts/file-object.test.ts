import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileObjectConformance, filePartsConformance } from '../../../src/contracts/conformance/file-object.ts';
import { LocalFolder } from '../../../src/providers/file-object/local-folder/local-folder.ts';
import { assertPrivate } from '../../support/private-modes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LOCAL_FOLDER = new URL('../../../src/providers/file-object/local-folder/local-folder.ts', import.meta.url).href;
/** Ext4 allows 65,000 paths per file. */
const LINKS_TRIED_MAX = 66_000;

describe('the local folder as storage location', () => {
  const root = temporaryFolder({ after });
  const files = new LocalFolder(join(root, 'files'));
  for (const { title, check } of fileObjectConformance) it(title, () => check(files));
  for (const { title, check } of filePartsConformance) it(title, () => check(files.parts, files));

  it('leaves no part behind, whether a write succeeds or fails', () => {
    assert.deepEqual(readdirSync(join(root, 'files', '.parts')), []);
  });

  it('writes nothing outside of its folder', () => {
    assert.deepEqual(readdirSync(root), ['files']);
  });

  it('keeps files from other users of the machine', async () => {
    const one = new LocalFolder(join(root, 'files'));
    await one.write(
      '/Mode/a',
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    assert.ok(assertPrivate(root) > 1);
    chmodSync(join(root, 'files'), 0o755);
    new LocalFolder(join(root, 'files'));
    assertPrivate(root);
  });

  it('DOC-01 stores none of several files where one has no room, says so, and leaves earlier ones as they are', () => {
    const full = join(root, 'files', 'full');
    const script = `
      import { LocalFolder } from ${JSON.stringify(LOCAL_FOLDER)};
      const files = new LocalFolder(${JSON.stringify(full)});
      const small = Buffer.from('Small.');
      await files.writeMany([{ path: '/before', bytes: small }]);
      const many = ['a', 'b', 'c', 'd'].map((name) => ({ path: '/new/' + name, bytes: Buffer.from(name) }));
      const large = { path: '/new/large', bytes: Buffer.alloc(300_000, 'x') };
      const error = await files.writeMany([...many, { path: '/new/equal', bytes: small }, large]).catch((e) => e);
      const left = await Promise.all([...many, large, { path: '/new/equal' }].map(({ path }) => files.stat(path)));
      const { size } = await files.stat('/before');
      const again = await files.writeMany(many);
      process.stdout.write(JSON.stringify([error.code, left.filter(Boolean).length, size, again.length]));
      process.exit();`;
    // No file may have more than 100 KB there: a write beyond it fails like one to a full disk.
    const ran = spawnSync(
      'bash',
      ['-c', `ulimit -f 100; trap '' XFSZ; exec "$0" --input-type=module -e "$1"`, process.execPath, script],
      { encoding: 'utf8' },
    );
    assert.equal(ran.stdout, '["UNAVAILABLE",0,6,4]', ran.stderr);
    assert.deepEqual(readdirSync(join(full, '.parts')), []);
    rmSync(full, { recursive: true });
  });

  it('lists a file under one path, however the folder is spelled', async () => {
    const one = new LocalFolder(join(root, 'files'));
    await one.write(
      '/Listed/1/a',
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    for (const folder of ['/Listed', '//Listed', '/Listed//', '//Listed//1/']) {
      const paths: string[] = [];
      for await (const path of one.list(folder, { depth: 1 })) paths.push(path);
      assert.deepEqual(paths, ['/Listed/1/a'], folder);
    }
  });

  it('removes the folder of a document with its last file', async () => {
    await files.write(
      '/Foreclosure/1/g/a.pdf',
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    await files.write(
      '/Foreclosure/2/h/b.pdf',
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    await files.delete('/Foreclosure/1/g/a.pdf');
    assert.equal(existsSync(join(root, 'files/Foreclosure/1')), false);
    assert.equal(existsSync(join(root, 'files/Foreclosure/2/h/b.pdf')), true);
  });

  it('removes parts left by a killed process once they are old enough, and never lists them', async () => {
    const parts = join(root, 'files', '.parts');
    mkdirSync(parts, { recursive: true });
    writeFileSync(join(parts, 'old'), 'x');
    writeFileSync(join(parts, 'new'), 'x');
    utimesSync(join(parts, 'old'), new Date('2024-01-01'), new Date('2024-01-01'));
    const listed: string[] = [];
    for await (const path of files.list('/', { depth: 9 })) listed.push(path);
    assert.ok(listed.length > 0 && listed.every((path) => !path.includes('.parts')));
    assert.equal(await files.removeUnfinished('2024-02-01T00:00:00.000Z'), 1);
    assert.deepEqual(readdirSync(parts), ['new']);
    await assert.rejects(files.stat('/.parts/new'), /plain names/);
  });

  const one = async function* (text: string): AsyncIterable<Uint8Array> {
    yield Buffer.from(text);
  };
  const names = (): string[] =>
    readdirSync(join(root, 'files', '.contents'), { recursive: true })
      .map(String)
      .filter((name) => name.length > 3);

  it('DOC-11 stores equal content once, and removes it with its last path', async () => {
    const before = names();
    await files.write('/Once/a', one('equal content'));
    await files.write('/Once/b', one('equal content'));
    await files.copy('/Once/a', '/Once/c');
    assert.equal(statSync(join(root, 'files/Once/a')).nlink, 4);
    assert.equal(names().length, before.length + 1);
    for (const path of ['/Once/a', '/Once/b', '/Once/c']) {
      assert.equal(names().length, before.length + 1);
      await files.delete(path);
    }
    assert.deepEqual(names(), before);
  });

  it('DOC-11 stores sealed files without a content-based name', async () => {
    const before = names();
    await files.write('/Sealed/a', one('like no other'), { uniqueContent: true });
    assert.equal(statSync(join(root, 'files/Sealed/a')).nlink, 1);
    assert.deepEqual(names(), before);
  });

  it('DOC-11 does not lose a file when content names are lost, and removes names that no path uses', async () => {
    await files.write('/Named/a', one('named'));
    rmSync(join(root, 'files', '.contents'), { recursive: true });
    await files.write('/Named/b', one('named'));
    await files.delete('/Named/a');
    assert.equal((await files.stat('/Named/b'))?.size, 5);
    // What concurrent deletions of the last two paths leave.
    rmSync(join(root, 'files/Named/b'));
    assert.equal(names().length, 1);
    await files.removeUnfinished('2000-01-01T00:00:00.000Z');
    assert.equal(names().length, 1, 'it is too recent');
    await files.removeUnfinished('2999-01-01T00:00:00.000Z');
    assert.equal(existsSync(join(root, 'files', '.contents')) ? names().length : 0, 0);
  });

  it('DOC-11 stores content anew when a file has reached its maximum number of paths', async (t) => {
    await files.write('/Many/a', one('many paths'));
    const from = join(root, 'files/Many/a');
    try {
      for (let n = 0; n < LINKS_TRIED_MAX; n++) linkSync(from, join(root, 'files/Many', `link-${n}`));
      return t.skip(`this file system gives a file more than ${LINKS_TRIED_MAX} paths`);
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, 'EMLINK');
    }
    await files.copy('/Many/a', '/Many/copied');
    await files.write('/Many/written', one('many paths'));
    for (const name of ['copied', 'written'])
      assert.equal(readFileSync(join(root, 'files/Many', name), 'utf8'), 'many paths');
    assert.notEqual(statSync(join(root, 'files/Many/copied')).ino, statSync(from).ino);
  });

  it('does not follow a link in the folder when it lists or deletes', async () => {
    mkdirSync(join(root, 'files', 'Linked'), { recursive: true });
    symlinkSync('/etc', join(root, 'files', 'Linked', 'etc'));
    const listed: string[] = [];
    for await (const path of files.list('/Linked', { depth: 3 })) listed.push(path);
    assert.deepEqual(listed, []);
  });

  it('DOC-11 serves nothing through a link in the folder', async () => {
    symlinkSync('/etc/passwd', join(root, 'files', 'Linked', 'passwd'));
    for (const path of ['/Linked/etc/passwd', '/Linked/passwd']) {
      assert.equal(await files.stat(path), undefined);
      await assert.rejects(
        async () => {
          for await (const _piece of files.read(path)) break;
        },
        { code: 'NOT_FOUND' },
      );
    }
  });
});
