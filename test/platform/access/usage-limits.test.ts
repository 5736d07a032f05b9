import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const SEARCH = '/api/contact/search?Output=Json';
const MEGABYTE = 1_000_000;
const MINUTE = 60_000;
const DAY = 86_400_000;

const clock = fixedClock('2026-03-02T10:00:10.000Z');
const p = await testPlatform({ after }, { clock });
const other = await secondPlatform({ after }, p);
const { store } = p.platform;
// A limit of its own, so that the tests can change the settings whatever they are.
await store.query('update apikey set ratelimitperminute = 1000000');
clock.advance(1_000);

/** Changes a setting, everywhere. */
async function set(setting: string, value: number): Promise<void> {
  const [known] = await store.query<{ id: number }>('select settingid as id from setting where setting = $1::text', [
    setting,
  ]);
  const form = known ? `ID=${known.id}&Value=${value}` : `Setting=${setting}&Value=${value}`;
  const answer = await p.admin.post('/api/setting/save', form);
  assert.equal(answer.status, 200, answer.text);
  clock.advance(1_000);
}

/** Waits for 15 seconds past the next minute, or the next day. */
function advanceTo(window: number): void {
  clock.advance(window - (clock.milliseconds() % window) + 15_000);
}

const eventsOf = async (personId: number): Promise<readonly string[]> =>
  (
    await store.query<{ event: string }>(
      `select securitylog || ': ' || detail as event
       from securitylog
       where personid = $1::bigint and securitylog in ('UsageLimited', 'KeyLimited')
       order by securitylogid`,
      [personId],
    )
  ).map(({ event }) => event);

async function statuses(count: number, call: () => Promise<{ readonly status: number }>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let n = 0; n < count; n++) found.push((await call()).status);
  return found;
}

describe('calls a minute', () => {
  test('KRN-15 are limited for a user whatever way they sign in, on all nodes together, and others are not', async () => {
    const { personId, key, caller } = await p.user('busy', 'Staff');
    const calm = await p.user('calm', 'Staff');
    const byPassword = p.byPassword('busy', 'password of busy');
    const session = await testSession(p, 'busy');
    const agent = (): Promise<TestAnswer> =>
      caller.post('/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }), {
        'Content-Type': 'application/json',
      });
    await set('CallsPerMinuteMax', 5);
    advanceTo(MINUTE);
    const found = [
      (await caller.get(SEARCH)).status,
      (await byPassword.get(SEARCH)).status,
      (await session.get('/')).status,
      (await fetch(other.url + SEARCH, { headers: { 'X-ApiKey': key } })).status,
      (await agent()).status,
      (await agent()).status,
      (await byPassword.get(SEARCH)).status,
      (await session.get('/')).status,
    ];
    assert.deepEqual(found, [200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = await caller.get(SEARCH);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '45']);
    assert.match(refused.text, /limited to 5 calls a minute \(setting CallsPerMinuteMax\)\. Try again in 45 seconds\./);
    assert.equal((await session.get('/')).headers.get('retry-after'), '45');
    assert.equal((await calm.caller.get(SEARCH)).status, 200);
    assert.deepEqual(await eventsOf(personId), ['UsageLimited: 5 calls a minute']);
    clock.advance(45_000);
    assert.equal((await caller.get(SEARCH)).status, 200);
  });

  test('KRN-15 have a limit of their own for a key that has one, and none where the setting is 0', async () => {
    const { personId, caller } = await p.user('integration', 'Staff');
    const made = await p.admin.post('/api/apikey/create?Output=Json', { PersonID: personId, RateLimitPerMinute: 4 });
    const limited = p.byKey(String(made.json()['ApiKey']));
    await set('CallsPerMinuteMax', 2);
    advanceTo(MINUTE);
    assert.deepEqual(await statuses(5, () => limited.get(SEARCH)), [200, 200, 200, 200, 429]);
    assert.deepEqual(await statuses(3, () => caller.get(SEARCH)), [200, 200, 429]);
    await set('CallsPerMinuteMax', 0);
    assert.deepEqual(await statuses(3, () => caller.get(SEARCH)), [200, 200, 200]);
    assert.deepEqual(await eventsOf(personId), ['KeyLimited: 4 calls a minute', 'UsageLimited: 2 calls a minute']);
  });

  test('KRN-15 are limited by address for callers who have not signed in', async () => {
    await set('CallsPerMinuteMax', 3);
    advanceTo(MINUTE);
    const call = (): Promise<TestAnswer> => p.anonymous.post('/api/organization/confirm', 'Token=x');
    assert.deepEqual((await statuses(5, call)).slice(2), [404, 429, 429]);
    await set('CallsPerMinuteMax', 12_000);
  });

  test('KRN-15 cost no statement for most calls, and are exact to a twentieth for each node', async () => {
    const { key, caller } = await p.user('loader', 'Staff');
    await set('CallsPerMinuteMax', 100);
    advanceTo(MINUTE);
    const counted = async (): Promise<number | undefined> =>
      (
        await store.query<{ n: number }>(
          `select coalesce(sum(used), 0)::integer as n
           from usagecount
           where ends > $1::timestamptz and ends <= $1::timestamptz + interval '1 minute'`,
          [clock.now()],
        )
      )[0]?.n;
    await statuses(5, () => caller.get(SEARCH));
    assert.equal(await counted(), 0, 'the first twentieth is not counted in the database');
    const there = (): Promise<Response> => fetch(other.url + SEARCH, { headers: { 'X-ApiKey': key } });
    const found = [...(await statuses(90, () => caller.get(SEARCH))), ...(await statuses(20, there))];
    const admitted = found.filter((status) => status === 200).length + 5;
    assert.ok(admitted >= 95 && admitted <= 105, String(admitted));
    await set('CallsPerMinuteMax', 12_000);
    assert.equal((await caller.get(SEARCH)).status, 200, 'a raised limit holds at once');
  });
});

