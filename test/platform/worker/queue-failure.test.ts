import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cipherFromKeys, newKey } from '../../../src/kernel/security/cipher.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { claimKey, storeAnswerStatement } from '../../../src/kernel/door/idempotency.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  enqueue,
  failing,
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
const post = (path: string, body: string | object = '') =>
  on.admin.post(`${path}${path.includes('?') ? '&' : '?'}Output=Json`, body);

/** Redelivers a completed message, as if its worker had died between the call's commit and the job's completion. */
async function deliverAgain(id: string): Promise<void> {
  await rows("update pgboss.job set state = 'retry', completed_on = null, start_after = now() where id = $1::uuid", [
    id,
  ]);
  await eventually(
    'the message is delivered again',
    async () =>
      (
        await rows(
          'select 1 from pgboss.job where id = $1::uuid and retry_count > 0 and state = $2::pgboss.job_state',
          [id, 'completed'],
        )
      ).length === 1,
  );
}

/** Attempts of the following calls fail permanently at once. */
async function withAttempts<T>(attempts: number, run: () => Promise<T>): Promise<T> {
  await post('/api/setting/save', { Setting: 'QueueAttemptsMax', Value: String(attempts) });
  try {
    return await run();
  } finally {
    await post('/api/setting/save', { Setting: 'QueueAttemptsMax', Value: '5' });
  }
}

test('KRN-24 a temporary failure is retried after a growing delay, and leaves nothing behind', async () => {
  await failing(on, 'passing', 2, 'UNAVAILABLE');
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=passing');
  const first = await until(on.admin, id, 'retry');
  assert.equal(first['ErrorCode'], 'UNAVAILABLE');
  const due = Date.parse(String(first['StartAfter']));
  const status = await until(on.admin, id, 'completed');
  assert.equal(status['Attempts'], 3);
  assert.equal(status['ErrorCode'], 'OK');
  assert.ok(Date.parse(String(status['StartAfter'])) > due, 'the second delay begins after the first');
  assert.equal(await marksOf(on, 'passing'), 1);
});

test('KRN-24 a permanent failure goes to the dead letters at once, a temporary one after the last attempt', async () => {
  await failing(on, 'for good', 9, 'STATE_REFUSES');
  const refused = await until(on.admin, await enqueue(on.admin, '/api/probe/queue/mark?Word=for%20good'), 'dead');
  assert.deepEqual([refused['Attempts'], refused['ErrorCode'], refused['QueueName']], [1, 'STATE_REFUSES', 'Default']);
  await failing(on, 'used up', 9, 'UNAVAILABLE');
  const id = await withAttempts(2, () => enqueue(on.admin, '/api/probe/queue/mark?Word=used%20up'));
  const status = await until(on.admin, id, 'dead');
  assert.deepEqual([status['Attempts'], status['ErrorCode']], [2, 'UNAVAILABLE']);
  const listed = (await on.admin.get('/api/queue/search?State=dead&Output=Json')).json() as unknown as {
    QueueMessageCollection: { QueueMessageItem: { QueueMessageID: string }[] };
  };
  const ids = listed.QueueMessageCollection.QueueMessageItem.map((m) => m.QueueMessageID);
  assert.ok(ids.includes(id));
  assert.equal(new Set(ids).size, ids.length, 'each message is listed once');
  assert.equal((await marksOf(on, 'for good')) + (await marksOf(on, 'used up')), 0);
});

