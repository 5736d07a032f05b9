import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { housekeeping } from '../../../src/app/housekeeping.ts';
import { migrate } from '../../../src/app/migrate.ts';
import { sweepStoredFiles } from '../../../src/modules/documents/attachment/lib/sweep-stored-files.ts';
import { dropHistory, makePartitions } from '../../../src/kernel/records/history/history-partitions.ts';
import { runTask } from '../../../src/surfaces/scheduler/scheduler.ts';
import { expectOk, type Row } from '../../support/client.ts';
import { emptyTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { moments } from '../../support/moments.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

const p = await testPlatform({ after });
const moment = moments(p.platform);

const rows = async <R extends object = Row>(text: string, params: unknown[] = []): Promise<R[]> => [
  ...(await p.platform.store.query<R>(text, params)),
];
const count = async (from: string): Promise<number> =>
  Number((await rows<{ n: number }>(`select count(*)::integer as n from ${from}`))[0]?.n);
const partitions = async (): Promise<string[]> =>
  (
    await rows<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relname ~ '^history_[0-9]{6}$' order by 1",
    )
  ).map((r) => r.name);
const entry = (at: string, id = 1): Promise<unknown> =>
  rows(
    `insert into history (at, tablename, recordid, change, old)
     values ($1::timestamptz, 'contact', $2::bigint, 'update', '{}')`,
    [at, id],
  );
const errorOf = (answer: TestAnswer): Row => (answer.json() as never as { Error: Row }).Error;
async function setting(Setting: string, Value: number): Promise<void> {
  const [stood] = await rows<{ id: number }>('select settingid as id from setting where setting = $1', [Setting]);
  await expectOk(
    p.admin.post('/api/setting/save?Output=Json', {
      ...(stood ? { ID: stood.id } : {}),
      Setting,
      Value: String(Value),
    }),
  );
  p.platform.configuration.expire();
  await p.platform.settings.fresh();
}
/** Returns the month that many months ago, as partitions name it and as its first instant. */
function month(back: number): { name: string; first: string; middle: string } {
  const now = new Date(p.platform.clock.milliseconds());
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString();
  return {
    name: `history_${first.slice(0, 4)}${first.slice(5, 7)}`,
    first,
    middle: `${first.slice(0, 7)}-15T12:00:00.000Z`,
  };
}

