import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { housekeeping } from '../../../src/app/housekeeping.ts';
import { blockPausedCalls } from '../../../src/surfaces/shared/pgboss-sql.ts';
import { takeAllowance } from '../../../src/surfaces/shared/queue-control.ts';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { atEnd } from '../../support/at-end.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { enqueue, failing, marksOf, probe, statusOf, until, whileProbesBlocked } from '../../support/worker/probe.ts';

const on = await testPlatform({ after }, { worker: true, fixture: probe });
const rows = async <R extends object>(text: string, params: unknown[] = []): Promise<R[]> => [
  ...(await on.platform.store.query<R>(text, params)),
];

interface ListedQueue {
  readonly QueueName: string;
  readonly State: string;
  readonly MessagesPerMinute: number;
  readonly Waiting: number;
  readonly OldestSeconds: number;
  readonly Deferred: number;
  readonly Running: number;
  readonly Paused: number;
  readonly Dead: number;
  readonly ChangedPersonID?: number;
}

async function queue(name: string): Promise<ListedQueue> {
  const listed = (await on.admin.get('/api/queue/queues?Output=Json')).json() as unknown as {
    QueueCollection: { QueueItem: ListedQueue[] };
  };
  const found = listed.QueueCollection.QueueItem.find((each) => each.QueueName === name);
  assert.ok(found, `${name} is listed`);
  return found;
}

