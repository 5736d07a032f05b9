import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { refusedDb, runDb, startDb } from '../../support/processes/db-tool.ts';
import { eventually } from '../../support/eventually.ts';
import { call, startServerProcess } from '../../support/processes/server-process.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';
import { withEmbedded } from '../../support/processes/store-workload.ts';

test(
  'a backup that is killed or runs out of space leaves nothing that looks complete, and does not affect the server',
  { timeout: 240_000 },
  async (t) => {
    const data = await startedDataFolder(t);
    const folder = dirname(data);
    const backups = join(folder, 'backups');
    const env = { CASEWRIGHT_DATA: data };
    const server = await startServerProcess(t, { env: { ...env, CASEWRIGHT_LOG_LEVEL: 'error' } });
    mkdirSync(backups);
    const names = (): string[] => readdirSync(backups);
    const unaffected = async (): Promise<void> => {
      assert.equal((await call(server.url, '/api/contact/save', 'LastName=Unaffected')).status, 200);
      await withEmbedded(data, (sql) =>
        eventually('the server has forgotten the backup', async () => {
          const [row] = await sql<{ n: number }[]>`select (select count(*) from pg_replication_slots)::integer
              + (select count(*) from pg_stat_activity where application_name = 'casewright backup')::integer as n`;
          return row?.n === 0;
        }),
      );
    };
    for (const target of ['folder', 'file.tar']) {
      const tool = startDb(t, ['backup', join(backups, target)], { env });
      await eventually(
        'it has begun to write',
        () => names().some((name) => name.startsWith(`${target}.partial-`)) || existsSync(join(backups, target)),
        30_000,
      );
      tool.signal('SIGKILL');
      assert.equal(await tool.ended, 'SIGKILL');
      assert.equal(existsSync(join(backups, target)), false);
      const partial = names().find((name) => name.startsWith(`${target}.partial-`)) ?? '';
      assert.match(
        await refusedDb(t, ['restore', join(backups, partial)], { env: { CASEWRIGHT_DATA: join(folder, 'restored') } }),
        /was left by an interrupted backup and is incomplete/,
      );
      await unaffected();
    }
    const before = names();
    for (const target of ['small', 'small.tar']) {
      // No file may grow beyond two megabytes: a disk that is full in the middle of one.
      const complaint = await refusedDb(t, ['backup', join(backups, target)], {
        env,
        before: "ulimit -f 4096; trap '' XFSZ",
      });
      assert.match(
        complaint,
        new RegExp(
          `^not enough disk space for the backup at .*${target}\\. ` +
            'The unfinished backup was deleted; free some space and repeat it\\.\n$',
        ),
      );
      assert.deepEqual(names(), before);
    }
    await unaffected();
    assert.match(
      await runDb(t, ['backup', join(backups, 'folder')], { env }),
      /found .*folder\.partial-[0-9a-f]{8}: an unfinished backup\. Delete it, .*\n[\s\S]*backup complete/,
    );
    const complaint = await refusedDb(t, ['restore', join(backups, 'folder')], {
      env: { CASEWRIGHT_DATA: join(folder, 'full') },
      before: "ulimit -f 4096; trap '' XFSZ",
    });
    assert.match(
      complaint,
      /^not enough disk space to restore the backup into .*full\. The unfinished restore was deleted; .*\n$/,
    );
    assert.deepEqual(readdirSync(join(folder, 'full')), []);
    await runDb(t, ['restore', join(backups, 'folder')], { env: { CASEWRIGHT_DATA: join(folder, 'full') } });
    assert.equal(await server.stop(), 0);
  },
);
