import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { enqueue, failing, marksOf, probe, until } from '../../support/worker/probe.ts';

const p = await testPlatform({ after }, { worker: true, fixture: probe });
const admin = client(p);
await p.user('chief', 'Administrator');
await p.user('clerk', 'Staff');
const PATH = '/administration/queues';
const HOSTILE = '<img src=x onerror=alert(1)> \u202e"quoted"';

async function deadLetter(word: string, failures = 1): Promise<string> {
  await failing(p, word, failures, 'STATE_REFUSES');
  const id = await enqueue(p.admin, `/api/probe/queue/mark?Word=${encodeURIComponent(word)}`);
  await until(p.admin, id, 'dead');
  return id;
}

async function causeOf(word: string): Promise<{ readonly row: Record<string, string>; readonly path: string }> {
  const rows = await admin.expectRows('queue/causes', {});
  const row = rows.find(({ ErrorMessage: text }) => text === `Failed on purpose for ${word}.`);
  assert.ok(row, word);
  const key = { Operation: String(row['Operation']), ErrorCode: String(row['ErrorCode']), Cause: String(row['Cause']) };
  return { row: key, path: `${PATH}/cause?${new URLSearchParams(key).toString()}` };
}

describe('the pages of queues', () => {
  it('WEB-06 dead letters are shown by cause, and each with its call, its parameters and its attempts', async () => {
    const session = await testSession(p, 'chief');
    const id = await deadLetter(HOSTILE);
    const list = await session.get(PATH);
    assert.equal(list.status, 200);
    assert.match(list.text, /&lt;img src=x onerror/);
    assert.doesNotMatch(list.text, /<img src=x/);
    const { path } = await causeOf(HOSTILE);
    const cause = await session.get(path);
    assert.match(cause.text, /What failed/);
    assert.doesNotMatch(cause.text, /<img src=x/);
    assert.match(cause.text, new RegExp(`${PATH}/messages/${id}`));
    const message = await session.get(`${PATH}/messages/${id}`);
    assert.match(message.text, /Dead letter/);
    assert.match(message.text, /STATE_REFUSES/);
    assert.match(message.text, /<code>Word<\/code>/);
    assert.doesNotMatch(message.text, /<img src=x/);
    assert.equal((await session.get(`${PATH}/messages/${crypto.randomUUID()}`)).status, 404);
    assert.equal((await session.get(`${PATH}/messages/nothing`)).status, 404);
  });

  it('WEB-06 all of a cause are retried in the background, with a page that shows the result', async () => {
    const session = await testSession(p, 'chief');
    await deadLetter('page retry');
    const { row } = await causeOf('page retry');
    const started = await session.post(PATH, { ...row, Action: 'retryall' });
    assert.equal(started.status, 303, started.text);
    assert.match(started.location ?? '', /\/administration\/queues\/retries\/\d+$/);
    await eventually('the retry is over', async () =>
      (await session.get(started.location ?? '')).text.includes('Finished'),
    );
    assert.match((await session.get(started.location ?? '')).text, /1 of 1 done/);
    assert.equal(await marksOf(p, 'page retry'), 1);
  });

  it('WEB-06 a discard needs a reason, is undone by its toast, and the call then runs', async () => {
    const session = await testSession(p, 'chief');
    const id = await deadLetter('page discard');
    const refused = await session.post(PATH, { Action: 'discard', ID: id, Reason: ' ' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Reason is required/);
    const done = await session.post(PATH, { Action: 'discard', ID: id, Reason: 'sent by hand' });
    const page = await session.get(done.location ?? '');
    const discardId = /name="DiscardID" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    assert.match((await session.get(`${PATH}/messages/${id}`)).text, /sent by hand/);
    await session.post(PATH, { Action: 'restore', DiscardID: discardId });
    const retried = await session.post(PATH, { Action: 'requeue', ID: id });
    assert.equal(retried.location, `${PATH}/messages/${id}?done=requeue`);
    await until(p.admin, id, 'completed');
    assert.equal(await marksOf(p, 'page discard'), 1);
  });

  it('WEB-06 a stopped queue says who stopped it and why, on the page of queues and in the security log', async () => {
    const session = await testSession(p, 'chief');
    await session.post(PATH, { Action: 'stop', QueueName: 'Mail', Reason: 'The gateway is down.' });
    const page = await session.get(PATH);
    assert.match(page.text, /Mail is stopped\./);
    assert.match(page.text, /by <bdi>chief<\/bdi>: <bdi>The gateway is down\.<\/bdi>/);
    const [entry] = await admin.expectRows('securitylog/search', { SecurityLog: 'QueueStopped' });
    assert.equal(entry?.['Detail'], 'Mail: The gateway is down.');
    await session.post(PATH, { Action: 'start', QueueName: 'Mail' });
    assert.doesNotMatch((await session.get(PATH)).text, /Mail is stopped/);
  });

  it('WEB-06 the calls of one operation are paused from the page of a call, with a reason, and resumed', async () => {
    const session = await testSession(p, 'chief');
    const id = await deadLetter('page pause');
    assert.match((await session.get(`${PATH}/messages/${id}`)).text, /Pause all like this/);
    const calls = { QueueName: 'Default', Operation: 'probe/mark' };
    const paused = await session.post(PATH, { ...calls, Action: 'stop', Reason: HOSTILE });
    assert.equal(paused.location, `${PATH}?done=pause`);
    await session.post(PATH, { Action: 'requeue', ID: id });
    await until(p.admin, id, 'paused');
    const page = await session.get(`${PATH}?State=paused`);
    assert.match(page.text, /Calls of <code>probe\/mark<\/code> in Default are paused\./);
    assert.match(page.text, /1 waiting/);
    assert.match(page.text, new RegExp(`messages/${id}`));
    assert.doesNotMatch(page.text, /<img src=x/);
    await session.post(PATH, { ...calls, Action: 'start' });
    await until(p.admin, id, 'completed');
    assert.doesNotMatch((await session.get(PATH)).text, /are paused/);
  });

  it('WEB-06 whoever may not see queues is refused on every page, and nothing is changed', async () => {
    const session = await testSession(p, 'clerk');
    const id = await deadLetter('page refused');
    const { row, path } = await causeOf('page refused');
    for (const address of [PATH, path]) assert.equal((await session.get(address)).status, 403, address);
    assert.equal((await session.get(`${PATH}/retries/1`)).status, 403);
    assert.notEqual((await session.get(`${PATH}/messages/${id}`)).status, 200);
    assert.equal((await session.post(PATH, { ...row, Action: 'retryall' })).status, 403);
    assert.equal(await marksOf(p, 'page refused'), 0);
  });
});
