import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { enqueue, failing, marksOf, probe, statusOf, until, whileProbesBlocked } from '../../support/worker/probe.ts';

const on = await testPlatform({ after }, { worker: true, fixture: probe });

const rows = async <R extends object>(text: string, params: unknown[] = []): Promise<R[]> => [
  ...(await on.platform.store.query<R>(text, params)),
];
const personOf = (name: string): Promise<number> =>
  rows<{ personid: number }>('select personid from person where person = $1::text', [name]).then(
    ([row]) => row?.personid ?? 0,
  );

test('KRN-02 a queued call is answered at once with 202 and its message, runs later as its caller, and its result is stored', async () => {
  const answered = await on.admin.post('/api/probe/queue/mark?Output=Json', 'Word=plain');
  assert.equal(answered.status, 202);
  const id = String(answered.json()['QueueMessageID']);
  const status = await until(on.admin, id, 'completed');
  assert.equal(status['Attempts'], 1);
  assert.equal(status['ErrorCode'], 'OK');
  assert.equal(status['Operation'], 'probe/mark');
  assert.equal((JSON.parse(String(status['Result'])) as { Word: string }).Word, 'plain');
  assert.deepEqual(await rows('select personid::integer, universal from probemark where word = $1', ['plain']), [
    { personid: await personOf('administrator'), universal: true },
  ]);
});

test('KRN-02 a queued call is checked when it is queued: parameters, permission and operation', async () => {
  const { caller } = await on.firm('Judged LLP');
  assert.equal((await on.admin.post('/api/probe/queue/mark', 'Word=x&Wrod=y')).status, 400);
  assert.equal((await on.admin.post('/api/probe/queue/mark', '')).status, 400);
  assert.equal((await caller.post('/api/probe/queue/mark', 'Word=x')).status, 403);
  assert.equal((await on.anonymous.post('/api/probe/queue/mark', 'Word=x')).status, 401);
  assert.equal((await on.admin.post('/api/probe/queue/frobnicate', '')).status, 404);
  assert.equal(await marksOf(on, 'x'), 0);
});

test('KRN-26 one-record, record, several-segment and parent-scope routes can be queued', async () => {
  const saved = await on.admin.post('/api/contact/save?Output=Json', { LastName: 'Queued', Company: 'Of a route' });
  const contactId = Number(saved.json()['ContactID']);
  const one = await until(on.admin, await enqueue(on.admin, `/api/contact/queue/select/${contactId}`), 'completed');
  assert.match(String(one['Result']), new RegExp(`"ContactID":${contactId}\\b`));
  const byId = await on.admin.get(`/api/contact/queue/${contactId}?Output=Json`);
  assert.equal(byId.status, 202);
  assert.match(
    String((await until(on.admin, String(byId.json()['QueueMessageID']), 'completed'))['Result']),
    new RegExp(`"ContactID":${contactId}\\b`),
  );
  await until(on.admin, await enqueue(on.admin, '/api/probe/queue/deep/Three%20segments/mark'), 'completed');
  assert.equal(await marksOf(on, 'Three segments'), 1);
  await until(
    on.admin,
    await enqueue(on.admin, `/api/contact/${contactId}/contact/queue/save?LastName=Child`),
    'completed',
  );
  assert.deepEqual(await rows('select object, objectid::integer from contact where lastname = $1', ['Child']), [
    { object: 'Contact', objectid: contactId },
  ]);
  assert.equal((await on.admin.post('/api/contact/999999/contact/queue/save', 'LastName=Orphan')).status, 404);
});

test("KRN-02 QueueName, QueuedDate and QueueLabel belong to the queue; an operation that declares one gets it, and the queue's is then _QueueName", async () => {
  const id = await enqueue(
    on.admin,
    '/api/probe/queue/mark?Word=reserved&QueueName=batch&QueueLabel=red&QueuedDate=2999-01-01T00:00:00Z',
  );
  const status = await statusOf(on.admin, id);
  assert.equal(status['QueueName'], 'Batch');
  assert.equal(status['QueueLabel'], 'red');
  assert.equal(status['StartAfter'], '2999-01-01T00:00:00.000Z');
  assert.equal(status['State'], 'created');
  const own = await until(
    on.admin,
    await enqueue(on.admin, '/api/probe/queue/named?Word=own&QueueName=Anything&_QueueName=Mail'),
    'completed',
  );
  assert.equal(own['QueueName'], 'Mail');
  assert.equal((JSON.parse(String(own['Result'])) as { QueuedAs: string }).QueuedAs, 'Anything');
  const wrong = await on.admin.post('/api/probe/queue/mark', 'Word=x&QueueName=Btach');
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /QueueName: there is no such queue\. Did you mean Batch/);
});

