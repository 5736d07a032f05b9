import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { attackerNetwork } from '../../../src/kernel/security/sign-in-attempts.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { browse, formBody } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-03-02T10:00:10.000Z');
const p = await testPlatform({ after }, { clock });
const { identity, store } = p.platform;

const MINUTE = 60_000;
const ATTACKER = '198.51.100.66';
const HOME = '203.0.113.7';

/** Where a sign-in comes from; `device` is the browser's cookie. */
interface Origin {
  readonly address: string;
  readonly device?: string | undefined;
}

/** Tries to sign in. Returns `signed in` with the browser's cookie, the error's code, or how many seconds to wait. */
async function tryPassword(name: string, password: string, from: Origin): Promise<{ result: string; device: string }> {
  try {
    const { device } = await identity.signIn(name, password, { agent: 'test', ...from });
    return { result: 'signed in', device };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const wait = error.details?.['RetryAfterSeconds'];
    return { result: wait === undefined ? error.code : `wait ${String(wait)}`, device: '' };
  }
}

async function results(count: number, attempt: (n: number) => Promise<{ result: string }>): Promise<string[]> {
  const found: string[] = [];
  for (let n = 0; n < count; n++) found.push((await attempt(n)).result);
  return found;
}

let users = 0;
async function newUser(): Promise<{ name: string; password: string }> {
  const name = `victim${++users}`;
  await p.user(name, 'Staff');
  clock.advance(MINUTE);
  return { name, password: `password of ${name}` };
}

const guess = (name: string, address: string, device?: string) => (n: number) =>
  tryPassword(name, `guess ${n} ${address}`, { address, device });

describe('guessing at an account', () => {
  test('KRN-16 locks out the guesser, and nobody elsewhere', async () => {
    const { name, password } = await newUser();
    const guesses = await results(12, guess(name, ATTACKER));
    assert.deepEqual(guesses.slice(9), ['NOT_SIGNED_IN', 'wait 60', 'wait 60']);
    assert.equal((await tryPassword(name, password, { address: ATTACKER })).result, 'wait 60');
    assert.equal((await tryPassword(name, password, { address: HOME })).result, 'signed in');
  });

  test('KRN-16 makes the guesser wait twice as long each time, up to the window, without a border to wait for', async () => {
    const { name } = await newUser();
    await results(10, guess(name, ATTACKER));
    const waits: number[] = [];
    for (let round = 0; round < 6; round++) {
      const [refused = ''] = await results(1, guess(name, ATTACKER));
      const seconds = Number(/^wait (\d+)$/.exec(refused)?.[1]);
      waits.push(seconds);
      clock.advance(seconds * 1_000);
      assert.deepEqual(await results(1, guess(name, ATTACKER)), ['NOT_SIGNED_IN'], 'one attempt after each wait');
    }
    assert.deepEqual(waits, [60, 120, 240, 480, 900, 900]);
  });

  test('KRN-16 from many addresses reaches a limit of the account, which does not hold where its user has signed in before', async () => {
    const { name, password } = await newUser();
    const { device } = await tryPassword(name, password, { address: '203.0.113.99' });
    await tryPassword(name, password, { address: HOME });
    const guesses = await results(110, (n) => guess(name, `192.0.2.${n}`)(n));
    assert.deepEqual([guesses[99], guesses[100]], ['NOT_SIGNED_IN', 'wait 60']);
    assert.equal((await tryPassword(name, password, { address: '192.0.2.200' })).result, 'wait 60');
    assert.equal((await tryPassword(name, password, { address: '192.0.2.201', device })).result, 'signed in');
    assert.equal((await tryPassword(name, password, { address: HOME })).result, 'signed in');
    const blocked = await store.query<{ detail: string }>(
      "select detail from securitylog where securitylog = 'SignInBlocked' and detail like '%anywhere'",
    );
    assert.equal(blocked.length, 1);
  });

  test('KRN-16 hammering from one address does not reach the limit of the account', async () => {
    const { name, password } = await newUser();
    await results(150, guess(name, ATTACKER));
    assert.equal((await tryPassword(name, password, { address: '192.0.2.210' })).result, 'signed in');
  });
});

