import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { after, describe, test } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { networkList } from '../../../src/kernel/security/networks.ts';
import { hashPassword } from '../../../src/kernel/security/password.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type TestPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const clock = fixedClock('2026-03-02T10:00:10.000Z');
const p = await testPlatform({ after }, { clock });
const other = await secondPlatform({ after }, p);
const { store } = p.platform;

/** Every change of access takes effect on all nodes within this time. */
const SECOND = 1_000;

async function keyFor(personId: number, limits: Record<string, unknown> = {}): Promise<{ id: number; key: string }> {
  const made = await p.admin.post('/api/apikey/create?Output=Json', { PersonID: personId, ...limits });
  assert.equal(made.status, 200, made.text);
  return { id: Number(made.json()['ApiKeyID']), key: String(made.json()['ApiKey']) };
}

/** Makes a call to the other node. */
async function there(headers: Record<string, string>, path = '/api/contact/search'): Promise<number> {
  const response = await fetch(other.url + path, { headers, redirect: 'manual' });
  await response.arrayBuffer();
  return response.status;
}

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** Sends exactly these headers: fetch would always add a User-Agent. */
function bare(
  headers: Record<string, string>,
  method = 'GET',
  path = '/api/contact/search',
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(p.url + path, { method, headers }, (response) => {
      let text = '';
      response
        .on('data', (part: Buffer) => (text += String(part)))
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject).end();
  });
}

