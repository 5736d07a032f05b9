import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';

const clock = fixedClock('2026-03-01T12:00:00Z');
const p = await testPlatform({ after }, { fixture, clock });
const HOUR = 3_600_000;
const fields = { N: f.integer({ doc: 'n' }) };

const post = (path: string, body: object, key: string, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post(path, body, { 'Idempotency-Key': key });
const save = (key: string, LastName: string, caller?: Caller): Promise<TestAnswer> =>
  post('/api/contact/save?Output=Json', { LastName }, key, caller);
const codeOf = (answer: TestAnswer): unknown => (answer.json() as never as { Error?: { Code: string } }).Error?.Code;
const saved = async (name: string): Promise<number> =>
  (await p.platform.store.query('select 1 from contact where lastname = $1', [name])).length;
const counted = async (ctx: Context, name: string): Promise<number> =>
  (
    await ctx.db.query<{ n: number }>(
      'insert into tally values ($1, 1) on conflict (name) do update set n = tally.n + 1 returning n',
      [name],
    )
  )[0]?.n ?? 0;
const tally = async (name: string): Promise<number> =>
  (await p.platform.store.query<{ n: number }>('select n from tally where name = $1', [name]))[0]?.n ?? 0;

describe('Idempotency-Key', () => {
  it('repeats the first answer with its status and warnings, and does nothing again', async () => {
    work.set('alerting', async (ctx) => {
      ctx.alert({ code: 'NOTE', text: 'told' });
      return item('Count', fields, { N: await counted(ctx, 'alerting') });
    });
    const first = await post('/api/probe/run?Output=Json', { Work: 'alerting' }, 'alerts');
    const second = await post('/api/probe/run?Output=Json', { Work: 'alerting' }, 'alerts');
    assert.equal(first.headers.get('idempotency-replayed'), null);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(
      [second.status, second.text, second.headers.get('x-alerts'), second.headers.get('content-type')],
      [first.status, first.text, '1', first.headers.get('content-type')],
    );
    assert.equal(await tally('alerting'), 1);
  });

  it('the same key with a different request is refused, and a key belongs to its user alone', async () => {
    await save('mismatch', 'Once');
    for (const other of [
      await save('mismatch', 'Other'),
      await post('/api/contact/insert?Output=Json', { LastName: 'Once' }, 'mismatch'),
      await post('/api/contact/save?Output=Xml', { LastName: 'Once' }, 'mismatch'),
    ])
      assert.equal(other.status, 409, other.text);
    assert.equal(codeOf(await save('mismatch', 'Other')), 'IDEMPOTENCY_MISMATCH');
    assert.deepEqual([await saved('Once'), await saved('Other')], [1, 0]);
    const { caller } = await p.user('somebody else', 'Administrator');
    assert.equal((await save('mismatch', 'Other', caller)).status, 200);
  });

  it('KRN-24 a raw body is part of the request: another document of the same length is refused, the same one is answered again', async () => {
    const upload = (content: string | Uint8Array, key: string): Promise<TestAnswer> =>
      p.admin.send('POST', '/api/attachment/uploadchunk?Output=Json', content, {
        'Content-Type': 'application/octet-stream',
        'X-File-Name': 'keyed.txt',
        'X-File-Size': String(content.length),
        'Idempotency-Key': key,
      });
    const first = await upload('AAAA', 'chunk');
    assert.equal(first.status, 200, first.text);
    const other = await upload('BBBB', 'chunk');
    assert.deepEqual([other.status, codeOf(other)], [409, 'IDEMPOTENCY_MISMATCH']);
    const again = await upload('AAAA', 'chunk');
    assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [first.text, 'true']);
    const large = Buffer.alloc(400_000, 'x');
    const stored = await upload(large, 'large');
    assert.equal(stored.status, 200, stored.text);
    large[large.length - 1] = 0;
    assert.equal(codeOf(await upload(large, 'large')), 'IDEMPOTENCY_MISMATCH', 'the last byte counts');
    const documents = await p.platform.store.query("select 1 from attachment where filename = 'keyed.txt'");
    assert.equal(documents.length, 2);
  });

  it('of many concurrent calls with one key, one does the work and all get its answer', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => save('crowd', 'Crowd')));
    assert.deepEqual(new Set(answers.map((a) => a.text)).size, 1);
    assert.deepEqual(answers.filter((a) => a.headers.get('idempotency-replayed') === 'true').length, 7);
    assert.equal(await saved('Crowd'), 1);
  });

  it('a failed call stores nothing: the key can be used again', async () => {
    let fails = true;
    work.set('flaky', async (ctx) => {
      const N = await counted(ctx, 'flaky');
      if (fails) throw new PlatformError('UNAVAILABLE');
      return item('Count', fields, { N });
    });
    for (const path of ['run', 'runown']) {
      fails = true;
      assert.equal((await post(`/api/probe/${path}?Output=Json`, { Work: 'flaky' }, `flaky ${path}`)).status, 503);
      fails = false;
      const again = await post(`/api/probe/${path}?Output=Json`, { Work: 'flaky' }, `flaky ${path}`);
      assert.equal(again.status, 200, again.text);
      assert.equal((await post(`/api/probe/${path}?Output=Json`, { Work: 'flaky' }, `flaky ${path}`)).text, again.text);
    }
    assert.equal(
      codeOf(await post('/api/contact/save?Output=Json', { ID: 99_999_999, LastName: 'x' }, 'not found')),
      'NOT_FOUND',
    );
  });

  it('while an operation that commits item by item is still running, its key is refused as in progress', async () => {
    let go: () => void = () => undefined;
    let started = false;
    const gate = new Promise<void>((resolve) => (go = resolve));
    work.set('long', async (ctx) => {
      started = true;
      await gate;
      return item('Count', fields, { N: await ctx.inTransaction((own) => counted(own, 'long')) });
    });
    const first = post('/api/probe/runown?Output=Json', { Work: 'long' }, 'long');
    await eventually('the first call runs', () => started);
    const second = await post('/api/probe/runown?Output=Json', { Work: 'long' }, 'long');
    assert.deepEqual([second.status, codeOf(second)], [409, 'CONCURRENT_CHANGE']);
    go();
    assert.equal((await first).status, 200);
    assert.equal((await post('/api/probe/runown?Output=Json', { Work: 'long' }, 'long')).text, (await first).text);
    assert.equal(await tally('long'), 1);
  });

  it("is kept for 24 hours by the platform's clock", async () => {
    const first = await save('day', 'Day');
    clock.advance(24 * HOUR - 1);
    assert.equal((await save('day', 'Day')).text, first.text);
    clock.advance(1);
    const later = await save('day', 'Day');
    assert.notEqual(later.text, first.text);
    assert.equal(later.headers.get('idempotency-replayed'), null);
    assert.equal(await saved('Day'), 2);
    clock.advance(HOUR);
    assert.equal((await save('day', 'Day')).text, later.text, 'from then on the second answer is repeated');
  });

  it('also covers queued calls: one message', async () => {
    const queue = (): Promise<TestAnswer> =>
      post('/api/contact/queue/save?Output=Json', { LastName: 'Queued', QueueLabel: 'once' }, 'queue');
    const answers = await Promise.all([queue(), queue(), queue()]);
    assert.deepEqual(
      answers.map((a) => a.status),
      [202, 202, 202],
    );
    assert.equal(new Set(answers.map((a) => a.text)).size, 1);
    assert.equal((await p.platform.store.query("select 1 from pgboss.job where data ->> 'label' = 'once'")).length, 1);
    const read = (): Promise<TestAnswer> =>
      post('/api/contact/queue/search?Output=Json', { QueueLabel: 'reads' }, 'queued read');
    assert.equal((await read()).text, (await read()).text);
  });

  it("works for a partner's user under row security", async () => {
    await p.admin.post('/api/role/save', { Role: 'Keeper', Permissions: 'Contact*' });
    const { caller, organizationId } = await p.firm('Key Firm', 'Keeper');
    const call = (): Promise<TestAnswer> =>
      post(
        '/api/contact/save?Output=Json',
        { LastName: 'Reached', Object: 'Organization', ObjectID: organizationId },
        'firm',
        caller,
      );
    const first = await call();
    assert.equal(first.status, 200, first.text);
    assert.equal((await call()).text, first.text);
    assert.equal(await saved('Reached'), 1);
  });

  it('is read on POST only, has 1 to 200 characters, and the stored answer is sealed', async () => {
    assert.equal(
      (await p.admin.get('/api/contact/save?Output=Json&LastName=Get', { 'Idempotency-Key': 'get' })).status,
      200,
    );
    assert.equal(
      (await p.admin.get('/api/contact/save?Output=Json&LastName=Get', { 'Idempotency-Key': 'get' })).status,
      200,
    );
    assert.equal(await saved('Get'), 2);
    const long = await post('/api/contact/save?Output=Json', { LastName: 'Long' }, 'k'.repeat(201));
    assert.equal(long.status, 400);
    assert.equal(await saved('Long'), 0);
    await save('sealed', 'Verysecretname');
    const rows = await p.platform.store.query<{ text: string }>(
      "select encode(answer, 'escape') || encode(key, 'escape') as text from idempotency where answer is not null",
    );
    assert.ok(rows.length > 0 && rows.every((r) => !r.text.includes('Verysecretname') && !r.text.includes('sealed')));
  });
});
