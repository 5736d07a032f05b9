import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isClosedToAgents } from '../../../src/surfaces/shared/agent-rights.ts';
import { item } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { RESULT_BYTES_MAX } from '../../../src/surfaces/mcp/result.ts';
import { openCall, type Envelope } from '../../../src/surfaces/worker/envelope.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { errorOf, httpAgent, type ToolAnswer } from '../../support/mcp/agent.ts';

const NUMBER = '900-12-3456';
const base = {
  module: 'relay',
  method: 'POST',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  errors: [],
  source: 'test',
} as const;

const word = { Word: f.text({ doc: 'A word.', max: 100 }) };
/** Queues a call that creates a user, as a rule that queues further work may. */
const relay = defineOperation({ ...base, name: 'Relay', summary: 'Queues a change.', params: word, returns: word });
const long = defineOperation({
  ...base,
  name: 'Long',
  summary: 'Answers more than an agent gets.',
  params: word,
  returns: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`Text${at}`, f.text({ doc: 'A long text.' })])),
});

async function relayed(ctx: Context, name: string) {
  await ctx.enqueue({ route: 'importform/insert', parameters: withPerson(name), label: name });
  return item('Relay', word, { Word: name });
}

async function answeredLong(ctx: Context, name: string) {
  await ctx.call('contact/save', { LastName: name });
  return item(
    'Long',
    long.returns as never,
    Object.fromEntries(Object.keys(long.returns).map((key) => [key, 'long '.repeat(1_150)])),
  );
}

/** A task assigned to a person who is created with it. */
const withPerson = (name: string) => ({
  ImportForm: `Task of ${name}`,
  Object: 'Person',
  ObjectID: 1,
  AssignedPerson_Person: name,
  AssignedPerson_Password: 'a wicked plan of others',
  AssignedPerson_Roles: 'Administrator',
  AssignedPerson_Status: 'Active',
});

const on = await testPlatform(
  { after },
  {
    worker: true,
    fixture: {
      declarations: {
        operations: [
          { operation: relay, run: handle(relay, (ctx, { Word }) => relayed(ctx, Word ?? '')) },
          { operation: long, run: handle(long, (ctx, { Word }) => answeredLong(ctx, Word ?? '')) },
        ],
      },
    },
  },
);
assert.equal((await on.admin.post('/api/setting/save', { Setting: 'AgentWrites', Value: 'true' })).status, 200);
const user = await on.user('agent user', 'Administrator');
const person = on.byKey(user.key);
const agent = await httpAgent({ after }, on.url, { 'X-ApiKey': user.key });

const write = (operation: string, parameters: object, more: object = {}): Promise<ToolAnswer> =>
  agent.use('run_write_operation', { operation, parameters, ...more });
const read = (operation: string, parameters: object): Promise<ToolAnswer> =>
  agent.use('run_read_operation', { operation, parameters });
const result = (answer: ToolAnswer): Record<string, unknown> => answer.data['Result'] as Record<string, unknown>;

async function isPerson(name: string): Promise<boolean> {
  return (await on.platform.store.query('select 1 from person where person = $1::text', [name])).length > 0;
}

/** Waits until the message with a label has ended and returns its status and error code. */
function ended(label: string): Promise<readonly [unknown, unknown]> {
  return eventually<readonly [unknown, unknown] | false>(`${label} has ended`, async () => {
    const found = await on.admin.get(`/api/queue/search?QueueLabel=${label}&Output=Json`);
    const [, state] = /"State":"(completed|dead)"/.exec(found.text) ?? [];
    return state !== undefined && ([state, /"ErrorCode":"(\w+)"/.exec(found.text)?.[1]] as const);
  });
}

async function saved(path: string, fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answered = await on.admin.post(`/api/${path}?Output=Json`, fields);
  assert.equal(answered.status, 200, answered.text);
  return answered.json();
}