describe('API keys', () => {
  test("KRN-15 a key calls as its user; a wrong key, a prefix of one, and a key's hash get 401", async () => {
    const { personId, key } = await p.user('keyed', 'Staff');
    const hash = createHash('sha256').update(key).digest('hex');
    assert.equal((await p.byKey(key).get('/api/contact/search')).status, 200);
    const [history] = await store.query<{ createdpersonid: number }>(
      `select createdpersonid from contact where contactid = $1::bigint`,
      [Number((await p.byKey(key).post('/api/contact/save?Output=Json', 'LastName=x')).json()['ContactID'])],
    );
    assert.equal(history?.createdpersonid, personId);
    for (const wrong of [`${key}x`, key.slice(0, -1), key.slice(0, 12), hash, 'x', key.toUpperCase()])
      assert.equal((await p.byKey(wrong).get('/api/contact/search')).status, 401, wrong);
  });

  test('KRN-15 only the hash of a key is stored; the key itself is returned once and never again', async () => {
    const { personId } = await p.user('once', 'Staff');
    const { id, key } = await keyFor(personId);
    const [row] = await store.query<{ keyhash: string }>('select keyhash from apikey where apikeyid = $1::bigint', [
      id,
    ]);
    assert.equal(row?.keyhash, createHash('sha256').update(key).digest('hex'));
    assert.deepEqual(await tablesWith(key), []);
    assert.deepEqual(await tablesWith(key.slice(12)), []);
    for (const path of [
      `/api/apikey/${id}`,
      '/api/apikey/search?DisplaySize=1000',
      `/api/apikey/summary?ID=${id}`,
      `/api/apikey/history?ID=${id}`,
      `/api/person/summary?ID=${personId}`,
      `/api/apikey/search?SqlColumns=KeyStart`,
    ]) {
      const answer = await p.admin.get(path);
      assert.equal(answer.status, 200, `${path}: ${answer.text}`);
      assert.ok(!answer.text.includes(key) && !answer.text.includes(row?.keyhash ?? 'undefined'), path);
    }
    for (const path of [
      '/api/apikey/search?KeyHash=x',
      '/api/apikey/search?SqlColumns=KeyHash',
      '/api/apikey/search?OrderBy=KeyHash',
    ])
      assert.equal((await p.admin.get(path)).status, 400, path);
  });

  test('KRN-15 a revoked key is refused at once on this node and within a second on every other', async () => {
    const { personId } = await p.user('revoked', 'Staff');
    const { id, key } = await keyFor(personId);
    assert.equal(await there({ 'X-ApiKey': key }), 200);
    assert.equal((await p.admin.post('/api/apikey/revoke', `ID=${id}`)).status, 200);
    clock.advance(SECOND);
    assert.equal(await there({ 'X-ApiKey': key }), 401);
    assert.equal((await p.byKey(key).get('/api/contact/search')).status, 401);
    await p.admin.post('/api/apikey/save', `ID=${id}&Status=Active&RevokedDate=&Expires=2099-01-01`);
    clock.advance(SECOND);
    assert.equal(await there({ 'X-ApiKey': key }), 401);
  });

  test('KRN-15 a deleted key is refused on every node within a second', async () => {
    const { personId } = await p.user('deleted key', 'Staff');
    const { id, key } = await keyFor(personId);
    assert.equal(await there({ 'X-ApiKey': key }), 200);
    assert.equal((await p.admin.post('/api/apikey/delete', `ID=${id}`)).status, 200);
    clock.advance(SECOND);
    assert.equal(await there({ 'X-ApiKey': key }), 401);
  });

  test('KRN-15 a key stops working at the instant when it expires', async () => {
    const { personId } = await p.user('expiring', 'Staff');
    const { key } = await keyFor(personId, { Expires: new Date(clock.milliseconds() + 60_000).toISOString() });
    clock.advance(59_999);
    assert.equal((await p.byKey(key).get('/api/contact/search')).status, 200);
    clock.advance(1);
    assert.equal((await p.byKey(key).get('/api/contact/search')).status, 401);
  });

  test('KRN-15 a key is refused from other networks', async () => {
    const { personId } = await p.user('networked', 'Staff');
    const [elsewhere, here, wide] = [
      await keyFor(personId, { AllowedNetworks: '192.0.2.0/24, 2001:db8::/32' }),
      await keyFor(personId, { AllowedNetworks: '127.0.0.1' }),
      await keyFor(personId, { AllowedNetworks: '10.0.0.0/8 127.0.0.0/8' }),
    ];
    assert.equal((await p.byKey(elsewhere.key).get('/api/contact/search')).status, 401);
    assert.equal((await p.byKey(here.key).get('/api/contact/search')).status, 200);
    assert.equal((await p.byKey(wide.key).get('/api/contact/search')).status, 200);
    assert.equal(
      (
        await p
          .byKey(elsewhere.key)
          .get('/api/contact/search', { 'X-Forwarded-For': '192.0.2.7', Forwarded: 'for=192.0.2.7' })
      ).status,
      401,
    );
    for (const text of [
      '10.0.0.0/33',
      '10.0.0/8',
      '10.0.0.0/',
      '10.0.0.0/8/9',
      '10.0.0.0/0x8',
      'example.org',
      '10.0.0.0/-1',
      '10.0.0.0/1e1',
    ]) {
      assert.equal(networkList(text), undefined, text);
      assert.equal(
        (await p.admin.post('/api/apikey/create', { PersonID: personId, AllowedNetworks: text })).status,
        400,
        text,
      );
    }
  });

  test('KRN-15 a key is limited to its calls per minute across all nodes, and gets a Retry-After', async () => {
    const { personId } = await p.user('limited', 'Staff');
    const { key } = await keyFor(personId, { RateLimitPerMinute: 3 });
    clock.advance(60_000 - (clock.milliseconds() % 60_000) + 15_000);
    const statuses = [
      (await p.byKey(key).get('/api/contact/search')).status,
      await there({ 'X-ApiKey': key }),
      (await p.byKey(key).get('/api/contact/search')).status,
      await there({ 'X-ApiKey': key }),
    ];
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    const refused = await p.byKey(key).get('/api/contact/search');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '45']);
    clock.advance(45_000);
    assert.equal((await p.byKey(key).get('/api/contact/search')).status, 200);
    assert.equal((await p.admin.post('/api/apikey/create', { PersonID: personId, RateLimitPerMinute: 0 })).status, 400);
  });

  test('KRN-15 twenty concurrent calls do not slip past a limit', async () => {
    const { personId } = await p.user('bursting', 'Staff');
    const { key } = await keyFor(personId, { RateLimitPerMinute: 5 });
    clock.advance(60_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => p.byKey(key).get('/api/contact/search')));
    assert.equal(answers.filter((a) => a.status === 200).length, 5);
    assert.equal(answers.filter((a) => a.status === 429).length, 15);
  });

  test('KRN-15 created, revoked and refused keys are in the security log, without the key', async () => {
    const { personId } = await p.user('logged', 'Staff');
    const { id, key } = await keyFor(personId);
    await p.admin.post('/api/apikey/revoke', `ID=${id}`);
    clock.advance(SECOND);
    await p.byKey(key).get('/api/contact/search');
    const rows = await store.query<{ securitylog: string }>(
      `select securitylog
       from securitylog
       where (object = 'ApiKey' and objectid = $1::bigint) or (securitylog = 'KeyRefused' and personid = $2::bigint)
       order by securitylogid`,
      [id, personId],
    );
    assert.deepEqual(
      rows.map((r) => r.securitylog),
      ['KeyMade', 'KeyRevoked', 'KeyRefused'],
    );
  });

  test('KRN-30 two installations with the same user have different keys, and refuse those of the other', async (t) => {
    const production = await testPlatform(t);
    // Set up alike: the same names, as if one had been set up like the other.
    const twins: { readonly on: TestPlatform; readonly key: string }[] = [];
    for (const on of [production, p]) twins.push({ on, key: (await on.user('twin', 'Staff')).key });
    const [first, second] = twins;
    assert.notEqual(first?.key, second?.key);
    for (const { on, key } of twins)
      for (const { on: other } of twins)
        assert.equal((await other.byKey(key).get('/api/contact/search')).status, other === on ? 200 : 401);
    // A key is not accepted under a changed prefix, id or end either.
    const stolen = first?.key ?? '';
    for (const forged of [stolen.slice(0, -1), `${stolen}0`, stolen.toUpperCase(), stolen.slice(1)])
      assert.equal((await p.byKey(forged).get('/api/contact/search')).status, 401);
  });

  test('KRN-30 keys and passwords of another environment get 401', async (t) => {
    const production = await testPlatform(t);
    const there = await production.user('same name', 'Staff');
    const here = await p.user('same name in test', 'Staff');
    assert.equal((await p.byKey(there.key).get('/api/contact/search')).status, 401);
    assert.equal((await production.byKey(here.key).get('/api/contact/search')).status, 401);
    assert.equal((await p.byPassword('same name', 'password of same name').get('/api/contact/search')).status, 401);
    assert.equal(
      (await production.byPassword('same name', 'password of same name').get('/api/contact/search')).status,
      200,
    );
  });
});

