import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { housekeeping } from '../../../src/app/housekeeping.ts';
import { runTask, startScheduler } from '../../../src/surfaces/scheduler/scheduler.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { enqueue, marksOf, probe, until } from '../../support/worker/probe.ts';

const on = await testPlatform({ after }, { worker: true, fixture: probe });
const rows = async <R extends object>(text: string, params: unknown[] = []): Promise<R[]> => [
  ...(await on.platform.store.query<R>(text, params)),
];
const count = async (from: string): Promise<number> =>
  Number((await rows<{ n: number }>(`select count(*)::integer as n from ${from}`))[0]?.n);

function task(name: string) {
  const found = housekeeping.find((t) => t.name === name);
  if (!found) throw new Error(`no task ${name}`);
  return found;
}
const run = async (name: string): Promise<void> => assert.equal(await runTask(on.platform, task(name)), 'done');
const setting = (Setting: string, Value: number): Promise<unknown> =>
  on.admin.post('/api/setting/save', { Setting, Value: String(Value) });

test('answers stored for an Idempotency-Key are deleted after a day, those of queued calls with their message', async () => {
  await on.admin.post('/api/contact/save', 'LastName=Old', { 'Idempotency-Key': 'old' });
  await on.admin.post('/api/contact/save', 'LastName=New', { 'Idempotency-Key': 'new' });
  const [retained, gone] = [
    await enqueue(on.admin, '/api/probe/queue/mark?Word=kept'),
    await enqueue(on.admin, '/api/probe/queue/mark?Word=gone'),
  ];
  for (const id of [retained, gone]) await until(on.admin, id, 'completed');
  const claims = '(select from idempotency where messageid is null) i';
  const before = await count(claims);
  await rows(
    `update idempotency
     set createddate = now() - interval '25 hours'
     where messageid is null and createddate = (select min(createddate) from idempotency where messageid is null)`,
  );
  await rows("update idempotency set createddate = now() - interval '8 days' where messageid is not null");
  await rows('delete from pgboss.job where id = $1::uuid', [gone]);
  await run('expired idempotency answers');
  await run('answers of deleted messages');
  assert.equal(await count(claims), before - 1);
  assert.deepEqual(
    (await rows<{ messageid: string }>('select messageid from idempotency where messageid is not null')).map(
      (r) => r.messageid,
    ),
    [retained],
  );
  assert.equal(await marksOf(on, 'gone'), 1);
});

test('the claim of a dead letter never expires, so that the call is not made twice once it is queued again', async () => {
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=late');
  await until(on.admin, id, 'completed');
  // The call was made, its completion was lost on every attempt, and weeks have passed.
  await rows(
    "update pgboss.job set state = 'active', completed_on = null, retry_limit = retry_count where id = $1::uuid",
    [id],
  );
  await on.platform.queue.boss.fail('Default', id, { value: { message: 'job heartbeat timeout' } });
  await rows('delete from pgboss.job where id = $1::uuid', [id]);
  await rows("update idempotency set createddate = now() - interval '60 days' where messageid = $1::uuid", [id]);
  await run('answers of deleted messages');
  assert.equal((await on.admin.post('/api/queue/requeue?Output=Json', { ID: [id] })).json()['Requeued'], 1);
  await until(on.admin, id, 'completed');
  assert.equal(await marksOf(on, 'late'), 1);
});

test('usage counts and sign-in failure windows are deleted once they no longer count', async () => {
  await rows(
    "insert into usagecount values ('\\x01', now() - interval '1 hour', 5), ('\\x01', now() + interval '1 hour', 5)",
  );
  await rows("insert into signinfailure values ('\\x01', now() - interval '3 days', 5), ('\\x01', now(), 5)");
  await run('usage counts');
  await run('sign-in failure windows');
  assert.equal(await count('usagecount'), 1);
  assert.equal(await count('signinfailure'), 1);
});

test('KRN-20 history has partitions for the coming months, and is kept as long as the setting says', async () => {
  const partitions = async (): Promise<string[]> =>
    (
      await rows<{ name: string }>(
        "select relname as name from pg_class where relname ~ '^history_[0-9]{6}$' order by 1",
      )
    ).map((r) => r.name);
  await run('history partitions');
  const months = await partitions();
  assert.ok(months.length >= 3, `this month and two more, not ${months.join()}`);
  await run('history partitions');
  assert.deepEqual(await partitions(), months);
  await rows("select casewright_history_partition('2020-01-01')");
  await rows(
    `insert into history (at, tablename, recordid, change, old)
     values ('2020-01-15', 'contact', 1, 'update', '{}'), ('2019-05-15', 'contact', 1, 'update', '{}'),
     (now(), 'contact', 1, 'update', '{}')`,
  );
  await run('history past its time');
  assert.equal(await count("history where at < '2021-01-01'"), 2, 'without a setting everything is kept');
  await setting('HistoryMonths', 24);
  const retained = await count('history');
  await eventually('the setting is known', async () => {
    await run('history past its time');
    return (await count("history where at < '2021-01-01'")) === 0;
  });
  assert.equal((await count("history where at > '2021-01-01'")) >= retained - 2, true, 'newer rows stay');
  assert.equal((await partitions()).includes('history_202001'), false);
});

test('logs are kept for as long as their settings say', async () => {
  await rows(
    "insert into errorlog (errorlog, createddate) values ('old', now() - interval '14 months'), ('new', now())",
  );
  await rows("insert into securitylog (securitylog, createddate) values ('old', now() - interval '40 months')");
  await run('error log past its time');
  await run('security log past its time');
  assert.deepEqual(
    (await rows<{ errorlog: string }>('select errorlog from errorlog')).map((r) => r.errorlog),
    ['new'],
  );
  assert.equal(await count("securitylog where securitylog = 'old'"), 1);
});

test('a task is done by one process at a time, and a failing task does not stop the others', async () => {
  let inside = 0;
  let most = 0;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = {
    name: 'slow',
    everyMinutes: 1,
    run: async () => {
      most = Math.max(most, ++inside);
      await held;
      inside--;
      return 0;
    },
  };
  const first = runTask(on.platform, slow);
  await eventually('it runs', () => inside === 1);
  assert.equal(await runTask(on.platform, slow), 'elsewhere');
  release();
  assert.equal(await first, 'done');
  assert.equal(most, 1);
  let done = 0;
  const scheduler = startScheduler(on.platform, [
    { name: 'failing', everyMinutes: 60, run: () => Promise.reject(new Error('on purpose')) },
    { name: 'next', everyMinutes: 60, run: () => Promise.resolve(++done) },
  ]);
  await eventually('the next one is done', () => done === 1);
  await scheduler.stop();
});
