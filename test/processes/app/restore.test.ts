import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { collectInto } from '../../../src/app/backup/collector.ts';
import { discard } from '../../../src/app/backup/discard.ts';
import type { BackupHead } from '../../../src/app/backup/manifest.ts';
import { restore } from '../../../src/app/backup/restore.ts';
import { readTar, tarEnd, tarHeader, tarPadding } from '../../../src/app/backup/tar.ts';
import { openTarget } from '../../../src/app/backup/backup-target.ts';
import { keySource } from '../../../src/app/rotation/key-source.ts';
import { startEmbeddedPostgres } from '../../../src/app/embedded-postgres.ts';
import { findServerPackage } from '../../../src/app/embedded-postgres/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { version } = await findServerPackage();
const head: BackupHead = {
  format: 1,
  kind: 'cluster',
  version: '0.0.0',
  postgres: version,
  begun: '2026-01-02T03:04:05Z',
  taken: '2026-01-02T03:04:06Z',
  keys: ['00c0ffee'],
};
const LONG = `${'n'.repeat(120)}/${'Ü'.repeat(100)} & co.pdf`;

/** A small store without a server: what a backup holds is files, whatever is in them. */
async function smallBackup(
  t: TestContext,
  name: string,
  of: Partial<BackupHead> = {},
): Promise<{ folder: string; backup: string; store: string }> {
  const folder = temporaryFolder(t);
  const store = join(folder, 'store');
  for (const each of ['cluster/global', 'cluster/pg_notify', 'files/a', `files/${LONG.split('/')[0]}`])
    mkdirSync(join(store, each), { recursive: true });
  writeFileSync(join(store, 'cluster/PG_VERSION'), `${Number.parseInt(version, 10)}\n`);
  writeFileSync(join(store, 'cluster/global/1262'), randomBytes(100_000));
  writeFileSync(join(store, 'files/a/one.txt'), 'equal content');
  linkSync(join(store, 'files/a/one.txt'), join(store, 'files/a/two.txt'));
  writeFileSync(join(store, 'files', LONG), randomBytes(513));
  writeFileSync(join(store, 'files/a/empty'), '');
  const backup = join(folder, name);
  const target = await openTarget(backup);
  const into = collectInto(target);
  await into.folder(join(store, 'cluster'), 'cluster', () => undefined);
  await into.folder(join(store, 'files'), 'files', () => undefined);
  await into.finish({ ...head, ...of });
  await target.finish();
  return { folder, backup, store };
}

async function restored(backup: string, dataFolder: string): Promise<string> {
  const printed: string[] = [];
  await restore({
    backup,
    dataFolder,
    connection: undefined,
    as: 'copy',
    source: keySource(dataFolder, undefined),
    print: (line) => printed.push(line),
  });
  return printed.join('\n');
}