describe('HTTP Basic', () => {
  test('KRN-16 valid credentials are accepted with and without User-Agent and SOAPAction', async () => {
    await p.user('basic user', 'Staff');
    const authorization = basic('basic user', 'password of basic user');
    for (const headers of [
      {},
      { 'User-Agent': 'x' },
      { SOAPAction: 'urn:x' },
      { 'User-Agent': 'Mozilla/5.0', SOAPAction: '""', Accept: 'text/html' },
    ]) {
      assert.equal((await bare({ authorization, ...headers })).status, 200, JSON.stringify(headers));
    }
    assert.equal((await bare({ authorization: basic('BASIC USER', 'password of basic user') })).status, 200);
  });

  const challenge = 'Basic realm="Casewright", charset="UTF-8"';
  const formOf = (answer: Awaited<ReturnType<typeof bare>>): string => {
    if (answer.status === 302) return 'redirect';
    const sent = answer.headers['www-authenticate'];
    if (sent === undefined) return 'plain';
    return sent === challenge ? 'challenge' : 'other';
  };
  const cases: readonly (readonly [string, Record<string, string>, string, 'challenge' | 'redirect' | 'plain'])[] = [
    ['no User-Agent', {}, 'GET', 'challenge'],
    ['no User-Agent, asking for HTML', { Accept: 'text/html' }, 'GET', 'challenge'],
    ['a SOAPAction', { 'User-Agent': 'Mozilla/5.0', SOAPAction: 'urn:x', Accept: 'text/html' }, 'GET', 'challenge'],
    ['a SOAPAction of two quotes', { 'User-Agent': 'Mozilla/5.0', SOAPAction: '""' }, 'POST', 'challenge'],
    ['an empty SOAPAction', { 'User-Agent': 'x', SOAPAction: '' }, 'GET', 'plain'],
    [
      'a browser',
      { 'User-Agent': 'Mozilla/5.0', Accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' },
      'GET',
      'redirect',
    ],
    ['a browser that posts', { 'User-Agent': 'Mozilla/5.0', Accept: 'text/html' }, 'POST', 'plain'],
    [
      'a browser with a wrong key',
      { 'User-Agent': 'Mozilla/5.0', Accept: 'text/html', 'X-ApiKey': 'wrong' },
      'GET',
      'plain',
    ],
    [
      'a browser with wrong credentials',
      { 'User-Agent': 'Mozilla/5.0', Accept: 'text/html', Authorization: basic('nobody at all', 'x') },
      'GET',
      'plain',
    ],
    ['a program', { 'User-Agent': 'curl/8', Accept: '*/*' }, 'GET', 'plain'],
    ['wrong credentials without User-Agent', { Authorization: basic('nobody at all', 'x') }, 'GET', 'challenge'],
    ['another scheme', { 'User-Agent': 'x', Authorization: 'Bearer abc' }, 'GET', 'plain'],
    ['credentials that are no base64', { 'User-Agent': 'x', Authorization: 'Basic ###' }, 'GET', 'plain'],
    [
      'credentials without a colon',
      { 'User-Agent': 'x', Authorization: `Basic ${Buffer.from('name').toString('base64')}` },
      'GET',
      'plain',
    ],
    ['a name with a NUL', { 'User-Agent': 'x', Authorization: basic('a\u0000b', 'x') }, 'GET', 'plain'],
  ];
  for (const [what, headers, method, expected] of cases) {
    test(`KRN-16 ${what}: ${expected}`, async () => {
      const answer = await bare(headers, method, '/api/contact/search?LastName=a%20b');
      const form = formOf(answer);
      assert.deepEqual([form, answer.status], [expected, expected === 'redirect' ? 302 : 401], answer.text);
      if (expected === 'redirect')
        assert.equal(answer.headers['location'], '/signin?returnTo=%2Fapi%2Fcontact%2Fsearch%3FLastName%3Da%2520b');
    });
  }
});

describe('revocation reaches every node within a second', () => {
  test('KRN-16 KRN-17 a deactivated user is refused by key and by password', async () => {
    const { personId, key } = await p.user('leaver', 'Staff');
    const authorization = basic('leaver', 'password of leaver');
    assert.deepEqual([await there({ 'X-ApiKey': key }), await there({ authorization })], [200, 200]);
    await p.admin.post('/api/person/save', `ID=${personId}&Status=Inactive`);
    clock.advance(SECOND);
    assert.deepEqual([await there({ 'X-ApiKey': key }), await there({ authorization })], [401, 401]);
    assert.deepEqual(
      [(await p.byKey(key).get('/api/contact/search')).status, (await bare({ authorization })).status],
      [401, 401],
    );
  });

  test('KRN-17 removing a role from a user, or a permission from a role, leads to 403', async () => {
    await p.admin.post('/api/role/save', {
      Role: 'Shrinking',
      Permissions: 'ContactSearch ContactSelect',
      UniversalAccess: true,
    });
    const [role] = await store.query<{ roleid: number }>(`select roleid from role where role = 'Shrinking'`);
    clock.advance(SECOND);
    const [one, two] = [await p.user('of one', 'Shrinking, Read Only'), await p.user('of two', 'Shrinking')];
    assert.deepEqual(
      [await there({ 'X-ApiKey': one.key }, '/api/contact/history?ID=999'), await there({ 'X-ApiKey': two.key })],
      [404, 200],
    );
    await p.admin.post('/api/person/save', `ID=${one.personId}&Roles=Shrinking`);
    await p.admin.post('/api/role/save', `ID=${role?.roleid}&Permissions=ContactSelect`);
    clock.advance(SECOND);
    assert.deepEqual(
      [await there({ 'X-ApiKey': one.key }, '/api/contact/history?ID=999'), await there({ 'X-ApiKey': two.key })],
      [403, 403],
    );
    assert.equal((await p.byKey(two.key).get('/api/contact/search')).status, 403);
  });

  test('a role without a name grants nothing and keeps nobody from signing in', async () => {
    const { key } = await p.user('beside it', 'Staff');
    assert.equal((await p.admin.post('/api/role/save', { Permissions: 'ContactSelect' })).status, 200);
    clock.advance(SECOND);
    assert.equal(await there({ 'X-ApiKey': key }), 200);
  });

  test('KRN-17 universal access removed from a role ends at once, for rows that were visible before', async () => {
    await p.admin.post('/api/role/save', {
      Role: 'Universal For Now',
      Permissions: 'ContactSelect',
      UniversalAccess: true,
    });
    const [role] = await store.query<{ roleid: number }>(`select roleid from role where role = 'Universal For Now'`);
    clock.advance(SECOND);
    const { key } = await p.user('of now', 'Universal For Now');
    const id = Number((await p.admin.post('/api/contact/save?Output=Json', 'LastName=Seen')).json()['ContactID']);
    assert.equal(await there({ 'X-ApiKey': key }, `/api/contact/${id}`), 200);
    await p.admin.post('/api/role/save', `ID=${role?.roleid}&UniversalAccess=false`);
    clock.advance(SECOND);
    assert.equal(await there({ 'X-ApiKey': key }, `/api/contact/${id}`), 404);
  });

  test('KRN-16 changing a password invalidates the old one on every node, whatever was cached', async () => {
    const { personId } = await p.user('changer', 'Staff');
    const old = basic('changer', 'password of changer');
    assert.deepEqual([await there({ authorization: old }), await there({ authorization: old })], [200, 200]);
    await p.admin.post('/api/person/save', { ID: personId, Password: 'another good password' });
    clock.advance(SECOND);
    assert.equal(await there({ authorization: old }), 401);
    const changed = basic('changer', 'another good password');
    assert.equal(await there({ authorization: changed }, '/api/contact/search'), 403, 'it must be changed first');
    await store.query('update person set initialpassworddate = null where personid = $1::bigint', [personId]);
    clock.advance(SECOND);
    assert.equal(await there({ authorization: changed }), 200);
    assert.equal((await bare({ authorization: old })).status, 401);
    await p.admin.post('/api/person/save', { ID: personId, Password: '' });
    clock.advance(SECOND);
    assert.equal(await there({ authorization: basic('changer', 'another good password') }), 401);
  });

  test('KRN-16 a password that its user changes counts at once on every node, the old one no more', async () => {
    await p.user('switcher', 'Staff');
    const before = basic('switcher', 'password of switcher');
    const next = basic('switcher', 'seventeen umbrellas sang');
    assert.deepEqual([await there({ authorization: before }), await there({ authorization: next })], [200, 401]);
    const changed = await p.byPassword('switcher', 'password of switcher').post('/api/person/changepassword', {
      CurrentPassword: 'password of switcher',
      NewPassword: 'seventeen umbrellas sang',
    });
    assert.equal(changed.status, 204, changed.text);
    assert.deepEqual([await there({ authorization: before }), await there({ authorization: next })], [401, 200]);
    assert.deepEqual(
      [(await bare({ authorization: before })).status, (await bare({ authorization: next })).status],
      [401, 200],
    );
  });

  test('KRN-16 KRN-17 a revocation holds at once on the node that makes it, within half a second on others', async () => {
    const search = '/api/contact/search';
    for (const [name, path, body, status] of [
      ['ended', '/api/person/save', (id: number) => `ID=${id}&Status=Inactive`, 401],
      ['lowered', '/api/person/save', (id: number) => `ID=${id}&Roles=Data Service`, 403],
      ['keyless', '/api/apikey/revoke', async (id: number) => `ID=${await keyOf(id)}`, 401],
      ['without key', '/api/apikey/delete', async (id: number) => `ID=${await keyOf(id)}`, 401],
      ['late', '/api/apikey/save', async (id: number) => `ID=${await keyOf(id)}&Expires=2020-01-01`, 401],
    ] as const) {
      const { personId, key } = await p.user(name, 'Staff');
      assert.deepEqual([(await p.byKey(key).get(search)).status, await there({ 'X-ApiKey': key })], [200, 200], name);
      const answer = await p.admin.post(path, await body(personId));
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await p.byKey(key).get(search)).status, status, `${name}: at once`);
      clock.advance(500);
      assert.equal(await there({ 'X-ApiKey': key }), status, `${name}: on the other node`);
    }
  });

  test('KRN-02 a queued call runs with the rights that its user has when it runs', async (t) => {
    const q = await testPlatform(t, { worker: true });
    const { personId, caller } = await q.user('queuer', 'Staff');
    const later = new Date(Date.now() + 1_500).toISOString();
    const made = await caller.post('/api/contact/queue/save?Output=Json', { LastName: 'Never', QueuedDate: later });
    assert.equal(made.status, 202, made.text);
    await q.admin.post('/api/person/save', `ID=${personId}&Status=Inactive`);
    const state = await eventually('the call was given up', async () => {
      const answer = (
        await q.admin.get(`/api/queue/status?Output=Json&ID=${String(made.json()['QueueMessageID'])}`)
      ).json();
      return answer['State'] === 'dead' ? answer : undefined;
    });
    assert.equal(state['ErrorCode'], 'NOT_SIGNED_IN');
    assert.equal((await q.platform.store.query(`select 1 from contact where lastname = 'Never'`)).length, 0);
  });
});