describe('guessing from an address that others share', () => {
  const OFFICE = '203.0.113.50';

  test('KRN-16 does not lock out the users who have signed in there before', async () => {
    const { name, password } = await newUser();
    const stranger = await newUser();
    const { device } = await tryPassword(name, password, { address: OFFICE });
    await results(60, (n) => tryPassword(`nobody ${n}`, 'a wrong password', { address: OFFICE }));
    assert.match((await tryPassword(stranger.name, stranger.password, { address: OFFICE })).result, /^wait/);
    assert.equal((await tryPassword(name, password, { address: OFFICE })).result, 'signed in', 'by address');
    // A process remembers for five minutes which passwords were right at an address.
    clock.advance(5 * MINUTE);
    await results(20, guess(name, OFFICE));
    assert.match((await tryPassword(name, password, { address: OFFICE })).result, /^wait/, 'guesses at this account');
    assert.equal((await tryPassword(name, password, { address: OFFICE, device })).result, 'signed in', 'by browser');
  });

  test('KRN-16 a sign-in of the guesser gives no further guesses', async () => {
    clock.advance(60 * MINUTE);
    const own = await newUser();
    const answers = await results(120, (n) =>
      n % 2 === 0
        ? tryPassword(own.name, own.password, { address: '203.0.113.51' })
        : tryPassword(`nobody ${n}`, 'a wrong password', { address: '203.0.113.51' }),
    );
    assert.equal(answers.filter((answer) => answer === 'NOT_SIGNED_IN').length, 50);
  });

  test('KRN-16 invalid API keys do not keep anybody from signing in', async () => {
    const { name, password } = await newUser();
    const key = (n: number) =>
      identity.authenticate({ kind: 'apikey', key: `wrong ${n}` }, OFFICE).then(
        () => '',
        (error: unknown) => (error instanceof PlatformError ? error.code : String(error)),
      );
    clock.advance(60 * MINUTE);
    const codes: string[] = [];
    for (let n = 0; n < 55; n++) codes.push(await key(n));
    assert.deepEqual([codes[49], codes[50]], ['NOT_SIGNED_IN', 'TOO_MANY']);
    assert.equal((await tryPassword(name, password, { address: OFFICE })).result, 'signed in');
  });
});

describe("a browser's cookie", () => {
  test('KRN-16 cannot be forged, and its own guesses are limited too', async () => {
    const { name, password } = await newUser();
    const other = await newUser();
    const { device } = await tryPassword(name, password, { address: HOME });
    await results(10, guess(other.name, ATTACKER));
    for (const forged of [device, `${device.slice(0, -4)}AAAA`, Buffer.from('{}').toString('base64url'), 'x'])
      assert.match(
        (await tryPassword(other.name, other.password, { address: ATTACKER, device: forged })).result,
        /^wait/,
        'it shows nothing about another user',
      );
    const guesses = await results(12, guess(name, HOME, device));
    assert.deepEqual(guesses.slice(9), ['NOT_SIGNED_IN', 'wait 60', 'wait 60']);
  });

  test('KRN-16 is set by a sign-in, for this host and HTTP only, and stays after signing out', async () => {
    const { name, password } = await newUser();
    const answer = await browse(p.url, '/signin', formBody({ Name: name, Password: password }));
    const [, device = ''] = answer.headers.getSetCookie();
    assert.match(device, /^casewright_device=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/);
    assert.ok(!device.includes(name));
  });
});

test('KRN-16 the addresses of one IPv6 network count as one', () => {
  assert.equal(attackerNetwork('2001:db8:1:2:3:4:5:6'), attackerNetwork('2001:db8:1:2::9'));
  assert.notEqual(attackerNetwork('2001:db8:1:2::9'), attackerNetwork('2001:db8:1:3::9'));
  assert.equal(attackerNetwork('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(attackerNetwork('::1'), '0:0:0:0::/64');
});

test('WEB-06 KRN-16 a proxy that is not declared is reported once, in the security log and in the health report', async () => {
  const healthOf = async (): Promise<string> => (await p.admin.get('/api/system/health?Output=Json')).text;
  assert.match(await healthOf(), /No undeclared proxy/);
  for (let n = 0; n < 3; n++) await p.admin.get('/api/contact/search', { 'X-Forwarded-For': '192.0.2.1' });
  const rows = await store.query<{ address: string }>(
    "select address from securitylog where securitylog = 'UndeclaredProxy'",
  );
  assert.equal(rows.length, 1);
  assert.match(rows[0]?.address ?? '', /127\.0\.0\.1$/);
  assert.match(await healthOf(), /127\.0\.0\.1 sent X-Forwarded-For.*CASEWRIGHT_TRUSTED_PROXIES/);
});
