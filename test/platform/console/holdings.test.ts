import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { worklistCalls } from '../../support/work/worklists.ts';

describe('what a user holds', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const { worker, team, worklist, item } = worklistCalls(p);
  const ann = await worker('ann');
  const bob = await worker('bob');
  await p.user('chief', 'Administrator');
  const reviewers = await team('Reviewers', [[ann.personId], [bob.personId]]);
  const holdings = (PersonID: number): Promise<Row[]> => admin.expectRows('handover/holdings', { PersonID });
  const of = (rows: readonly Row[], kind: string): unknown[][] =>
    rows.filter((row) => row['Kind'] === kind).map((row) => [row['Name'], row['Detail'] ?? null, row['HeldCount']]);

  const titles = await worklist({ SmartWorklistTemplate: 'Titles', TeamID: reviewers });
  await item(titles.id, { PersonID: ann.personId });
  await item(titles.id, { PersonID: ann.personId });
  await item(titles.id, { PersonID: bob.personId });
  const done = await item(titles.id, { PersonID: ann.personId });
  await admin.expectOk('smartworklistmember/cancel', { ID: done });
  const open = await admin.save('foreclosure', { Foreclosure: 'FC-1', AssignedPersonID: ann.personId });
  await admin.save('foreclosure', { Foreclosure: 'FC-2', AssignedPersonID: ann.personId, DateClosed: '2026-01-01' });
  await admin.save('importformtemplate', { ImportFormTemplate: 'Inspect', AppliesTo: 'Foreclosure' });
  const task = { Template: 'Inspect', Object: 'Foreclosure', ObjectID: open['ForeclosureID'] };
  await admin.save('importform', { ...task, AssignedPersonID: ann.personId });
  const sent = await client(p, ann.caller).send('follow/add', {
    Object: 'Foreclosure',
    ObjectID: open['ForeclosureID'],
  });
  assert.equal(sent.status, 204, sent.text);
  await admin.save('view', { RecordType: 'CaseSummary', View: 'Mine first', PersonID: ann.personId });
  const key = await admin.expectOk('apikey/create', { PersonID: ann.personId, Name: 'Nightly export' });
  const old = await admin.expectOk('apikey/create', { PersonID: ann.personId, Name: 'Old laptop' });
  await admin.expectOk('apikey/revoke', { ID: old['ApiKeyID'] });

  it('WEB-06 lists open work by queue, type and kind of case, without work that is done or of others', async () => {
    const rows = await holdings(ann.personId);
    assert.deepEqual(
      of(rows, 'WorkItem').map(([, , count]) => count),
      [2],
    );
    assert.deepEqual(of(rows, 'Task'), [['Inspect', null, 1]]);
    assert.deepEqual(of(rows, 'Case'), [['Foreclosure', null, 1]]);
    const bobs = await holdings(bob.personId);
    assert.deepEqual(
      of(bobs, 'WorkItem').map(([, , count]) => count),
      [1],
    );
    assert.deepEqual(of(bobs, 'Task'), []);
  });

  it('WEB-06 lists views, follows, valid keys with their last use, and open sessions', async () => {
    await testSession(p, 'ann');
    await p.byKey(String(key['ApiKey'])).get('/api/contact/search');
    const rows = await holdings(ann.personId);
    assert.deepEqual(
      of(rows, 'View').map(([name]) => name),
      ['Mine first'],
    );
    assert.deepEqual(of(rows, 'Follow'), [['Foreclosure', null, 1]]);
    const keys = rows.filter((row) => row['Kind'] === 'ApiKey');
    const exported = keys.find((row) => row['Name'] === 'Nightly export');
    assert.ok(!keys.some((row) => row['Name'] === 'Old laptop'), 'a revoked key is no longer held');
    assert.equal(exported?.['ObjectID'], key['ApiKeyID']);
    assert.equal(of(rows, 'Session').length, 1);
  });

  it('WEB-06 lists calls that are queued or recur as the user, by operation', async () => {
    const staff = client(p, ann.caller);
    for (const _ of 'ab') assert.equal((await staff.send('contact/queue/search')).status, 202);
    const recurring = await staff.send('contact/queue/search', { ScheduleName: 'Daily @ 3am' });
    assert.equal(recurring.status, 202, recurring.text);
    const rows = await holdings(ann.personId);
    assert.deepEqual(of(rows, 'QueuedCall'), [['contact/search', null, 2]]);
    assert.deepEqual(of(rows, 'RecurringCall'), [['contact/search', 'Daily @ 3am', 1]]);
    assert.deepEqual(of(await holdings(bob.personId), 'QueuedCall'), []);
  });

  it('WEB-06 is only for users who may change users and see everything, and omits what they may not search', async () => {
    const PersonID = ann.personId;
    await client(p, bob.caller).expectRefused('handover/holdings', { PersonID }, 'NO_PERMISSION');
    await admin.save('role', { Role: 'Narrow', Permissions: 'Person* Role*', UniversalAccess: false });
    const narrow = await p.firm('Hollis Law', 'Narrow');
    const firm = client(p, narrow.caller);
    await firm.expectRefused('handover/holdings', { PersonID: narrow.personId }, 'NO_PERMISSION');
    await firm.expectRefused('handover/holdings', { PersonID }, 'NO_PERMISSION');
    await admin.save('role', { Role: 'Users only', Permissions: 'Person*', UniversalAccess: true });
    const usersOnly = await p.user('users only', 'Users only');
    assert.deepEqual(await client(p, usersOnly.caller).expectRows('handover/holdings', { PersonID }), []);
    const session = await testSession(p, 'users only');
    const shown = await session.get(`/administration/users/${PersonID}/holdings`);
    assert.match(shown.text, /Nothing that you may see/);
    assert.doesNotMatch(shown.text, /No open work is assigned/);
    await admin.expectRefused('handover/holdings', { PersonID: 999_999 }, 'NOT_FOUND', 'PersonID');
  });

  it("WEB-06 a user's page leads to what they hold, and names the queue, the task type and the key", async () => {
    const session = await testSession(p, 'chief');
    const address = `/administration/users/${ann.personId}/holdings`;
    assert.ok((await session.get(`/administration/users/${ann.personId}`)).text.includes(`href="${address}"`));
    const { status, text } = await session.get(address);
    assert.equal(status, 200, text);
    for (const part of [`/records/smartworklist/${titles.id}`, 'Inspect', 'Foreclosures', 'Nightly export'])
      assert.ok(text.includes(part), part);
    assert.ok(!text.includes('Old laptop'));
    const staff = await testSession(p, 'bob');
    assert.equal((await staff.get(address)).status, 403);
  });
});
