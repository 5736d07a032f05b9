import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { refusedDb, runDb } from '../../support/processes/db-tool.ts';
import { eventually } from '../../support/eventually.ts';
import { call, launchServer, startServerProcess } from '../../support/processes/server-process.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';
import { numberOf, startWorkload, verifyStore, withEmbedded } from '../../support/processes/store-workload.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Every file below a folder, or the one file. */
function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A key in every form in which it could lie somewhere. */
function formsOf(key: string): Buffer[] {
  const raw = Buffer.from(key, 'base64');
  return [
    raw,
    Buffer.from(key),
    Buffer.from(raw.toString('hex')),
    Buffer.from(raw.toString('hex').toUpperCase()),
    Buffer.from(key.replace(/=+$/, '').slice(0, 40)),
  ];
}

/** Any number will do as long as it is the one of the product. */
const BACKUP_LOCK = 7_322_099;

test(
  'a backup taken while calls are answered contains everything answered before it, restores into another folder, ' +
    'and never contains the secret key',
  { timeout: 300_000 },
  async (t) => {
    const folder = temporaryFolder(t);
    const [nothing, backups] = [join(folder, 'nothing'), join(folder, 'backups')];
    assert.match(
      await refusedDb(t, ['backup', join(folder, 'b')], { env: { CASEWRIGHT_DATA: nothing } }),
      /no store found in .*nothing\. Set CASEWRIGHT_DATA/,
    );
    assert.equal(existsSync(nothing), false);
    const data = await startedDataFolder(t);
    const env = { CASEWRIGHT_DATA: data };
    const server = await startServerProcess(t, { env: { ...env, CASEWRIGHT_LOG_LEVEL: 'error' } });
    const workload = await startWorkload(server.url, 1);
    await eventually('some is answered', () => workload.answered().length > 40, 60_000);
    const targets = ['one', 'two.tar'].map((name) => join(backups, name));
    const before: (readonly ReturnType<typeof workload.answered>[number][])[] = [];
    for (const target of targets) {
      before.push(workload.answered());
      const printed = await runDb(t, ['backup', target], { env });
      assert.match(printed, /does not contain the secret key, .*: keep a copy of .*secret\.key somewhere else/);
    }
    const after = workload.answered().length;
    await workload.stop();
    assert.ok(after > (before[1]?.length ?? 0), 'calls were answered while the backup was taken');
    await withEmbedded(data, async (sql) => {
      assert.deepEqual(
        [...(await sql`select slot_name from pg_replication_slots`)],
        [],
        'nothing keeps the log of changes',
      );
      await sql`select pg_advisory_lock(${BACKUP_LOCK})`;
      assert.match(
        await refusedDb(t, ['backup', join(backups, 'three')], { env }),
        /another backup of this store is running/,
      );
      assert.deepEqual(readdirSync(backups).sort(), ['one', 'two.tar']);
    });
    assert.equal(await server.stop(), 0);
    const key = readFileSync(join(data, 'secret.key'), 'utf8').trim();
    for (const file of targets.flatMap(filesBelow)) {
      const bytes = readFileSync(file);
      for (const form of formsOf(key)) assert.equal(bytes.indexOf(form), -1, `the secret key is in ${file}`);
    }
    for (const [n, target] of targets.entries()) {
      const restored = join(folder, `restored-${n}`);
      mkdirSync(restored, { mode: 0o755 });
      writeFileSync(join(restored, 'secret.key'), `${n === 0 ? key : newKey()}\n`);
      const printed = await runDb(t, ['restore', target, '--move'], { env: { CASEWRIGHT_DATA: restored } });
      if (n === 1) {
        assert.match(
          printed,
          /Before you start the server, add the secret key [0-9a-f]{8} to .*secret\.key: backups do not contain it/,
        );
        const wrong = launchServer(t, { env: { CASEWRIGHT_DATA: restored, CASEWRIGHT_LOG_LEVEL: 'error' } });
        assert.notEqual(await wrong.ended, 0);
        assert.match(wrong.log(), /the secret key in .*secret\.key is not the key of this store/);
        writeFileSync(join(restored, 'secret.key'), `${key}\n`);
      } else assert.match(printed, /The secret key is present; you can start the server/);
      const second = await startServerProcess(t, { env: { CASEWRIGHT_DATA: restored, CASEWRIGHT_LOG_LEVEL: 'error' } });
      await verifyStore(restored, before[n] ?? []);
      const known = before[n]?.find((a) => a.kind === 'contact');
      const found = await call(
        second.url,
        '/api/contact/search?Output=Json',
        `USSSN=${numberOf(Number(known?.key.split('x')[1]))}`,
      );
      assert.match(
        await found.text(),
        new RegExp(`"LastName":"${known?.key}"`),
        'what is sealed opens, and is found by its number',
      );
      assert.equal(await second.stop(), 0);
    }
    await t.test('a stopped store can be backed up too, and nothing is overwritten', async () => {
      const target = join(folder, 'b.tar');
      await runDb(t, ['backup', target], { env });
      assert.equal(
        existsSync(join(data, 'postgres/cluster/postmaster.pid')),
        false,
        'what was started for it is stopped',
      );
      const bytes = readFileSync(target);
      assert.match(await refusedDb(t, ['backup', target], { env }), /b\.tar already exists\. Nothing was changed/);
      assert.ok(bytes.equals(readFileSync(target)));
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('b.tar')),
        ['b.tar'],
      );
    });
  },
);

test('an unknown command lists the known ones', async (t) => {
  const env = { CASEWRIGHT_DATA: join(temporaryFolder(t), 'data') };
  assert.match(
    await refusedDb(t, ['bakup', 'x'], { env }),
    /unknown command bakup; did you mean backup\?[\s\S]*npm run db -- restore/,
  );
  assert.match(await refusedDb(t, ['backup'], { env }), /expected: npm run db -- backup <folder or file\.tar>/);
});