test('KRN-28 warnings are stored with the result or the failure of a queued call, and are returned in every Output', async () => {
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=alerting');
  await until(on.admin, id, 'completed');
  const json = await on.admin.get(`/api/queue/status?ID=${id}&Output=Json`);
  assert.deepEqual(json.json()['Alerts'], [{ Code: 'PROBE', ID: 7, Text: 'alert of alerting' }]);
  assert.equal(json.headers.get('x-alerts'), '1');
  assert.match(
    (await on.admin.get(`/api/queue/status?ID=${id}`)).text,
    /<Alert Code="PROBE" ID="7">alert of alerting<\/Alert>/,
  );
  await failing(on, 'refused', 1, 'RULE_EXCEPTION');
  const failed = await enqueue(on.admin, '/api/probe/queue/mark?Word=refused');
  const status = await until(on.admin, failed, 'dead');
  assert.equal(status['ErrorMessage'], 'Failed on purpose for refused.');
  assert.deepEqual(status['Alerts'], [{ Code: 'PROBE', Text: 'alert of the failure of refused' }]);
});

test('KRN-02 a queued call has the permissions and the visibility that its caller has when it runs', async () => {
  const { personId, caller, organizationId } = await on.firm('Reaching LLP');
  const other = await on.firm('Other LLP');
  for (const [id, name] of [
    [organizationId, 'Mine'],
    [other.organizationId, 'Theirs'],
  ])
    await on.admin.post('/api/contact/save', { Object: 'Organization', ObjectID: id, LastName: name });
  const found = await until(
    caller,
    await enqueue(caller, '/api/contact/queue/search?LastName=Mine&LastName=Theirs'),
    'completed',
  );
  const names = (
    JSON.parse(String(found['Result'])) as { ContactCollection: { ContactItem: { LastName: string }[] } }
  ).ContactCollection.ContactItem.map((c) => c.LastName);
  assert.deepEqual(names, ['Mine']);
  const later = await enqueue(caller, '/api/contact/queue/search?LastName=Mine&QueuedDate=2999-01-01T00:00:00Z');
  await on.admin.post(`/api/person/save?ID=${personId}`, { Roles: 'Data Service' });
  await eventually('the permission is gone', async () => (await caller.get('/api/contact/search')).status === 403);
  await rows('update pgboss.job set start_after = now() where id = $1::uuid', [later]);
  const refused = await until(on.admin, later, 'dead');
  assert.equal(refused['ErrorCode'], 'NO_PERMISSION');
  assert.equal(refused['Attempts'], 1);
});

test('KRN-02 the job of a deactivated caller fails permanently', async () => {
  const { personId, caller } = await on.user('leaver', 'Administrator');
  const id = await enqueue(caller, '/api/probe/queue/mark?Word=left&QueuedDate=2999-01-01T00:00:00Z');
  await on.admin.post(`/api/person/save?ID=${personId}`, { Status: 'Inactive' });
  await eventually('the person is refused', async () => (await caller.get('/api/role/search')).status === 401);
  await rows('update pgboss.job set start_after = now() where id = $1::uuid', [id]);
  const status = await until(on.admin, id, 'dead');
  assert.equal(status['ErrorCode'], 'NOT_SIGNED_IN');
  assert.equal(status['Attempts'], 1);
  assert.equal(await marksOf(on, 'left'), 0);
});