async function control(operation: 'stop' | 'start' | 'throttle', name: string, more = ''): Promise<ListedQueue> {
  const answer = await on.admin.post(`/api/queue/${operation}?Output=Json`, `QueueName=${name}${more}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json() as unknown as ListedQueue;
}

const mark = (word: string, more: string): Promise<string> =>
  enqueue(on.admin, `/api/probe/queue/mark?Word=${word}&${more}`);

/** Once a later call of another queue is done, the worker has looked at all of these. */
async function workerLooked(): Promise<void> {
  for (let n = 0; n < 3; n++) await until(on.admin, await enqueue(on.admin, '/api/contact/queue/search'), 'completed');
}

test('KRN-24 a stopped queue still accepts messages, runs none on any worker, even one that starts later, and resumes when it is started', async (t) => {
  assert.equal((await control('stop', 'mail')).State, 'stopped', 'the name is found regardless of case');
  const id = await enqueue(on.admin, '/api/contact/queue/save?LastName=Stopped&QueueName=Mail');
  const other = await secondPlatform(t, on);
  const worker = startWorker(other.platform, other.platform.queue);
  atEnd(t, () => worker.stop());
  await workerLooked();
  assert.equal((await statusOf(on.admin, id))['State'], 'created');
  const { State, Waiting, Running } = await queue('Mail');
  assert.deepEqual([State, Waiting, Running], ['stopped', 1, 0]);
  assert.equal((await control('start', 'Mail')).State, 'running');
  await until(on.admin, id, 'completed');
  assert.equal((await rows("select 1 from contact where lastname = 'Stopped'")).length, 1);
});

test('KRN-24 WEB-06 the calls of a paused operation wait on every worker while others of the queue run, and none is lost or made twice', async (t) => {
  const control = async (operation: 'stop' | 'start', reason = ''): Promise<void> => {
    const sent = { QueueName: 'mail', Operation: 'Probe/Mark', ...(reason === '' ? {} : { Reason: reason }) };
    assert.equal((await on.admin.post(`/api/queue/${operation}`, sent)).status, 200);
  };
  const pausedCalls = async (): Promise<Record<string, unknown>[]> => {
    const answer = (await on.admin.get('/api/queue/pauses?Output=Json')).json() as unknown as {
      QueuePauseCollection?: { QueuePauseItem?: Record<string, unknown>[] };
    };
    return answer.QueuePauseCollection?.QueuePauseItem ?? [];
  };
  await failing(on, 'paused 0', 1, 'UNAVAILABLE');
  const ids: string[] = [];
  await whileProbesBlocked(on, async () => {
    ids.push(await mark('paused%200', 'QueueName=Mail'));
    await until(on.admin, ids[0] ?? '', 'active');
    await control('stop', 'The printer is broken.');
  });
  const other = await secondPlatform(t, on);
  const worker = startWorker(other.platform, other.platform.queue);
  atEnd(t, () => worker.stop());
  for (let n = 1; n <= 40; n++) ids.push(await mark(`paused%20${n}`, 'QueueName=Mail'));
  await until(on.admin, await enqueue(on.admin, '/api/contact/queue/search?QueueName=Mail'), 'completed');
  await eventually('all have come up, and the failed one waits, too', async () => {
    const [pause] = await pausedCalls();
    return pause?.['Waiting'] === 41;
  });
  assert.equal(await marksOf(on, 'paused 1'), 0);
  assert.equal((await statusOf(on.admin, ids[7] ?? ''))['State'], 'paused');
  const { State, Waiting, Paused } = await queue('Mail');
  assert.deepEqual([State, Waiting, Paused], ['running', 0, 41]);
  const [pause] = await pausedCalls();
  assert.deepEqual(
    [pause?.['QueueName'], pause?.['Operation'], pause?.['Reason']],
    ['Mail', 'probe/mark', 'The printer is broken.'],
  );
  assert.ok(Number(pause?.['ChangedPersonID']) > 0);
  const health = (await on.admin.get('/api/system/health?Output=Json')).text;
  assert.match(health, /Paused: probe\/mark in Mail \(The printer is broken\.; 41 waiting\)/);
  // The other process does not have the operation.
  await worker.stop();
  await Promise.all([control('start'), control('start')]);
  for (const id of ids) await until(on.admin, id, 'completed');
  const [sum] = await rows<{ n: number; words: number }>(
    `select count(*)::integer as n, count(distinct word)::integer as words
     from probemark
     where word like 'paused %' collate "C"`,
  );
  assert.deepEqual(sum, { n: 41, words: 41 });
  assert.deepEqual(await pausedCalls(), []);
});

test('a call that is blocked while its pause ends is released with the others; housekeeping releases what is left', async () => {
  const { store, queue: port } = on.platform;
  const actor = { personId: 1, firm: null, callId: 'pauses' };
  await control('stop', 'Batch');
  const calls = { queueName: 'Batch', operation: 'probe/mark' };
  const id = await mark('late', 'QueueName=Batch');
  await port.pause(store, calls, { personId: 1, reason: null });
  assert.equal((await statusOf(on.admin, id))['State'], 'paused');
  const blocked = Promise.withResolvers<boolean>();
  const goOn = Promise.withResolvers<boolean>();
  const later = await mark('later', 'QueueName=Batch');
  const worker = store.transaction(actor, async (db) => {
    await blockPausedCalls(db, 'Batch');
    blocked.resolve(true);
    await goOn.promise;
  });
  await blocked.promise;
  const resumed = store.transaction(actor, (db) => port.resume(db, calls));
  await eventually(
    'the end of the pause waits for the worker',
    async () => (await rows('select 1 from pg_stat_activity where wait_event_type = $1::text', ['Lock'])).length > 0,
  );
  goOn.resolve(true);
  await worker;
  assert.equal(await resumed, true);
  for (const each of [id, later]) assert.notEqual((await statusOf(on.admin, each))['State'], 'paused');
  await rows('update pgboss.job set blocked = true where id = $1::uuid', [id]);
  const task = housekeeping.find(({ name }) => name === 'calls of resumed operations');
  assert.equal(await task?.run(on.platform), 1);
  await control('start', 'Batch');
  for (const each of [id, later]) await until(on.admin, each, 'completed');
});

test('calls running when their queue is stopped finish; their retries wait', async () => {
  let id = '';
  await whileProbesBlocked(on, async () => {
    id = await mark('running', 'QueueName=Report');
    await until(on.admin, id, 'active');
    assert.equal((await control('stop', 'Report')).Running, 1);
  });
  await until(on.admin, id, 'completed');
  assert.equal(await marksOf(on, 'running'), 1);
  await control('start', 'Report');
});

test('a queue stopped in the middle of many short calls stops soon, and no call is lost or made twice', async () => {
  const ids = await Promise.all(Array.from({ length: 150 }, (_, n) => mark(`many${n}`, 'QueueName=Batch')));
  await control('stop', 'Batch');
  const stopped = await eventually('none of its calls run', async () => {
    const state = await queue('Batch');
    return state.Running === 0 && state;
  });
  await workerLooked();
  assert.equal((await queue('Batch')).Waiting, stopped.Waiting, 'nothing more was claimed');
  await control('start', 'Batch');
  await eventually(
    'all are done',
    async () => (await queue('Batch')).Waiting + (await queue('Batch')).Running === 0,
    30_000,
  );
  for (const id of ids) assert.equal((await until(on.admin, id, 'completed'))['Attempts'], 1);
  const [sum] = await rows<{ n: number; words: number }>(
    `select count(*)::integer as n, count(distinct word)::integer as words
     from probemark
     where word like 'many%' collate "C"`,
  );
  assert.deepEqual(sum, { n: 150, words: 150 });
});

test('a call queued for a time long past waits like any other', async () => {
  await control('stop', 'Mail');
  const id = await mark('long%20past', 'QueueName=Mail&QueuedDate=2020-01-01T00:00:00Z');
  const [retention] = await rows<{ days: number }>(
    'select round(extract(epoch from keep_until - now()) / 86400)::integer as days from pgboss.job where id = $1::uuid',
    [id],
  );
  assert.equal(retention?.days, 90, 'housekeeping deletes messages past this time');
  await control('start', 'Mail');
  await until(on.admin, id, 'completed');
});

test('a recurring call waits in a stopped queue only once, however long that takes', async () => {
  await control('stop', 'Mail');
  const id = await mark(
    'piled',
    'QueueName=Mail&ScheduleName=Daily%20at%203am&QueueLabel=piled&QueuedDate=2020-01-01T00:00:00Z',
  );
  await workerLooked();
  const waiting = (): Promise<{ id: string }[]> =>
    rows("select id from pgboss.job where data ->> 'label' = 'piled' and state < 'active'");
  assert.deepEqual(
    (await waiting()).map((job) => job.id),
    [id],
  );
  await control('start', 'Mail');
  await until(on.admin, id, 'completed');
  assert.equal(await marksOf(on, 'piled'), 1);
  assert.equal((await waiting()).length, 1, 'the next run, and no other');
});

test('a throttled queue releases what its rate allows, and no more', async () => {
  assert.equal((await control('throttle', 'Mail', '&MessagesPerMinute=1')).MessagesPerMinute, 1);
  const ids: string[] = [];
  for (const n of [1, 2, 3]) ids.push(await mark(`slow${n}`, 'QueueName=Mail'));
  const done = async (): Promise<number> =>
    (await Promise.all(ids.map((id) => statusOf(on.admin, id)))).filter((s) => s['State'] === 'completed').length;
  await eventually('the first is done', async () => (await done()) === 1);
  await workerLooked();
  assert.equal(await done(), 1);
  await rows("update queuecontrol set refilled = refilled - interval '10 minutes' where queuename = 'Mail'");
  await eventually('the second is done', async () => (await done()) === 2);
  await workerLooked();
  assert.equal(await done(), 2, 'a pause is not compensated at once');
  await control('stop', 'Mail');
  assert.equal((await control('start', 'Mail')).MessagesPerMinute, 1, 'stopping and starting keep the throttle');
  await control('throttle', 'Mail', '&MessagesPerMinute=0');
  await eventually('all are done', async () => (await done()) === 3);
});

test('workers that poll at the same moment share one allowance; a stopped queue grants none', async () => {
  const { store } = on.platform;
  await control('throttle', 'Import', '&MessagesPerMinute=6');
  await store.query("update queuecontrol set allowance = 1, refilled = clock_timestamp() where queuename = 'Import'");
  const granted = await Promise.all(Array.from({ length: 10 }, () => takeAllowance(store, 'Import', 5)));
  assert.equal(
    granted.reduce((sum, each) => sum + each, 0),
    1,
  );
  await store.query(
    `update queuecontrol
     set perminute = 600, allowance = 0, refilled = clock_timestamp() - interval '1 hour'
     where queuename = 'Import'`,
  );
  assert.equal(await takeAllowance(store, 'Import', 500), 10, "one second's worth");
  await store.query(
    `update queuecontrol
     set stopped = true, refilled = clock_timestamp() - interval '1 hour'
     where queuename = 'Import'`,
  );
  assert.equal(await takeAllowance(store, 'Import', 500), 0);
  await store.query("delete from queuecontrol where queuename = 'Import'");
});

test('the list shows what is waiting and for how long, what is dead, and what queues that no longer exist still contain', async () => {
  const saved = await on.admin.post('/api/setting/save?Output=Json', {
    Setting: 'QueueNames',
    Value: 'Default, Import, Batch, Mail, Report, Passing',
  });
  await failing(on, 'listed dead', 9, 'RULE_EXCEPTION');
  await until(on.admin, await mark('listed%20dead', 'QueueName=Passing'), 'dead');
  await control('stop', 'Passing');
  await rows("update pgboss.job set start_after = now() - interval '2 hours' where id = $1::uuid", [
    await mark('listed', 'QueueName=Passing'),
  ]);
  await mark('listed', 'QueueName=Passing&QueuedDate=2999-01-01T00:00:00Z');
  const listed = await queue('Passing');
  assert.deepEqual(
    [listed.State, listed.Waiting, listed.Deferred, listed.Running, listed.Dead],
    ['stopped', 1, 1, 0, 1],
  );
  assert.ok(listed.OldestSeconds >= 7_200);
  assert.ok(Number(listed.ChangedPersonID) > 0);
  assert.equal(
    (
      await on.admin.post('/api/setting/save', {
        ID: Number(saved.json()['SettingID']),
        Value: 'Default, Import, Batch, Mail, Report',
      })
    ).status,
    200,
  );
  assert.equal((await queue('Passing')).State, 'abandoned');
  assert.equal((await on.admin.post('/api/queue/start', 'QueueName=Passing')).status, 400);
});

test('an idle worker learns of a queue that was only now added to the settings', async (t) => {
  const quiet = await testPlatform(t, { fixture: probe });
  const { platform } = await secondPlatform(t, quiet);
  const worker = startWorker(platform, platform.queue);
  atEnd(t, () => worker.stop());
  await until(quiet.admin, await enqueue(quiet.admin, '/api/contact/queue/search'), 'completed');
  await quiet.admin.post('/api/setting/save', { Setting: 'QueueNames', Value: 'Default, BrandNew' });
  await until(quiet.admin, await enqueue(quiet.admin, '/api/contact/queue/search?QueueName=BrandNew'), 'completed');
});

test('a queue cannot be given a reserved name', async () => {
  const refused = await on.admin.post('/api/setting/save', { Setting: 'QueueNames', Value: 'Default, Two Words' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Value: expected names of letters, digits/);
  assert.equal(
    (await on.admin.post('/api/setting/save', { Setting: 'QueueNames', Value: ' , ' })).status,
    400,
    'there is always a default',
  );
});

test('only administrators control queues, and every action is in the security log', async () => {
  await rows("delete from securitylog where object = 'Queue'");
  const staff = await on.user('controlling staff', 'Staff');
  await on.admin.post('/api/role/save', {
    Role: 'Firm Stopper',
    Permissions: 'QueueStop QueueStart QueueThrottle QueueQueues',
  });
  const firm = await on.firm('Stopping Firm', 'Firm Stopper');
  for (const { caller } of [staff, firm]) {
    for (const path of [
      'stop?QueueName=Mail',
      'start?QueueName=Mail',
      'stop?QueueName=Mail&Operation=probe/mark',
      'start?QueueName=Mail&Operation=probe/mark',
      'pauses',
      'throttle?QueueName=Mail&MessagesPerMinute=1',
      'queues',
    ])
      assert.equal((await caller.post(`/api/queue/${path}`)).status, 403, path);
  }
  assert.deepEqual([(await queue('Mail')).State, (await queue('Mail')).MessagesPerMinute], ['running', 0]);
  for (const [path, words] of [
    ['stop?QueueName=Mial', /Did you mean Mail/],
    ['stop', /QueueName/],
    ['stop?QueueName=Mail&Operation=probe/marc', /Operation: there is no such operation\. Did you mean probe\/mark/],
    ['throttle?QueueName=Mail&MessagesPerMinute=-1', /MessagesPerMinute: expected a number from 0/],
    ['throttle?QueueName=Mail&MessagesPerMinute=60001', /to 60000/],
  ] as const) {
    const refused = await on.admin.post(`/api/queue/${path}`);
    assert.equal(refused.status, 400, path);
    assert.match(refused.text, words);
  }
  assert.deepEqual(await rows("select securitylog from securitylog where object = 'Queue'"), []);
  await control('stop', 'Mail');
  await control('throttle', 'Mail', '&MessagesPerMinute=30');
  await control('start', 'Mail');
  await control('throttle', 'Mail', '&MessagesPerMinute=0');
  await control('stop', 'Mail', '&Operation=probe/mark&Reason=x');
  await control('start', 'Mail', '&Operation=probe/mark');
  assert.deepEqual(
    (
      await rows<{ event: string; detail: string }>(
        `select securitylog as event, detail
         from securitylog
         where object = 'Queue' and personid is not null
         order by securitylogid`,
      )
    ).map(({ event, detail }) => `${event} ${detail}`),
    [
      'QueueStopped Mail',
      'QueueThrottled Mail 30',
      'QueueStarted Mail',
      'QueueThrottled Mail 0',
      'OperationPaused probe/mark in Mail: x',
      'OperationResumed probe/mark in Mail',
    ],
  );
});