test('KRN-24 dead letters are queued again: by ID, by queue, by filter; a message that is not dead is skipped with a warning', async () => {
  for (const word of ['again 1', 'again 2', 'again 3']) await failing(on, word, 1, 'RULE_EXCEPTION');
  const [one, two, three] = [
    await enqueue(on.admin, '/api/probe/queue/mark?Word=again%201'),
    await enqueue(on.admin, '/api/probe/queue/mark?Word=again%202&QueueName=Mail'),
    await enqueue(on.admin, '/api/probe/queue/mark?Word=again%203&QueueLabel=blue'),
  ] as const;
  for (const id of [one, two, three]) await until(on.admin, id, 'dead');
  const done = await enqueue(on.admin, '/api/probe/queue/look?Word=done');
  await until(on.admin, done, 'completed');
  const mixed = await post('/api/queue/requeue', { ID: [one, done] });
  assert.equal(mixed.json()['Requeued'], 1);
  assert.equal((mixed.json()['Alerts'] as unknown as { Code: string }[])[0]?.Code, 'STATE_REFUSES');
  assert.equal((await until(on.admin, one, 'completed'))['Attempts'], 1);
  assert.equal((await post('/api/queue/requeue', { ID: [done] })).status, 422);
  assert.equal((await post('/api/queue/requeue', { ID: [crypto.randomUUID()] })).status, 404);
  assert.equal((await post('/api/queue/requeue')).status, 400);
  assert.equal((await post('/api/queue/requeue?QueueName=Mail')).json()['Requeued'], 1);
  assert.equal(
    (await post('/api/queue/requeue?QueueLabel=blue&Operation=Probe/Mark&ErrorCode=RULE_EXCEPTION')).json()['Requeued'],
    1,
  );
  for (const id of [two, three]) await until(on.admin, id, 'completed');
  for (const word of ['again 1', 'again 2', 'again 3']) assert.equal(await marksOf(on, word), 1);
});

test('WEB-06 KRN-24 dead letters are discarded for a reason: they never run, can be looked up, and name their record', async () => {
  await failing(on, 'unwanted', 1, 'RULE_EXCEPTION');
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=unwanted&QueueLabel=unwanted');
  await until(on.admin, id, 'dead');
  assert.equal((await post('/api/queue/discard', { ID: [id], Reason: ' ' })).status, 400);
  assert.equal((await post('/api/queue/discard', { Reason: 'not needed' })).status, 400);
  const answer = await post('/api/queue/discard', { QueueLabel: 'unwanted', Reason: 'the case is closed' });
  assert.equal(answer.json()['Discarded'], 1, answer.text);
  assert.equal((await statusOf(on.admin, id))['State'], 'discarded');
  assert.equal((await post('/api/queue/requeue', { ID: [id] })).status, 422);
  assert.equal((await post('/api/queue/discard', { ID: [id], Reason: 'again' })).status, 422);
  const listed = async (state: string): Promise<string> =>
    (await on.admin.get(`/api/queue/search?State=${state}&QueueLabel=unwanted&Output=Json`)).text;
  assert.doesNotMatch(await listed('dead'), new RegExp(id));
  assert.match(await listed('discarded'), new RegExp(id));
  assert.equal(await marksOf(on, 'unwanted'), 0);
  const log = (await on.admin.get('/api/securitylog/search?SecurityLog=CallsDiscarded&Output=Json')).text;
  assert.match(log, new RegExp(`1: the case is closed \\(${id}\\)`));
  const about = await enqueue(on.admin, '/api/contact/queue/select?ID=4711');
  const dead = await until(on.admin, about, 'dead');
  assert.deepEqual([dead['Object'], dead['ObjectID']], ['Contact', 4711]);
});

test('KRN-24 a dead letter that fails again is one dead letter, and can be queued again', async () => {
  await failing(on, 'twice dead', 2, 'RULE_EXCEPTION');
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=twice%20dead');
  await until(on.admin, id, 'dead');
  await post('/api/queue/requeue', { ID: [id] });
  await eventually(
    'it failed again',
    async () => (await rows("select 1 from probefailure where word = 'twice dead' and failures = 0")).length === 1,
  );
  await until(on.admin, id, 'dead');
  await post('/api/queue/requeue', { ID: [id] });
  await until(on.admin, id, 'completed');
  assert.equal(await marksOf(on, 'twice dead'), 1);
});

