import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { cookieOf, sessionOf, signIn, testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-03-02T09:00:00Z');
const p = await testPlatform({ after }, { clock });
const { store } = p.platform;
const DAY = 86_400_000;
const INITIAL = 'an initial password';
const OWN = 'a password of their own';

/** Creates a user whose password an administrator has set. */
async function newcomer(name: string): Promise<{ personId: number; key: string }> {
  const { personId, key } = await p.user(name, 'Staff');
  assert.equal((await p.admin.post('/api/person/save', { ID: personId, Password: INITIAL })).status, 200);
  clock.advance(1_000);
  return { personId, key };
}

describe('a password that another user has set', () => {
  test('WEB-01 KRN-16 lets its user do nothing but change it, in a browser and with Basic; keys are not affected', async () => {
    const { key } = await newcomer('newcomer');
    const session = sessionOf(p.url, cookieOf(await signIn(p.url, 'newcomer', INITIAL)));
    for (const path of ['/', '/records', '/records/contact/new']) {
      const answer = await session.get(path);
      assert.deepEqual([answer.status, answer.location], [303, '/account'], path);
    }
    const called = await session.get('/api/contact/search?Output=Json');
    assert.equal(called.status, 403);
    assert.match(called.text, /PASSWORD_CHANGE_REQUIRED/);
    const basic = await p.byPassword('newcomer', INITIAL).get('/api/contact/search');
    assert.match(basic.text, /PASSWORD_CHANGE_REQUIRED/);
    assert.equal((await p.byKey(key).get('/api/contact/search')).status, 200);
    assert.match((await session.get('/account')).text, /This is your initial password/);
    const changed = await session.post('/account', { CurrentPassword: INITIAL, NewPassword: OWN, Repeated: OWN });
    assert.equal(changed.location, '/signin?done=password', changed.text);
    clock.advance(1_000);
    const next = sessionOf(p.url, cookieOf(await signIn(p.url, 'newcomer', OWN)));
    assert.equal((await next.get('/records')).status, 200);
  });

  test('KRN-16 a program changes it by Basic', async () => {
    await newcomer('program');
    const body = { CurrentPassword: INITIAL, NewPassword: OWN };
    assert.equal((await p.byPassword('program', INITIAL).post('/api/person/changepassword', body)).status, 204);
    clock.advance(1_000);
    assert.equal((await p.byPassword('program', OWN).get('/api/contact/search')).status, 200);
  });

  test('KRN-16 is refused after the days of the setting, and one that the user sets themselves is not', async () => {
    await newcomer('late');
    clock.advance(14 * DAY);
    const refused = await signIn(p.url, 'late', INITIAL);
    assert.equal(refused.status, 401);
    assert.match(refused.text, /initial password has expired/);
    assert.equal((await signIn(p.url, 'newcomer', OWN)).status, 303);
  });

  test('KRN-16 is like any other with InitialPasswordDays 0', async () => {
    const set = await p.admin.post('/api/setting/save?Output=Json', { Setting: 'InitialPasswordDays', Value: '0' });
    await newcomer('trusted');
    assert.equal((await p.byPassword('trusted', INITIAL).get('/api/contact/search')).status, 200);
    await p.admin.post('/api/setting/delete', { ID: Number(set.json()['SettingID']) });
    clock.advance(1_000);
    assert.equal((await p.byPassword('trusted', INITIAL).get('/api/contact/search')).status, 403);
  });
});

describe("a user's own sessions", () => {
  test('WEB-06 are listed and ended by the user, and by nobody else this way', async () => {
    await p.firm('Sessions Firm');
    await p.user('neighbor', 'Staff');
    const [one, two, three] = [
      await testSession(p, 'user of Sessions Firm'),
      await testSession(p, 'user of Sessions Firm'),
      await testSession(p, 'user of Sessions Firm'),
    ];
    const neighbor = await testSession(p, 'neighbor');
    const ids = async (session: typeof one): Promise<{ SessionID: number; IsCurrent: boolean }[]> => {
      const { text } = await session.get('/api/session/own?Output=Json');
      const { OwnSessionCollection: listed } = JSON.parse(text) as {
        OwnSessionCollection: { OwnSessionItem: { SessionID: number; IsCurrent: boolean }[] };
      };
      return listed.OwnSessionItem;
    };
    const listed = await ids(one);
    assert.deepEqual([listed.length, listed.filter(({ IsCurrent }) => IsCurrent).length], [3, 1]);
    assert.match((await one.get('/account')).text, /Where you&#39;re signed in|Where you're signed in/);
    const [foreign] = await ids(neighbor);
    const stolen = await one.post('/account/sessions/end', { ID: String(foreign?.SessionID) });
    assert.equal(stolen.status, 404);
    clock.advance(1_000);
    assert.equal((await neighbor.get('/records')).status, 200);
    const [latest] = (await ids(three)).filter(({ IsCurrent }) => IsCurrent);
    assert.equal((await one.post('/account/sessions/end', { ID: String(latest?.SessionID) })).status, 303);
    clock.advance(1_000);
    assert.equal((await three.get('/records')).status, 303);
    assert.equal((await one.post('/account/sessions/end')).status, 303);
    clock.advance(1_000);
    assert.deepEqual([(await two.get('/records')).status, (await one.get('/records')).status], [303, 200]);
    const events = await store.query("select 1 from securitylog where securitylog = 'SessionEnded'");
    assert.equal(events.length, 2);
  });

  test('WEB-06 are ended only by somebody who has entered the password recently', async () => {
    const session = await testSession(p, 'neighbor');
    clock.advance(11 * 60_000);
    assert.equal((await session.post('/account/sessions/end')).status, 403);
    assert.equal((await session.post('/account/sessions/end', { OwnPassword: 'password of neighbor' })).status, 303);
  });
});

test('KRN-15 WEB-06 a key expires after the days of the setting unless sent otherwise, and the health report warns before', async () => {
  const { personId } = await p.user('keyed', 'Staff');
  const made = async (body: object): Promise<string | null> =>
    (await p.admin.post('/api/apikey/create?Output=Json', { PersonID: personId, ...body })).json()['Expires'] ?? null;
  const byDefault = Date.parse((await made({ Name: 'by default' })) ?? '');
  assert.equal(byDefault, clock.milliseconds() + 365 * DAY);
  assert.equal(Date.parse((await made({ Expires: '2040-01-01T00:00:00Z' })) ?? ''), Date.UTC(2040, 0, 1));
  const health = async (): Promise<string> => (await p.admin.get('/api/system/health?Output=Json')).text;
  assert.match(await health(), /No API key expires soon/);
  clock.advance(340 * DAY);
  assert.match(await health(), /These API keys expire soon:.*by default \(cwk_/);
  await p.admin.post('/api/setting/save', { Setting: 'ApiKeyDays', Value: '0' });
  clock.advance(1_000);
  assert.equal(await made({}), null);
});