test('KRN-17 KRN-02 an agent cannot create a user by queueing a change that saves one along with it: it is refused at once', async () => {
  const evil = { Person: 'evil2', Password: 'a wicked plan of others', Roles: 'Administrator', Status: 'Active' };
  const attempts: [string, object][] = [
    ['importform/queue/update', { ID: 1, AssignedPerson: evil }],
    ['importform/queue/insert', withPerson('evil2')],
    ['person/queue/save', evil],
  ];
  for (const [operation, parameters] of attempts)
    assert.equal(errorOf(await write(operation, parameters))['Code'], 'NO_PERMISSION', operation);
  assert.equal(await isPerson('evil2'), false);
  // A user with universal access whose role lacks the nested permission gets the refusal at once too.
  const staff = await on.user('staff without users', 'Staff');
  const caller = on.byKey(staff.key);
  assert.equal(
    (await caller.post('/api/importform/queue/insert', { ImportForm: 'Alone', Object: 'Person', ObjectID: 1 })).status,
    202,
  );
  assert.equal((await caller.post('/api/importform/queue/insert', withPerson('evil3'))).status, 403);
});

test('KRN-17 KRN-02 a call queued by an agent runs without the permissions that agents never have, and so do the calls that it queues', async () => {
  const call = { route: 'importform/insert', personId: user.personId, correlationId: 'c', cause: ['ImportFormInsert'] };
  await on.platform.queue.send(on.platform.store, [
    { ...call, parameters: withPerson('byagent'), messageId: crypto.randomUUID(), label: 'byagent', agent: true },
    { ...call, parameters: withPerson('byperson'), messageId: crypto.randomUUID(), label: 'byperson' },
  ]);
  assert.deepEqual(await ended('byagent'), ['dead', 'NO_PERMISSION']);
  assert.equal((await ended('byperson'))[0], 'completed');
  assert.deepEqual([await isPerson('byagent'), await isPerson('byperson')], [false, true]);

  for (const operation of ['relay/relay', 'relay/queue/relay']) {
    const name = operation.replaceAll('/', '');
    assert.equal((await write(operation, { Word: name })).isError, false);
    assert.deepEqual(await ended(name), ['dead', 'NO_PERMISSION'], operation);
    assert.equal(await isPerson(name), false);
  }
  assert.equal((await person.post('/api/relay/queue/relay', { Word: 'relayedbyperson' })).status, 202);
  assert.equal((await ended('relayedbyperson'))[0], 'completed');
  assert.equal(await isPerson('relayedbyperson'), true);
});

test("KRN-02 a recurring call of an agent remains an agent's call in its later runs", async () => {
  const messageId = crypto.randomUUID();
  await on.platform.queue.send(on.platform.store, [
    {
      route: 'contact/search',
      parameters: { LastName: 'Nobody' },
      personId: user.personId,
      correlationId: 'c',
      cause: ['ContactSearch'],
      messageId,
      label: 'recurring',
      scheduleName: 'Daily @ 3am',
      agent: true,
    },
  ]);
  const next = await eventually<Envelope | false>('the next run is queued', async () => {
    const [row] = await on.platform.store.query<{ data: Envelope }>(
      `select data from pgboss.job where data ->> 'scheduleId' = $1::text and data ->> 'messageId' <> $1::text`,
      [messageId],
    );
    return row?.data ?? false;
  });
  assert.equal(openCall(on.platform.cipher, next).agent, true);
});

test('KRN-17 an agent cannot change configuration or resend anything: every operation that writes in those modules is refused', async () => {
  const { registry } = on.platform;
  const closed = registry
    .operations()
    .filter(
      (operation) =>
        operation.effect === 'write' &&
        operation.access === 'permission' &&
        operation.body !== 'raw' &&
        isClosedToAgents(registry, operation.module),
    );
  const modules = new Set(closed.map(({ module }) => module));
  const expected =
    'apikey attachmenttemplate customfield decisiondelaytemplate importfiletemplate importformtemplate ' +
    'ledgertemplate ledgertemplateitem messagetemplate person queue role session setting statement transform ' +
    'webhook webhookdelivery';
  for (const module of expected.split(' ')) assert.ok(modules.has(module), module);
  for (const open of ['contact', 'loan', 'message', 'importform', 'attachment', 'ledger', 'relay'])
    assert.equal(isClosedToAgents(registry, open), false, open);
  for (const { route } of closed)
    if (!route.includes('{')) assert.equal(errorOf(await write(route, {}))['Code'], 'NO_PERMISSION', route);
  assert.equal((await read('messagetemplate/search', {})).isError, false, 'configuration is read');
  assert.equal((await write('contact/save', { LastName: 'Open' })).isError, false);
});