test('KRN-02 users can look up only their own messages, and users who may search the queue those of others', async () => {
  const one = await on.firm('Seeing LLP');
  const two = await on.firm('Unseeing LLP');
  const id = await enqueue(one.caller, '/api/contact/queue/search?LastName=Nobody');
  await until(one.caller, id, 'completed');
  assert.equal((await two.caller.get(`/api/queue/status?ID=${id}`)).status, 404);
  assert.equal((await on.admin.get(`/api/queue/status?ID=${id}`)).status, 200);
  assert.equal((await one.caller.get('/api/queue/search')).status, 403);
  assert.equal((await on.admin.get('/api/queue/status?ID=not-an-id')).status, 404);
  const listed = (await on.admin.get(`/api/queue/search?Output=Json&PersonID=${one.personId}`)).json() as unknown as {
    QueueMessageCollection: { QueueMessageItem: { QueueMessageID: string }[] };
  };
  assert.deepEqual(
    listed.QueueMessageCollection.QueueMessageItem.map((m) => m.QueueMessageID),
    [id],
  );
});

test('KRN-21 parameters, results and failures of queued calls are sealed in the store', async () => {
  const canary = 'Zephyrine';
  await failing(on, `${canary} refused`, 1, 'RULE_EXCEPTION');
  await until(on.admin, await enqueue(on.admin, `/api/probe/queue/mark?Word=${canary}`), 'completed');
  await until(on.admin, await enqueue(on.admin, `/api/probe/queue/mark?Word=${canary}%20refused`), 'dead');
  const [jobs] = await rows<{ text: string }>("select string_agg(j::text, '') as text from pgboss.job j");
  assert.match(jobs?.text ?? '', /probe\/mark/);
  assert.doesNotMatch(jobs?.text ?? '', new RegExp(canary));
  const [answers] = await rows<{ text: string }>(
    "select string_agg(encode(answer, 'escape'), '') as text from idempotency",
  );
  assert.ok((answers?.text ?? '').length > 0);
  assert.doesNotMatch(answers?.text ?? '', new RegExp(canary));
});

test('KRN-23 a job exists when its call commits, and not otherwise; one Idempotency-Key queues one job', async () => {
  const key = { 'Idempotency-Key': 'one queued call' };
  const first = await enqueue(on.admin, '/api/probe/queue/mark?Word=keyed', key);
  const again = await enqueue(on.admin, '/api/probe/queue/mark?Word=keyed', key);
  assert.equal(again, first);
  await until(on.admin, first, 'completed');
  assert.equal(await marksOf(on, 'keyed'), 1);
  const before = await rows('select 1 from pgboss.job');
  await assert.rejects(
    on.platform.store.transaction({ personId: 1, firm: null, callId: 'test' }, async (transaction) => {
      await on.platform.queue.send(transaction, [
        {
          route: 'probe/mark',
          parameters: { Word: 'undone' },
          messageId: crypto.randomUUID(),
          personId: 1,
          correlationId: 'test',
          cause: [],
        },
      ]);
      throw new Error('undone');
    }),
    /undone/,
  );
  assert.equal((await rows('select 1 from pgboss.job')).length, before.length);
});

test('KRN-24 a slow call does not hold up others in its queue', async () => {
  let slow = '';
  await whileProbesBlocked(on, async () => {
    slow = await enqueue(on.admin, '/api/probe/queue/mark?Word=slow');
    await until(on.admin, slow, 'active');
    await until(on.admin, await enqueue(on.admin, '/api/probe/queue/look?Word=quick'), 'completed');
    assert.equal((await statusOf(on.admin, slow))['State'], 'active');
  });
  await until(on.admin, slow, 'completed');
});

test('KRN-24 a stopping worker finishes what is running and takes nothing more', async () => {
  const stopped = await testPlatform({ after }, { fixture: probe });
  const worker = startWorker(stopped.platform, stopped.platform.queue);
  let [running, waiting] = ['', ''];
  let stopping: Promise<void> | undefined;
  await whileProbesBlocked(stopped, async () => {
    running = await enqueue(stopped.admin, '/api/probe/queue/mark?Word=running');
    await until(stopped.admin, running, 'active');
    stopping = worker.stop();
    waiting = await enqueue(stopped.admin, '/api/probe/queue/look?Word=waiting');
  });
  await stopping;
  assert.equal((await statusOf(stopped.admin, running))['State'], 'completed');
  assert.equal((await statusOf(stopped.admin, waiting))['State'], 'created');
});