describe('failed sign-ins', () => {
  /** Waits until all failures are forgotten: a full count sinks within a window, a wait lasts no longer. */
  const freshWindow = (): void => clock.advance(31 * 60_000);

  test('KRN-16 an account is refused from an address after ten wrong passwords, on every node and in every spelling of its name, and the answer says until when', async () => {
    await p.user('guessed', 'Staff');
    freshWindow();
    for (const name of [
      'guessed',
      'GUESSED',
      'guess\u00e9d',
      'Gu\u0308essed',
      'guessed\u200b',
      'guessed',
      'guesse\u0301d',
    ])
      assert.equal((await bare({ authorization: basic(name, `wrong ${name}`) })).status, 401, name);
    for (let i = 0; i < 3; i++) assert.equal(await there({ authorization: basic('guessed', `wrong ${i}`) }), 401);
    clock.advance(20_000);
    const refused = await bare({ authorization: basic('guessed', 'password of guessed') });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '40']);
    assert.equal(await there({ authorization: basic('guess\u00e9d', 'password of guessed') }), 429);
    clock.advance(40_000);
    assert.equal((await bare({ authorization: basic('guessed', 'password of guessed') })).status, 200);
  });

  test('KRN-16 concurrent attempts are counted like consecutive ones', async () => {
    await p.user('stormed', 'Staff');
    freshWindow();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => bare({ authorization: basic('stormed', `wrong ${i}`) })),
    );
    assert.equal(answers.filter((a) => a.status === 401).length, 10);
    assert.equal(answers.filter((a) => a.status === 429).length, 30);
    freshWindow();
  });

  test('KRN-16 a client that starts with many concurrent calls under one password is accepted', async () => {
    await p.user('service', 'Staff');
    freshWindow();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => bare({ authorization: basic('service', 'password of service') })),
    );
    assert.deepEqual([...new Set(answers.map((a) => a.status))], [200]);
    assert.equal((await bare({ authorization: basic('service', 'password of service') })).status, 200);
    const wrong = await Promise.all(
      Array.from({ length: 12 }, (_, i) => bare({ authorization: basic('service', `wrong ${i}`) })),
    );
    assert.equal(wrong.filter((a) => a.status === 401).length, 10, 'successful attempts were counted as failures');
    freshWindow();
  });

  test('KRN-16 an address is refused after fifty failures, for any account; valid keys still work', async () => {
    freshWindow();
    for (let i = 0; i < 50; i++)
      assert.equal((await bare({ authorization: basic(`unknown ${i}`, 'some password') })).status, 401, String(i));
    const refused = await bare({ authorization: basic('unknown 50', 'some password') });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await bare({ 'X-ApiKey': 'wrong' })).status, 401, 'keys are counted apart');
    assert.equal((await p.admin.get('/api/contact/search')).status, 200);
    freshWindow();
    assert.equal((await bare({ authorization: basic('unknown 51', 'some password') })).status, 401);
  });

  test('KRN-16 an unknown name, a user without a password and an inactive user cost one argon2 run like a wrong password, and get the same answer', async () => {
    await p.user('known', 'Staff');
    const inactive = await p.user('inactive', 'Staff');
    await p.admin.post('/api/person/save', `ID=${inactive.personId}&Status=Inactive`);
    clock.advance(SECOND);
    freshWindow();
    const printed = new Set<string>();
    for (const [name, password] of [
      ['known', 'wrong password'],
      ['unknown', 'wrong password'],
      ['System', 'wrong password'],
      ['inactive', 'password of inactive'],
      ['inactive', 'wrong password'],
    ] as const) {
      assert.equal(
        await argonRuns(() =>
          p.platform.identity
            .authenticate({ kind: 'basic', name, password }, '198.51.100.1')
            .catch((error: unknown) =>
              printed.add(error instanceof PlatformError ? `${error.code} ${error.message}` : String(error)),
            ),
        ),
        1,
        `${name}, ${password}`,
      );
    }
    assert.equal(printed.size, 1, [...printed].join('; '));
  });

  test('KRN-16 a correct password costs one argon2 run; then it is cached for five minutes', async () => {
    await p.user('remembered', 'Staff');
    clock.advance(SECOND);
    const signIn = (): Promise<unknown> =>
      p.platform.identity.authenticate(
        { kind: 'basic', name: 'remembered', password: 'password of remembered' },
        '198.51.100.1',
      );
    assert.deepEqual([await argonRuns(signIn), await argonRuns(signIn)], [1, 0]);
    clock.advance(300_000);
    assert.equal(await argonRuns(signIn), 1);
  });

  test('KRN-16 a short password, a name with a colon, and an existing name in another spelling are refused', async () => {
    assert.equal((await p.admin.post('/api/person/save', { Person: 'short', Password: 'elevenchars' })).status, 400);
    assert.equal((await p.admin.post('/api/person/save', { Person: 'a:b' })).status, 400);
    const firm = await p.firm('Northwind Recovery');
    for (const [path, caller, fields] of [
      ['/api/person/save', p.admin, { Person: 'weak', Password: 'password1234' }],
      ['/api/person/save', p.admin, { ID: firm.personId, Password: 'NorthwindRecovery' }],
      [
        '/api/person/changepassword',
        firm.caller,
        { CurrentPassword: 'password of user of Northwind Recovery', NewPassword: 'Northwind2026' },
      ],
    ] as const) {
      const refused = await caller.post(path, fields);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /easy to guess/);
    }
    assert.equal((await p.admin.post('/api/person/save', { Person: 'KN\u00d6WN' })).status, 409);
    const strong = { Person: 'strong', Password: 'nine lanterns by the harbor' };
    assert.equal((await p.admin.post('/api/person/save', strong)).status, 200);
    const [row] = await store.query<{ password: string }>(`select password from person where person = 'strong'`);
    assert.match(row?.password ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.deepEqual(await tablesWith(strong.Password), []);
  });
});