test('KRN-21 SSNs are masked in every text that an agent gets: history, a preview, results of queued calls, labels, warnings and errors', async () => {
  const contact = await saved('contact/save', { LastName: `Rivera ${NUMBER}`, FirstName: 'Ann' });
  const ID = Number(contact['ContactID']);
  await saved('contact/save', { ID, LastName: 'Rivera 900 12 3457' });
  const message = await saved('message/save', {
    Object: 'Contact',
    ObjectID: ID,
    Message: 'Note',
    BodyText: `Number:\n${NUMBER}`,
  });
  const queued = await person.post(`/api/message/queue/select/${Number(message['MessageID'])}?Output=Json`, {
    QueueLabel: 'clear',
  });
  await ended('clear');
  const history = await read('contact/history', { ID });
  const { HistoryItem } = result(history)['HistoryCollection'] as { HistoryItem: Record<string, unknown>[] };
  const changed = HistoryItem.find(
    (change) => change['Field'] === 'LastName' && String(change['OldValue'] ?? '').startsWith('Rivera'),
  );
  const answers: [string, ToolAnswer][] = [
    ['history', history],
    ['status', await read('queue/status', { ID: queued.json()['QueueMessageID'] })],
    ['find', await read('record/find', { Text: 'Rivera' })],
    ['label', await read('contact/search', { ID, SqlColumns: 'Contact,LastName' })],
    ['summary', await agent.use('read_record', { record: 'Contact', id: ID, form: 'summary' })],
    [
      'preview',
      await write('contact/rollback', { ID, Fields: 'LastName', Preview: true, CallID: changed?.['CallID'] }),
    ],
    ['error', await read('contact/search', { [NUMBER]: 'x' })],
  ];
  for (const [name, each] of answers) {
    const all = each.text + JSON.stringify(each.data);
    assert.doesNotMatch(all, /900[- ]?12[- ]?345\d/, name);
    assert.match(all, /XXX-XX-345\d/, `${name}: ${all.slice(0, 900)}`);
  }
});

test('KRN-21 KRN-24 a repeated answer is framed, masked and limited like the first one', async () => {
  const change = { operation: 'contact/save', parameters: { LastName: `Kept ${NUMBER}` }, idempotency_key: 'kept' };
  const [first, again, third] = [
    await agent.use('run_write_operation', change),
    await agent.use('run_write_operation', change),
    await agent.use('run_write_operation', change),
  ];
  const words = [first, again, third].map(
    ({ text }) => /--- data ([\w-]{12}) ---\n[\s\S]*\n--- end of data \1 ---/.exec(text)?.[1],
  );
  assert.equal(new Set(words).size, 3);
  assert.ok(!words.includes(undefined), again.text);
  assert.deepEqual(again.data['Result'], first.data['Result']);
  assert.deepEqual([first.data['Repeated'], typeof again.data['Repeated']], [undefined, 'string']);
  for (const answer of [first, again]) assert.doesNotMatch(answer.text + JSON.stringify(answer.data), /900-12-3456/);

  const large = { operation: 'relay/long', parameters: { Word: 'Longlasting' }, idempotency_key: 'long' };
  for (const answer of [await agent.use('run_write_operation', large), await agent.use('run_write_operation', large)]) {
    assert.equal(answer.isError, false, answer.text.slice(0, 300));
    assert.ok(answer.text.length < RESULT_BYTES_MAX);
    assert.match(answer.text, /--- end of data/);
  }
  const made = await on.platform.store.query('select 1 from contact where lastname = $1::text', ['Longlasting']);
  assert.equal(made.length, 1, 'too long an answer neither rolls back the change nor makes it twice');
});