test('KRN-24 an unknown operation is left to other nodes, reported, and ends in the dead letters', async () => {
  const id = await withAttempts(2, () =>
    enqueue(on.admin, '/api/probe/queue/mark?Word=newer&QueuedDate=2999-01-01T00:00:00Z'),
  );
  await rows(
    `update pgboss.job set data = jsonb_set(data, '{route}', '"probe/newer"'), start_after = now() where id = $1::uuid`,
    [id],
  );
  assert.equal((await until(on.admin, id, 'retry'))['ErrorCode'], 'UNKNOWN_OPERATION');
  assert.equal((await until(on.admin, id, 'dead'))['Attempts'], 2);
  const log = (await on.admin.get('/api/errorlog/search?ErrorLog=*probe/newer*&Output=Json')).text;
  assert.match(log, /UNKNOWN_OPERATION: a queued call names probe\/newer/);
});

test('KRN-24 a call whose completion was lost is not made twice', async () => {
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=once');
  const first = await until(on.admin, id, 'completed');
  await deliverAgain(id);
  const second = await until(on.admin, id, 'completed');
  assert.equal(second['Attempts'], 2);
  assert.equal(second['Result'], first['Result']);
  assert.equal(await marksOf(on, 'once'), 1);
});

test('KRN-24 a call with its own transactions is not made again once its answer is stored', async () => {
  const id = await enqueue(on.admin, '/api/probe/queue/own?Word=own');
  await until(on.admin, id, 'completed');
  await deliverAgain(id);
  assert.equal(await marksOf(on, 'own'), 1);
  assert.match(String((await statusOf(on.admin, id))['Result']), /"Word":"own"/);
});

test("KRN-24 the claim of an interrupted queued call is taken over, that of a caller's Idempotency-Key is not", async () => {
  const owner = { cipher: cipherFromKeys(newKey()), clock: systemClock, personId: 1 };
  const { store } = on.platform;
  const queued = { key: 'queue cut off', request: 'r', messageId: crypto.randomUUID() };
  assert.equal(await claimKey(store, owner, queued), undefined);
  assert.equal(await claimKey(store, owner, queued), undefined);
  await store.query(...(await storeAnswerStatement(owner, queued, { status: 200, headers: {}, body: 'kept' })));
  assert.equal((await claimKey(store, owner, queued))?.answer.body, 'kept');
  await rows("update idempotency set createddate = now() - interval '60 days' where messageid = $1::uuid", [
    queued.messageId,
  ]);
  assert.equal((await claimKey(store, owner, queued))?.answer.body, 'kept', 'it is kept as long as its message');
  const sent = { key: 'http cut off', request: 'r' };
  assert.equal(await claimKey(store, owner, sent), undefined);
  await assert.rejects(claimKey(store, owner, sent), { code: 'CONCURRENT_CHANGE' });
});

test('KRN-24 two deliveries at the same time make one call', async () => {
  let id = '';
  await whileProbesBlocked(on, async () => {
    id = await enqueue(on.admin, '/api/probe/queue/mark?Word=both');
    await until(on.admin, id, 'active');
    await presumeDead(on, id);
    await eventually(
      'it is delivered to a second worker',
      async () =>
        (await rows("select 1 from pgboss.job where id = $1::uuid and state = 'active' and retry_count = 1", [id]))
          .length === 1,
    );
  });
  await until(on.admin, id, 'completed');
  assert.equal(await marksOf(on, 'both'), 1);
});

test('KRN-24 a message delivered as if for the first time, although its call was made, is answered with the stored answer', async () => {
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=first%20again');
  const first = await until(on.admin, id, 'completed');
  // What a stopping worker does to a job that it releases, if that job's call had just committed.
  await rows(
    `update pgboss.job
     set state = 'created', started_on = null, completed_on = null, start_after = now()
     where id = $1::uuid`,
    [id],
  );
  const second = await until(on.admin, id, 'completed');
  assert.equal(second['Attempts'], 1);
  assert.equal(second['Result'], first['Result']);
  assert.equal(await marksOf(on, 'first again'), 1);
  const errors = await rows("select 1 from errorlog where operation = 'probe/mark'");
  assert.deepEqual(errors, [], 'it is not a failure');
});