/** Counts argon2 runs during some work: argon2 is the only native work that a sign-in does off the main thread. */
async function argonRuns(work: () => Promise<unknown>): Promise<number> {
  const types: string[] = [];
  const hook = createHook({ init: (_id, type) => void types.push(type) });
  const counted = async (what: () => Promise<unknown>): Promise<readonly string[]> => {
    types.length = 0;
    hook.enable();
    await what();
    hook.disable();
    return [...types];
  };
  const hashed = async (times: number) =>
    Map.groupBy(
      await counted(async () => {
        for (let i = 0; i < times; i++) await hashPassword('which kind of work is argon2?');
      }),
      (type) => type,
    );
  // Other native work may run at the same time; the type that occurs as often as argon2 runs is argon2's.
  const [five, nine, two] = [await hashed(5), await hashed(9), await hashed(2)];
  const kinds = [...five.keys()].filter(
    (type) =>
      type !== 'PROMISE' && five.get(type)?.length === 5 && nine.get(type)?.length === 9 && two.get(type)?.length === 2,
  );
  assert.equal(kinds.length, 1, [...nine].map(([type, runs]) => `${type} ${runs.length}`).join(', '));
  return (await counted(work)).filter((type) => type === kinds[0]).length;
}

/** Returns the tables with a row that contains the value as text. */
async function tablesWith(value: string): Promise<string[]> {
  const tables = await store.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
  );
  const found: string[] = [];
  for (const { name } of tables)
    if (
      (await store.query(`select 1 from ${name} x where position($1::text in x::text) > 0 limit 1`, [value])).length > 0
    )
      found.push(name);
  return found;
}

/** Returns the ID of a user's API key. */
async function keyOf(personId: number): Promise<number> {
  const [row] = await store.query<{ id: number }>('select apikeyid as id from apikey where personid = $1::bigint', [
    personId,
  ]);
  return row?.id ?? 0;
}
