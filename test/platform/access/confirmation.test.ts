import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { testSession, type TestSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-03-02T09:00:00Z');
const p = await testPlatform({ after }, { clock });
const { store } = p.platform;
await p.user('ada', 'Administrator');
const other = await p.user('other', 'Staff');

/** Returns a session whose user entered the password eleven minutes ago. */
async function oldSession(): Promise<TestSession> {
  const session = await testSession(p, 'ada');
  clock.advance(11 * 60_000);
  return session;
}

async function personOf(id: number): Promise<Record<string, unknown>> {
  const [row] = await store.query(
    'select password, roles, email, firstname, status from person where personid = $1::bigint',
    [id],
  );
  return row ?? {};
}

const json = '?Output=Json';

describe('changing the access of others from a browser', () => {
  test('WEB-01 KRN-17 asks for the own password again after ten minutes: for passwords, roles, keys and what decides them', async () => {
    const session = await oldSession();
    const before = await personOf(other.personId);
    const [role] = await store.query<{ id: number }>("select roleid as id from role where role = 'Staff'");
    for (const [path, fields] of [
      [`/api/person/save${json}`, { ID: String(other.personId), Password: 'another long password' }],
      [`/api/person/save${json}`, { ID: String(other.personId), Roles: 'Administrator' }],
      [`/api/person/update${json}`, { ID: String(other.personId), Email: 'a@example.com' }],
      [`/api/person/insert${json}`, { Person: 'planted', Roles: 'Administrator' }],
      [`/api/person/delete${json}`, { ID: String(other.personId) }],
      [`/api/apikey/create${json}`, { PersonID: String(other.personId) }],
      [`/api/role/save${json}`, { ID: String(role?.id), Permissions: '*' }],
      [`/api/role/save${json}`, { Role: 'Planted', Permissions: '*' }],
    ] as const) {
      const answer = await session.post(path, fields);
      assert.equal(answer.status, 403, `${path}: ${answer.text}`);
      assert.match(answer.text, /CONFIRM_IDENTITY/, path);
    }
    assert.deepEqual(await personOf(other.personId), before);
    assert.equal((await store.query("select 1 from person where person = 'planted'")).length, 0);
    const harmless = { ID: String(other.personId), FirstName: 'Olga' };
    assert.equal((await session.post(`/api/person/save${json}`, harmless)).status, 200);
  });

  test('WEB-01 does not ask right after sign-in, nor programs with a key or a password', async () => {
    const session = await testSession(p, 'ada');
    const change = { ID: String(other.personId), Roles: 'Staff, Read Only' };
    assert.equal((await session.post(`/api/person/save${json}`, change)).status, 200);
    clock.advance(60 * 60_000);
    assert.equal((await p.admin.post('/api/person/save', { ...change, Roles: 'Staff' })).status, 200);
    const byPassword = p.byPassword('ada', 'password of ada');
    assert.equal((await byPassword.post('/api/person/save', change)).status, 200);
  });

  test('WEB-01 the setting ConfirmationMinutes says how long a confirmation lasts', async () => {
    const set = await p.admin.post('/api/setting/save?Output=Json', { Setting: 'ConfirmationMinutes', Value: '30' });
    clock.advance(1_000);
    const session = await oldSession();
    assert.equal((await session.post(`/api/apikey/create${json}`, { PersonID: String(other.personId) })).status, 200);
    await p.admin.post('/api/setting/delete', { ID: Number(set.json()['SettingID']) });
    clock.advance(1_000);
    assert.equal((await session.post(`/api/apikey/create${json}`, { PersonID: String(other.personId) })).status, 403);
  });

  test("WEB-01 a user's form asks for it, keeps what was entered after a wrong one, and saves with the right one", async () => {
    const session = await oldSession();
    const address = `/administration/users/${other.personId}`;
    const shown = await session.get(address);
    assert.match(shown.text, /type="password"[^>]*name="OwnPassword"/);
    const version = /name="Version" value="(\d+)"/.exec(shown.text)?.[1] ?? '';
    const form = { Person: 'other', FirstName: 'Olaf', Role: 'Read Only', Status: 'Active', Version: version };
    const without = await session.post(address, form);
    assert.equal(without.status, 403);
    assert.match(without.text, /enter your own password again/);
    const wrong = await session.post(address, { ...form, OwnPassword: 'not my password' });
    assert.equal(wrong.status, 403);
    assert.match(wrong.text, /This is not your password\. Nothing was changed/);
    assert.notEqual((await personOf(other.personId))['firstname'], 'Olaf');
    const right = await session.post(address, { ...form, OwnPassword: 'password of ada' });
    assert.equal(right.status, 303, right.text);
    const saved = await personOf(other.personId);
    assert.deepEqual([saved['firstname'], saved['roles']], ['Olaf', 'Read Only']);
    assert.doesNotMatch((await session.get(address)).text, /OwnPassword/);
    const events = await store.query("select 1 from securitylog where securitylog = 'IdentityConfirmed'");
    assert.equal(events.length, 1);
  });

  test('WEB-01 pages that do not ask themselves lead to one that does', async () => {
    const session = await oldSession();
    const refused = await session.post(`/records/person/${other.personId}/undelete`);
    assert.ok(refused.status >= 400);
    const page = await session.get('/account/confirm');
    assert.match(page.text, /name="OwnPassword"/);
    assert.equal((await session.post('/account/confirm', { OwnPassword: 'wrong' })).status, 403);
    const confirmed = await session.post('/account/confirm', { OwnPassword: 'password of ada' });
    assert.equal(confirmed.status, 200);
    assert.match(confirmed.text, /identity is confirmed/);
    assert.equal((await session.post(`/api/apikey/create${json}`, { PersonID: String(other.personId) })).status, 200);
  });

  test('WEB-01 guesses at the password in a session are limited like sign-ins', async () => {
    await p.user('guessed', 'Administrator');
    const session = await testSession(p, 'guessed');
    clock.advance(11 * 60_000);
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++)
      statuses.push((await session.post('/account/confirm', { OwnPassword: `guess ${guess}` })).status);
    assert.deepEqual([statuses[0], statuses.at(-1)], [403, 429]);
  });
});

test('WEB-01 KRN-02 a call that an unconfirmed session queues is refused when it runs', async (t) => {
  const q = await testPlatform(t, { worker: true });
  await q.user('ada', 'Administrator');
  const session = await testSession(q, 'ada');
  await q.platform.store.query("update session set authenticateddate = now() - interval '1 hour'");
  const queued = await eventually('the session is read again', async () => {
    const answer = await session.post(`/api/person/queue/save${json}`, { Person: 'planted', Roles: 'Administrator' });
    assert.equal(answer.status, 202, answer.text);
    const { QueueMessageID: id } = JSON.parse(answer.text) as { QueueMessageID: string };
    const state = await eventually('the call has ended', async () => {
      const status = (await q.admin.get(`/api/queue/status?Output=Json&ID=${id}`)).json();
      return ['completed', 'dead'].includes(String(status['State'])) ? status : undefined;
    });
    if (state['State'] === 'dead') return state;
    await q.platform.store.query("delete from person where person = 'planted'");
    return undefined;
  });
  assert.equal(queued['ErrorCode'], 'CONFIRM_IDENTITY');
});
