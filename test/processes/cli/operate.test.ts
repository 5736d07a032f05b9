import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { atEnd } from '../../support/at-end.ts';
import { table } from '../../../src/surfaces/cli/terminal.ts';
import { enqueue, failing, marksOf, probe, until } from '../../support/worker/probe.ts';
import { testPlatform } from '../../support/platform.ts';
import { command } from '../../support/cli/command.ts';

const on = await testPlatform({ after }, { fixture: probe });
const { key } = await on.user('operator', 'Administrator');
const staff = await on.user('no operator', 'Staff');
const env = { CASEWRIGHT_URL: on.url, CASEWRIGHT_API_KEY: key };

async function output(...args: string[]): Promise<string> {
  const ended = await command(args, { env });
  assert.equal(ended.code, 0, ended.error);
  return ended.out;
}

test("operations lists the operations, with a module's parameters; describe prints one", async () => {
  const all = await output('operations');
  for (const { route, permissionName } of on.platform.registry.operations().slice(0, 40))
    assert.ok(all.includes(`\n${route} `), `${route} (${permissionName})`);
  const module = await output('operations', 'Queue');
  assert.match(module, /^queue\/throttle {2}QueueName MessagesPerMinute \[Reason\]$/m);
  assert.match(module, /^queue\/cancel {2}ID$/m);
  assert.doesNotMatch(module, /^contact\//m);
  const one = await output('describe', 'contact/SEARCH');
  assert.match(one, /^contact\/search\n/);
  assert.match(one, /Needs the permission ContactSearch\. Changes nothing\./);
  assert.match(one, /^OrderBy +list of string +Columns to sort by/m);
  assert.match(one, /Filters on any of: .*LastName/);
  assert.match(await output('describe', 'contact/save'), /any of: .*LastName/);
  assert.match(
    await output('describe', 'queue/throttle'),
    /^QueueName \(required\) +string +The name of the queue\.$/m,
  );
  for (const [args, words] of [
    [['operations', 'contcat'], /Did you mean contact/],
    [['describe', 'contact/serach'], /Did you mean contact\/search/],
  ] as const) {
    const ended = await command(args, { env });
    assert.equal(ended.code, 1);
    assert.match(ended.error, words);
  }
});

test('status reports health to anybody, version and queues to signed-in users, and can wait for a start', async () => {
  const anybody = await command(['status'], { env: { CASEWRIGHT_URL: on.url } });
  assert.equal(anybody.code, 0);
  assert.match(anybody.out, /: healthy\n/);
  assert.doesNotMatch(anybody.out, /QUEUE/);
  const statusText = await output('status');
  assert.match(statusText, /server \d+\.\d+\.\d+, command line 9\.8\.7/);
  assert.match(statusText, /^Default +running/m);
  assert.equal((await command(['status'], { env: { CASEWRIGHT_URL: 'http://127.0.0.1:1' } })).code, 3);
  assert.equal((await command(['status', '--wait', 'long'], { env })).code, 2);
  const late = command(['status', '--wait', '30'], { env });
  assert.equal((await late).code, 0);
});

test('queues can be listed and controlled; dead letters are listed and queued again', async (t) => {
  assert.match(await output('queue', 'stop', 'mail', 'Report'), /^Mail +stopped.*\nReport +stopped/m);
  assert.match(
    await output('status'),
    /^Queues +warning .* Not running: Mail; Report\./m,
    'WEB-06 status lists findings',
  );
  assert.match(await output('queue', 'throttle', 'Mail', '120'), /^Mail +stopped .* 120$/m);
  const list = await output('queue', 'list');
  assert.match(list, /^QUEUE +STATE/);
  assert.match(list, /^Default +running.* any$/m);
  assert.match(await output('queue', 'start', 'Mail'), /^Mail +running/m);
  await failing(on, 'steered', 1, 'RULE_EXCEPTION');
  const id = await enqueue(on.admin, '/api/probe/queue/mark?Word=steered');
  const worker = startWorker(on.platform, on.platform.queue);
  atEnd(t, () => worker.stop());
  await until(on.admin, id, 'dead');
  const dead = await output('queue', 'dead', '--queue', 'Default', '--error', 'RULE_EXCEPTION');
  assert.match(
    dead,
    new RegExp(`^${id} +Default +probe/mark +1 .*RULE_EXCEPTION +Failed on purpose for steered\\.$`, 'm'),
  );
  assert.doesNotMatch(await output('queue', 'dead', '--error', 'OTHER'), new RegExp(id));
  assert.equal(await output('queue', 'requeue', id), '1 queued again\n');
  await until(on.admin, id, 'completed');
  assert.equal(await marksOf(on, 'steered'), 1);
});

test('the command line cannot bypass permissions, and says what it does not know', async () => {
  for (const args of [
    ['queue', 'list'],
    ['queue', 'stop', 'Mail'],
    ['queue', 'throttle', 'Mail', '1'],
  ]) {
    const ended = await command(args, { env: { ...env, CASEWRIGHT_API_KEY: staff.key } });
    assert.equal(ended.code, 1, args.join(' '));
    assert.match(ended.error, /NO_PERMISSION/);
  }
  for (const [args, words] of [
    [['queue'], /expected one of list, dead, requeue, stop, start, throttle/],
    [['queue', 'stpo', 'Mail'], /Did you mean queue stop\?/],
    [['queue', 'stop'], /expected the names of one or more queues/],
    [['queue', 'throttle', 'Mail'], /a number of messages per minute/],
    [['queue', 'throttle', 'Mail', '-5'], /./],
    [['queue', 'requeue'], /expected message IDs/],
    [['help', 'qeue'], /Did you mean queue\?/],
    [['constructor'], /unknown command constructor/],
    [['queue', 'constructor'], /unknown command queue constructor/],
  ] as const) {
    const ended = await command(args, { env });
    assert.equal(ended.code, 2, args.join(' '));
    assert.match(ended.error, words);
  }
});

test('a table removes terminal control sequences from values', () => {
  const text = table(
    ['ONE', 'TWO'],
    [
      ['a\u001b[2J\u0007b', 'c\nd'],
      ['\u009b31m', undefined],
    ],
  );
  assert.equal(text, 'ONE      TWO\na [2J b  c d\n31m\n');
});