/** Every file with its content, every folder. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length), entry.isFile() ? readFileSync(path, 'base64') : 'folder'];
    }),
  );
}

describe('a backup', () => {
  for (const name of ['folder', 'archive.tar']) {
    it(`as ${name}: restores every file, folder and additional name, for its owner alone`, async (t) => {
      const { folder, backup, store } = await smallBackup(t, name);
      const data = join(folder, 'data');
      assert.match(await restored(backup, data), /add the secret key 00c0ffee to .*secret\.key/);
      assert.deepEqual(contents(join(data, 'postgres/cluster')), contents(join(store, 'cluster')));
      assert.deepEqual(contents(join(data, 'files')), contents(join(store, 'files')));
      assert.equal(
        statSync(join(data, 'files/a/one.txt')).ino,
        statSync(join(data, 'files/a/two.txt')).ino,
        'equal documents are stored once still',
      );
      assert.equal(statSync(join(data, 'files/a/one.txt')).mode & 0o777, 0o600);
      assert.deepEqual(readdirSync(data).sort(), ['files', 'postgres', 'restored-as']);
    });

    it(`as ${name}: damaged or missing files are listed by name, and nothing is restored`, async (t) => {
      const { folder, backup } = await smallBackup(t, name);
      const broken = join(folder, name === 'folder' ? 'broken' : 'broken.tar');
      const data = join(folder, 'data');
      const damage = async (change: () => void, words: RegExp): Promise<void> => {
        rmSync(broken, { recursive: true, force: true });
        cpSync(backup, broken, { recursive: true });
        change();
        await assert.rejects(restored(broken, data), words);
        assert.deepEqual(readdirSync(data), [], 'nothing stays behind');
      };
      const flip = (path: string, at: number): void => {
        const bytes = readFileSync(path);
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        writeFileSync(path, bytes);
      };
      if (name === 'folder') {
        await damage(
          () => flip(join(broken, 'cluster/global/1262'), 77_777),
          /cluster\/global\/1262 is damaged\. Nothing was restored/,
        );
        await damage(() => rmSync(join(broken, 'files/a/one.txt')), /files\/a\/one\.txt is missing/);
        await damage(() => truncateSync(join(broken, 'files', LONG), 12), /Ü & co\.pdf is damaged/);
        await damage(
          () => rmSync(join(broken, 'manifest.jsonl')),
          /has no manifest\.jsonl: it is not a complete backup/,
        );
        await damage(
          () => truncateSync(join(broken, 'manifest.jsonl'), statSync(join(broken, 'manifest.jsonl')).size - 90),
          /manifest\.jsonl is truncated or was changed/,
        );
        await damage(() => flip(join(broken, 'manifest.jsonl'), 300), /manifest\.jsonl is truncated or was changed/);
        await damage(() => {
          for (const file of ['cluster/PG_VERSION', 'cluster/global/1262']) rmSync(join(broken, file));
        }, /PG_VERSION is missing, cluster\/global\/1262 is missing/);
      } else {
        const at = readFileSync(backup).indexOf('equal content');
        await damage(() => flip(broken, at), /files\/a\/(one|two)\.txt is damaged/);
        await damage(() => flip(broken, 3), /the archive is damaged|is damaged/);
        for (const share of [0.1, 0.5, 0.9])
          await damage(
            () => truncateSync(broken, Math.floor(statSync(broken).size * share)),
            /the archive is truncated/,
          );
        await damage(() => writeFileSync(broken, 'no archive at all'), /the archive is truncated/);
      }
    });
  }

  it('files outside the manifest are not restored', async (t) => {
    const { folder, backup } = await smallBackup(t, 'folder');
    writeFileSync(join(backup, 'cluster/recovery.signal'), '');
    await restored(backup, join(folder, 'data'));
    assert.equal(existsSync(join(folder, 'data/postgres/cluster/recovery.signal')), false);
    assert.equal(existsSync(join(folder, 'data/postgres/cluster/PG_VERSION')), true);
  });

  it('a backup from another PostgreSQL version, in another format, or of an external database is refused', async (t) => {
    const data = join(temporaryFolder(t), 'data');
    await assert.rejects(
      restored((await smallBackup(t, 'a', { postgres: '14.2' })).backup, data),
      /is of PostgreSQL 14\.2, but this version of Casewright includes PostgreSQL 18/,
    );
    await assert.rejects(
      restored((await smallBackup(t, 'b', { format: 2 as 1 })).backup, data),
      /format 2, which this version of Casewright cannot read/,
    );
    await assert.rejects(
      restored((await smallBackup(t, 'c', { kind: 'dump' })).backup, data),
      /a backup of a database named by DATABASE_URL: set DATABASE_URL/,
    );
    await assert.rejects(restored(join(data, 'none'), data), /no backup found at .*none/);
    assert.deepEqual(readdirSync(data), []);
  });

  it('never writes outside of the folder, whatever the names in it say', async (t) => {
    const folder = temporaryFolder(t);
    const archive = join(folder, 'evil.tar');
    for (const path of ['../outside', '/outside', 'files/../../outside', 'files//x', './x']) {
      writeFileSync(archive, Buffer.concat([tarHeader(path, 1), Buffer.from('x'), tarPadding(1), tarEnd()]));
      await assert.rejects(restored(archive, join(folder, 'data')), /contains a path outside its folder/, path);
      assert.deepEqual(readdirSync(folder).sort(), ['data', 'evil.tar']);
    }
  });
});

describe('a restore', () => {
  it('refuses a folder that is not empty, and changes nothing there; the key may be there', async (t) => {
    const { folder, backup } = await smallBackup(t, 'b');
    const data = join(folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'secret.key'), 'key');
    writeFileSync(join(data, 'mine.txt'), 'mine');
    await assert.rejects(restored(backup, data), /is not empty: it contains mine\.txt\. Nothing was changed/);
    assert.deepEqual(readdirSync(data).sort(), ['mine.txt', 'secret.key']);
  });

  it('an interrupted restore keeps a server from starting there, and can be started again', async (t) => {
    const { folder, backup, store } = await smallBackup(t, 'b');
    const data = join(folder, 'data');
    mkdirSync(join(data, 'restoring/cluster'), { recursive: true });
    mkdirSync(join(data, 'files/half'), { recursive: true });
    await assert.rejects(
      startEmbeddedPostgres({ dataFolder: data, log: () => undefined }),
      /A restore into .*data was interrupted or is still running\. Repeat the restore/,
    );
    assert.equal(existsSync(join(data, 'postgres')), false);
    await restored(backup, data);
    assert.deepEqual(contents(join(data, 'files')), contents(join(store, 'files')));
    assert.equal(existsSync(join(data, 'restoring')), false);
  });

  it('two at the same moment into one folder: one of them is refused', async (t) => {
    const { folder, backup, store } = await smallBackup(t, 'b');
    const data = join(folder, 'data');
    const ends = await Promise.allSettled([restored(backup, data), restored(backup, data)]);
    assert.deepEqual(ends.map((end) => end.status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(contents(join(data, 'postgres/cluster')), contents(join(store, 'cluster')));
  });
});

describe('the archive', () => {
  it('is read as it was written, whatever the names and lengths, and however the bytes arrive', async () => {
    const entry = fc.record({
      path: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).filter((path) => !path.includes('\u0000')),
      bytes: fc.uint8Array({ maxLength: 3_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), fc.integer({ min: 1, max: 2_000 }), async (entries, step) => {
        const whole = Buffer.concat([
          ...entries.flatMap(({ path, bytes }) => [tarHeader(path, bytes.length), bytes, tarPadding(bytes.length)]),
          tarEnd(),
        ]);
        const found: { path: string; bytes: Buffer }[] = [];
        const stepped = async function* (): AsyncIterable<Uint8Array> {
          for (let at = 0; at < whole.length; at += step) yield whole.subarray(at, at + step);
        };
        for await (const { path, bytes } of readTar(stepped())) {
          const parts: Uint8Array[] = [];
          for await (const part of bytes) parts.push(part);
          found.push({ path, bytes: Buffer.concat(parts) });
        }
        assert.deepEqual(
          found,
          entries.map(({ path, bytes }) => ({ path, bytes: Buffer.from(bytes) })),
        );
      }),
    );
  });

  it('writes an extended header for files beyond eight gigabytes', () => {
    const header = tarHeader('large', 2 ** 33);
    assert.equal(header.length, 3 * 512);
    assert.match(header.toString('latin1', 512, 1_024), /size=8589934592\n/);
  });
});

describe('an unfinished backup', () => {
  it('is deleted; if it cannot be, the operator reads where it is and why', async (t) => {
    const folder = temporaryFolder(t);
    const target = await openTarget(join(folder, 'one.tar'));
    assert.deepEqual(await discard('unfinished backup', target.partial, () => target.abandon()), {
      isDeleted: true,
      note: 'The unfinished backup was deleted',
    });
    const other = await openTarget(join(folder, 'other.tar'));
    rmSync(other.partial);
    mkdirSync(other.partial);
    const { isDeleted, note } = await discard('unfinished backup', other.partial, () => other.abandon());
    assert.equal(isDeleted, false);
    assert.match(
      note,
      /^The unfinished backup could not be deleted \(.*directory.*\); delete .*other\.tar\.partial-\w+ /,
    );
  });
});