/** A request whose body is sent bit by bit. */
interface Upload {
  readonly sending: ClientRequest;
  readonly answered: Promise<{
    readonly status: number;
    readonly retryAfter: string | undefined;
    readonly text: string;
  }>;
}

const sockets = new Set<Socket>();
p.server.server.on('connection', (socket: Socket) => sockets.add(socket));

/** Begins to send a body of some megabytes, all but its last byte, and waits until the server has read that. */
async function upload(key: string, path: string, headers: Record<string, string>, bytes: Buffer): Promise<Upload> {
  const sending = request(p.url + path, {
    method: 'POST',
    headers: { 'X-ApiKey': key, 'Content-Length': String(bytes.length), ...headers },
  });
  const answered = (async () => {
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of answer) text += String(piece);
    return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], text };
  })();
  sending.on('error', () => undefined);
  answered.catch(() => undefined);
  sending.write(bytes.subarray(0, -1));
  const [socket] = sending.socket ? [sending.socket] : ((await once(sending, 'socket')) as [Socket]);
  if (socket.connecting) await once(socket, 'connect');
  await eventually('the body is read', () =>
    [...sockets].some(({ remotePort, bytesRead }) => remotePort === socket.localPort && bytesRead >= bytes.length),
  );
  return { sending, answered };
}