describe('the partitions of history', () => {
  it('KRN-20 two schedulers that create partitions at the same moment create each once, for this month and the next two, while changes continue', async () => {
    await rows(`drop table ${month(-1).name}`);
    const second = await secondPlatform({ after }, p);
    const { ContactID } = await expectOk(p.admin.post('/api/contact/save?Output=Json', { LastName: 'busy' }));
    const changes = Array.from({ length: 20 }, (_, n) =>
      expectOk(p.admin.post('/api/contact/save?Output=Json', { ID: ContactID, Title: `t${n}` })),
    );
    await Promise.all([
      makePartitions(p.platform),
      makePartitions(second.platform),
      makePartitions(p.platform),
      makePartitions(second.platform),
      ...changes,
    ]);
    await makePartitions(p.platform);
    assert.deepEqual(
      (await partitions()).filter((name) => name >= month(0).name),
      [month(0), month(-1), month(-2)].map((m) => m.name),
    );
    assert.equal(await count(`history where recordid = ${String(ContactID)} and tablename = 'contact'`), 20);
  });

  it('KRN-20 rows of a month without a partition go to the default partition and are moved to their own later, none lost or duplicated', async () => {
    const old = month(30);
    for (let n = 0; n < 3; n++) await entry(old.middle, 500 + n);
    await entry(month(29).first, 510);
    const ids = async (): Promise<unknown[]> =>
      (
        await rows<{ id: number }>('select historyid as id from history where recordid between 500 and 510 order by 1')
      ).map((r) => r.id);
    const before = await ids();
    assert.equal(await count('history_default'), 4);
    await makePartitions(p.platform);
    assert.deepEqual([await count('history_default'), await count(old.name), await count(month(29).name)], [0, 3, 1]);
    assert.deepEqual(await ids(), before);
    await makePartitions(p.platform);
    assert.deepEqual(await ids(), before);
    await entry(old.middle, 511);
    assert.equal(await count(old.name), 4, 'its partition accepts late rows');
    const indexes = async (table: string): Promise<unknown[]> =>
      (
        await rows<{ def: string }>('select indexdef as def from pg_indexes where tablename = $1 order by 1', [table])
      ).map((r) => r.def.replace(/.* USING/, 'USING'));
    assert.deepEqual(
      await indexes(old.name),
      await indexes(month(0).name),
      'a moved partition has the same indexes as any other',
    );
  });

  it('KRN-20 a few rows of the current month left in the default partition are moved at once, under a lock', async () => {
    const present = month(0);
    await rows(`alter table history detach partition ${present.name}`);
    await rows(`alter table ${present.name} rename to set_aside`);
    await entry(new Date(p.platform.clock.milliseconds()).toISOString(), 520);
    assert.equal(await count('history_default where recordid = 520'), 1);
    await makePartitions(p.platform);
    assert.deepEqual([await count('history_default'), await count(`${present.name} where recordid = 520`)], [0, 1]);
    await rows('insert into history overriding system value select * from set_aside');
    await rows('drop table set_aside');
  });

  it('KRN-20 housekeeping does not wait for a running change: it gives up at once and retries the next time', async () => {
    await rows(`select casewright_history_partition($1::date)`, [month(40).first]);
    await setting('HistoryMonths', 36);
    const sql = postgres({ ...p.database, max: 1 });
    try {
      await sql.unsafe('begin');
      await sql.unsafe(
        `insert into history (at, tablename, recordid, change, old)
         values ('${month(0).middle}', 'contact', 530, 'update', '{}')`,
      );
      await dropHistory(p.platform);
      assert.ok((await partitions()).includes(month(40).name), 'history is being written, so the partition stays');
      await expectOk(p.admin.post('/api/contact/save?Output=Json', { LastName: 'goes on' }));
      await sql.unsafe('commit');
    } finally {
      await sql.end();
    }
    await dropHistory(p.platform);
    assert.ok(!(await partitions()).includes(month(40).name));
    await dropHistory(p.platform);
    await setting('HistoryMonths', 0);
  });

  it('partitions created in another time zone are corrected by the migration, with their rows', async () => {
    const database = await emptyTestDatabase({ after });
    const sql = postgres({ ...database, max: 1, onnotice: () => undefined });
    try {
      await sql.unsafe(`alter database ${database.database} set timezone = 'America/New_York'`);
      await migrate(database, () => undefined);
      const bounds = await sql.unsafe<{ b: string }[]>(
        `select set_config('timezone', 'UTC', false), pg_get_expr(c.relpartbound, c.oid) as b
         from pg_class c
         where relname ~ '^history_[0-9]{6}$'`,
      );
      assert.ok(bounds.length >= 2);
      await sql.unsafe("insert into history (tablename, recordid, change, old) values ('contact', 1, 'update', '{}')");
      const again = await sql.unsafe<{ b: string }[]>(
        "select pg_get_expr(c.relpartbound, c.oid) as b from pg_class c where relname ~ '^history_[0-9]{6}$'",
      );
      assert.ok(
        again.every(({ b }) => /-01 00:00:00\+00'\) TO \('....-..-01 00:00:00\+00'/.test(b)),
        again.map(({ b }) => b).join('; '),
      );
      await sql.unsafe(
        `select casewright_history_partition((current_date + interval '2 months')::date),
         casewright_history_partition((current_date + interval '3 months')::date)`,
      );
    } finally {
      await sql.end();
    }
  });
});

describe('retention', () => {
  it('KRN-20 reading at an instant before the retention period is refused with the earliest available instant; other reads are unchanged', async () => {
    const made = await expectOk(p.admin.post('/api/contact/save?Output=Json', { LastName: 'old', Title: 't0' }));
    const id = made['ContactID'];
    await rows('update contact set createddate = $2::timestamptz where contactid = $1::bigint', [id, month(20).first]);
    await rows('select casewright_history_partition($1::date)', [month(10).first]);
    await rows("delete from history where tablename = 'contact' and recordid = $1::bigint", [id]);
    await rows(
      `insert into history (at, tablename, recordid, change, version, old)
       values ($1::timestamptz, 'contact', $3::bigint, 'update', 1, '{"title": "first"}'),
         ($2::timestamptz, 'contact', $3::bigint, 'update', 2, '{"title": "second"}')`,
      [month(10).middle, month(3).middle, id],
    );
    const ask = (at: string, operation = 'asof'): Promise<TestAnswer> =>
      p.admin.post(`/api/contact/${operation}/${String(id)}?Output=Json`, { At: at });
    const title = async (at: string): Promise<unknown> =>
      ((await expectOk(ask(at)))['ContactItem'] as never as Row)['Title'];
    assert.deepEqual(
      [await title(month(12).middle), await title(month(5).middle), await title(await moment())],
      ['first', 'second', 't0'],
    );
    await setting('HistoryMonths', 6);
    await eventually('it is dropped', async () => {
      await dropHistory(p.platform);
      return !(await partitions()).includes(month(10).name);
    });
    const refused = await ask(month(12).middle);
    assert.deepEqual(
      [refused.status, errorOf(refused)['Code'], errorOf(refused)['KnownSince']],
      [422, 'STATE_REFUSES', month(6).first],
    );
    assert.match(String(errorOf(refused)['Message']), /has been deleted/);
    assert.equal((await ask(month(12).middle, 'rollback')).status, 422);
    assert.deepEqual([await title(month(5).middle), await title(month(6).first)], ['second', 'second']);
    assert.equal(errorOf(await ask(month(25).middle))['CreatedDate'], month(20).first, 'its creation is still known');
    assert.match((await p.admin.get(`/api/contact/history/${String(id)}?Output=Json`)).text, /NOT_KNOWN_BEFORE/);
    await setting('HistoryMonths', 0);
    await dropHistory(p.platform);
    assert.equal((await ask(month(12).middle)).status, 422, 'expired history is not restored');
    await rows('update historyknown set since = null');
  });

  it('the file of a deleted document is kept exactly as long as its history', async () => {
    const { AttachmentID } = await expectOk(
      p.admin.post('/api/attachment/save?Output=Json', {
        FileName: 'a.txt',
        Content: Buffer.from('kept').toString('base64'),
      }),
    );
    const [stored] = await rows<{ fileobject: string; filepath: string }>(
      'select fileobject, filepath from attachment where attachmentid = $1::bigint',
      [AttachmentID],
    );
    const files = p.platform.providers.get(FILE_OBJECT, stored?.fileobject ?? '');
    const path = stored?.filepath ?? '';
    await expectOk(p.admin.post(`/api/attachment/delete/${String(AttachmentID)}?Output=Json`));
    const later = {
      ...p.platform,
      clock: {
        milliseconds: () => Date.now() + 3 * 86_400_000,
        now: () => new Date(Date.now() + 3 * 86_400_000).toISOString(),
      },
    };
    await sweepStoredFiles.run(later);
    assert.ok(await files.stat(path), 'history still refers to it');
    await rows("delete from history where tablename = 'attachment'");
    await sweepStoredFiles.run(later);
    assert.equal(await files.stat(path), undefined);
  });

  it('logs, the import log included, are kept for as long as their settings say', async () => {
    for (const table of ['securitylog', 'errorlog', 'importlog'])
      await rows(
        `insert into ${table} (${table}, createddate) values ('old', $1::timestamptz), ('new', $2::timestamptz)`,
        [month(5).middle, month(4).first],
      );
    const left = async (): Promise<number[]> =>
      Promise.all(
        ['securitylog', 'errorlog', 'importlog'].map((table) => count(`${table} where ${table} in ('old', 'new')`)),
      );
    const sweep = async (): Promise<void> => {
      for (const task of housekeeping.filter((t) => t.name.endsWith('log past its time')))
        assert.equal(await runTask(p.platform, task), 'done');
    };
    await sweep();
    assert.deepEqual(await left(), [2, 2, 2]);
    for (const name of ['SecurityLogMonths', 'ErrorLogMonths', 'ImportLogMonths']) await setting(name, 4);
    await sweep();
    assert.deepEqual(await left(), [1, 1, 1], 'whole months: the first instant of the oldest retained month stays');
  });
});
