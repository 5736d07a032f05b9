import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  enqueue,
  marksOf,
  probe,
  statusOf,
  presumeDead,
  until,
  whileProbesBlocked,
} from '../../support/worker/probe.ts';

const on = await testPlatform({ after }, { worker: true, fixture: probe });
const rows = async <R extends object>(text: string, params: unknown[] = []): Promise<R[]> => [
  ...(await on.platform.store.query<R>(text, params)),
];

interface ListedSchedule {
  readonly ScheduleID: string;
  readonly QueueMessageID: string;
  readonly NextRun: string;
  readonly Operation: string;
}

async function schedules(filter = '', caller = on.admin): Promise<ListedSchedule[]> {
  const listed = (await caller.get(`/api/queue/schedules?Output=Json${filter}`)).json() as unknown as {
    ScheduleCollection: { ScheduleItem: ListedSchedule[] };
  };
  return listed.ScheduleCollection.ScheduleItem;
}

const recurring = (word: string, more = ''): Promise<string> =>
  enqueue(on.admin, `/api/probe/queue/mark?Word=${word}&ScheduleName=Daily%20at%203am&QueueLabel=${word}${more}`);
const past = '&QueuedDate=2020-01-01T00:00:00Z';

test("REP-04 a schedule's first run waits for its time, and is listed", async () => {
  const id = await recurring('waiting');
  const [schedule] = await schedules('&QueueLabel=waiting');
  assert.equal(schedule?.QueueMessageID, id);
  assert.equal(schedule?.ScheduleID, id);
  assert.equal(schedule?.Operation, 'probe/mark');
  const at = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    hour: 'numeric',
    minute: 'numeric',
  }).format(new Date(schedule?.NextRun ?? ''));
  assert.equal(at, '3:00 AM');
  assert.equal(await marksOf(on, 'waiting'), 0);
});

test('KRN-24 a run queues the next exactly once, even if delivered twice', async () => {
  const id = await recurring('daily', past);
  await until(on.admin, id, 'completed');
  const [next, ...more] = await schedules('&QueueLabel=daily');
  assert.equal(more.length, 0);
  assert.equal(next?.ScheduleID, id);
  assert.notEqual(next?.QueueMessageID, id);
  await rows("update pgboss.job set state = 'retry', completed_on = null, start_after = now() where id = $1::uuid", [
    id,
  ]);
  await eventually('it is delivered again', async () => (await statusOf(on.admin, id))['Attempts'] === 2);
  await until(on.admin, id, 'completed');
  assert.deepEqual(
    (await schedules('&QueueLabel=daily')).map((s) => s.QueueMessageID),
    [next?.QueueMessageID],
  );
  assert.equal(await marksOf(on, 'daily'), 1);
  await rows('update pgboss.job set start_after = now() where id = $1::uuid', [next?.QueueMessageID]);
  await until(on.admin, next?.QueueMessageID ?? '', 'completed');
  const [third] = await schedules('&QueueLabel=daily');
  assert.equal(third?.ScheduleID, id, 'the chain is identified by its first message');
  assert.equal(await marksOf(on, 'daily'), 2);
});

test('KRN-24 a call recurs every minute, and all runs missed while no worker ran are made up by one', async () => {
  const id = await enqueue(
    on.admin,
    `/api/probe/queue/mark?Word=minutely&ScheduleName=Every%20minute&QueueLabel=minutely${past}`,
  );
  await until(on.admin, id, 'completed');
  const [next, ...more] = await schedules('&QueueLabel=minutely');
  assert.equal(more.length, 0);
  const waits = Date.parse(next?.NextRun ?? '') - Date.now();
  assert.ok(waits <= 60_000 && waits > -10_000, next?.NextRun);
  assert.equal(await marksOf(on, 'minutely'), 1);
  await on.admin.post(`/api/queue/cancel?ID=${id}`);
});

test('KRN-24 a run that fails permanently, or whose worker is killed on every attempt, does not end the recurrence', async () => {
  const id = await recurring('broken', past);
  await until(on.admin, id, 'completed');
  const [next] = await schedules('&QueueLabel=broken');
  const killed = next?.QueueMessageID ?? '';
  await whileProbesBlocked(on, async () => {
    await rows('update pgboss.job set retry_limit = 0, start_after = now() where id = $1::uuid', [killed]);
    await until(on.admin, killed, 'active');
    await presumeDead(on, killed);
    assert.equal((await until(on.admin, killed, 'dead'))['ErrorCode'], 'INTERRUPTED');
  });
  assert.equal((await schedules('&QueueLabel=broken')).length, 1);
});

test('canceling any message of a recurrence ends it; users can cancel only their own', async () => {
  const id = await recurring('ending', past);
  await until(on.admin, id, 'completed');
  const [next] = await schedules('&QueueLabel=ending');
  const staff = await on.user('canceling staff', 'Staff');
  assert.deepEqual(await schedules('', staff.caller), []);
  assert.equal((await staff.caller.post(`/api/queue/cancel?ID=${id}`)).status, 404);
  const canceled = await on.admin.post(`/api/queue/cancel?ID=${id}&Output=Json`);
  assert.equal(canceled.json()['Canceled'], 1);
  assert.deepEqual(await schedules('&QueueLabel=ending'), []);
  assert.equal((await statusOf(on.admin, next?.QueueMessageID ?? ''))['State'], 'cancelled');
  assert.equal((await on.admin.post(`/api/queue/cancel?ID=${id}`)).status, 422);
});

test('a recurrence canceled while it runs queues no further run', async () => {
  const alone = await testPlatform({ after }, { fixture: probe });
  const id = await enqueue(alone.admin, `/api/probe/queue/mark?Word=racing&ScheduleName=Daily%20at%203am${past}`);
  // Taken by a worker that has not yet queued the next run.
  await alone.platform.queue.boss.fetch('Default', { batchSize: 1 });
  assert.equal((await statusOf(alone.admin, id))['State'], 'active');
  assert.equal((await alone.admin.post(`/api/queue/cancel?ID=${id}&Output=Json`)).json()['Canceled'], 1);
  await alone.platform.store.query("update pgboss.job set state = 'retry', start_after = now() where id = $1::uuid", [
    id,
  ]);
  const worker = startWorker(alone.platform, alone.platform.queue);
  await until(alone.admin, id, 'completed');
  await worker.stop();
  assert.deepEqual((await alone.admin.get('/api/queue/schedules?Output=Json')).json(), {
    ScheduleCollection: { ScheduleItem: [] },
  });
});

test('canceling takes a waiting call out of the queue; a finished one is skipped with a warning', async () => {
  const waiting = await enqueue(on.admin, '/api/probe/queue/mark?Word=canceled&QueuedDate=2999-01-01T00:00:00Z');
  const done = await enqueue(on.admin, '/api/probe/queue/look?Word=done');
  await until(on.admin, done, 'completed');
  const mixed = await on.admin.post('/api/queue/cancel?Output=Json', { ID: [waiting, done] });
  assert.equal(mixed.json()['Canceled'], 1);
  assert.match(mixed.text, /has ended and was skipped/);
  assert.equal((await statusOf(on.admin, waiting))['State'], 'cancelled');
  assert.equal((await on.admin.post(`/api/queue/cancel?ID=${crypto.randomUUID()}`)).status, 404);
});