describe('bodies', () => {
  const large = Buffer.from(`{"LastName":"x"${' '.repeat(1.5 * MEGABYTE)}}`);
  const json = { 'Content-Type': 'application/json' };

  test('KRN-24 larger than a megabyte are limited for a user at once, compressed or not, and small ones are not', async () => {
    const { personId, key, caller } = await p.user('sender', 'Staff');
    const calm = await p.user('other sender', 'Staff');
    await set('LargeBodiesMax', 2);
    const open = [await upload(key, SEARCH, json, large), await upload(key, SEARCH, json, large)];
    const third = async (): Promise<TestAnswer> => caller.post(SEARCH, large, json);
    const refused = await third();
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.match(refused.text, /limited to 2 calls at once with bodies of more than 1 MB \(setting LargeBodiesMax\)/);
    const packed = await caller.post(SEARCH, gzipSync(large), { ...json, 'Content-Encoding': 'gzip' });
    assert.equal(packed.status, 429, packed.text);
    assert.equal((await caller.post(SEARCH, Buffer.from('{"LastName":"x"}'), json)).status, 200);
    assert.equal((await calm.caller.post(SEARCH, large, json)).status, 200, 'others are not refused');
    for (const { sending } of open) sending.end(large.subarray(-1));
    for (const { answered } of open) assert.equal((await answered).status, 200);
    assert.equal((await third()).status, 200, 'an answered one frees its place');
    const cut = await upload(key, SEARCH, json, large);
    const another = await upload(key, SEARCH, json, large);
    assert.equal((await third()).status, 429);
    cut.sending.destroy();
    await eventually('one that is cut off frees its place', async () => (await third()).status === 200);
    another.sending.end(large.subarray(-1));
    assert.equal((await another.answered).status, 200);
    assert.deepEqual([...new Set(await eventsOf(personId))], ['UsageLimited: 2 large bodies at once']);
    await set('LargeBodiesMax', 8);
  });

  test('KRN-24 that are parameters of one user are held in memory up to 64 MB, however many there may be', async () => {
    const { personId, key, caller } = await p.user('searcher', 'Staff');
    const huge = Buffer.from(`{"LastName":"x"${' '.repeat(31 * MEGABYTE)}}`);
    const open = [await upload(key, SEARCH, json, huge), await upload(key, SEARCH, json, huge)];
    const refused = await caller.post(SEARCH, huge, json);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
    assert.match(refused.text, /limited to 64 MB of parameters at once/);
    assert.equal((await caller.post(SEARCH, large, json)).status, 200, 'a smaller one has room');
    for (const { sending } of open) sending.end(huge.subarray(-1));
    for (const { answered } of open) assert.equal((await answered).status, 200);
    assert.deepEqual(await eventsOf(personId), ['UsageLimited: 64 MB of parameters at once']);
  });

  test('KRN-24 are limited for a user by their bytes of a day, whatever takes them', async () => {
    const { personId, caller } = await p.user('flooding', 'Administrator');
    const calm = await p.user('not flooding', 'Staff');
    await set('MegabytesPerDayMax', 4);
    advanceTo(DAY);
    const chunk = (): Promise<TestAnswer> =>
      caller.post('/api/attachment/uploadchunk?Output=Json', new Uint8Array(0.5 * MEGABYTE), {
        'Content-Type': 'application/octet-stream',
        'X-File-Name': 'a.bin',
        'X-File-Size': '99000000',
      });
    const json = { 'Content-Type': 'application/json' };
    for (let n = 0; n < 3; n++) assert.equal((await chunk()).status, 200);
    assert.equal((await caller.post(SEARCH, large, json)).status, 200);
    assert.equal((await chunk()).status, 200);
    const refused = await chunk();
    assert.equal(refused.status, 429, refused.text);
    assert.match(
      refused.text,
      /limited to 4 MB of data per UTC day \(setting MegabytesPerDayMax\)\. Try again in 24 hours\./,
    );
    assert.equal(Number(refused.headers.get('retry-after')), Math.ceil((DAY - (clock.milliseconds() % DAY)) / 1000));
    assert.equal((await caller.post(SEARCH, large, json)).status, 429);
    assert.equal((await caller.get(SEARCH)).status, 200, 'calls without a body go on');
    assert.equal((await calm.caller.post(SEARCH, large, json)).status, 200);
    assert.deepEqual(await eventsOf(personId), ['UsageLimited: 4 MB a day']);
    advanceTo(DAY);
    assert.equal((await caller.post(SEARCH, large, json)).status, 200);
    await set('MegabytesPerDayMax', 20_000);
  });
});
