import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const clerk = await p.user('clerk', 'Staff');
const staff = client(p, clerk.caller);
const firm = await p.firm('Hollis Law', 'Partner');
const firmUser = client(p, firm.caller);
const shared = await admin.save('view', {
  View: 'Everybody <b>',
  RecordType: 'Contact',
  Filters: 'LastName=Delgado',
  Pinned: true,
});
const own = await staff.save('view', { View: 'Mine', RecordType: 'Contact', PersonID: clerk.personId });
const foreign = await admin.save('view', { View: 'Not mine', RecordType: 'Contact', PersonID: firm.personId });
const hidden = await admin.save('view', { View: 'Users', RecordType: 'APIKey', Pinned: true });
await admin.save('contact', { LastName: 'Delgado', FirstName: 'Marisol' });

const pinned = async (of = staff): Promise<unknown[]> =>
  (await of.expectRows('view/pinned')).filter((row: Row) => row['RecordType'] === 'Contact').map((row) => row['View']);

async function pin(fields: object): Promise<void> {
  assert.equal((await staff.send('view/pin', fields)).status, 204);
}

describe('the sidebar', () => {
  it('WEB-01 a user pins, moves and unpins views for themselves only; views that nobody may list are left out', async () => {
    assert.deepEqual(await pinned(), ['Everybody <b>']);
    await pin({ ViewID: own['ViewID'] });
    assert.deepEqual(await pinned(), ['Everybody <b>', 'Mine']);
    await pin({ ViewID: own['ViewID'], Position: 0 });
    assert.deepEqual(await pinned(), ['Mine', 'Everybody <b>']);
    await pin({ ViewID: shared['ViewID'], Pinned: false });
    assert.deepEqual(await pinned(), ['Mine']);
    assert.deepEqual(await pinned(firmUser), ['Everybody <b>'], 'nobody else loses it');
    const all = await staff.expectRows('view/pinned');
    assert.ok(!all.some((row) => row['ViewID'] === hidden['ViewID']), 'the clerk may not search API keys');
  });

  it('WEB-01 the top bar shows the first name, and the sign-in name only without one', async () => {
    assert.match((await (await testSession(p, 'clerk')).get('/preferences')).text, /class="user-name">clerk</);
    const { personId } = await p.user('marisol.d', 'Staff');
    await admin.save('person', { ID: personId, FirstName: '<i>Marisol' });
    const { text } = await (await testSession(p, 'marisol.d')).get('/preferences');
    assert.match(text, /class="user-name">&lt;i>Marisol<|class="user-name">&lt;i&gt;Marisol</);
  });

  it('WEB-01 pinning refuses views of others, places below 0, and preferences that are no list of views', async () => {
    await staff.expectRefused('view/pin', { ViewID: foreign['ViewID'] }, 'NOT_FOUND', 'ViewID');
    await staff.expectRefused('view/pin', { ViewID: own['ViewID'], Position: -1 }, 'BAD_PARAMETER', 'Position');
    for (const PinnedViews of ['x', '1,,2', '1,', '0'])
      await staff.expectRefused('preference/choose', { PinnedViews }, 'BAD_PARAMETER', 'PinnedViews');
  });

  it('WEB-01 a page has the pinned views at once, their numbers once they were counted, and each text escaped', async () => {
    await pin({ ViewID: shared['ViewID'] });
    const session = await testSession(p, 'clerk');
    const first = (await session.get('/preferences')).text;
    assert.match(first, /data-sidebar-counts="stale"/);
    assert.match(first, /Everybody &lt;b&gt;/);
    const { text } = await session.get('/sidebar');
    assert.match(text, /data-sidebar-counts="fresh" data-live="me\/smartworklistmember [^"]*contact/);
    assert.match(text, /<span class="count">1<span class="hidden"> records/);
    const later = (await session.get('/preferences')).text;
    assert.match(later, /data-sidebar-counts="fresh"/);
    assert.match(later, /<span class="count">1</);
  });

  it('WEB-01 without script views are moved and unpinned on a page of their own', async () => {
    const session = await testSession(p, 'clerk');
    const path = `/pinned-views/${String(shared['ViewID'])}`;
    const moved = await session.post(path, { Position: '0' });
    assert.equal(moved.location, `/pinned-views#pin-${String(shared['ViewID'])}`);
    assert.deepEqual(await pinned(), ['Everybody <b>', 'Mine']);
    assert.match((await session.get('/pinned-views')).text, /Move down<\/span><span class="hidden"> Everybody/);
    await session.post(path, { Pinned: 'false' });
    assert.deepEqual(await pinned(), ['Mine']);
  });

  it('WEB-01 what cannot be counted does not break the sidebar', async () => {
    const { ViewID } = await staff.save('view', { View: 'Broken', RecordType: 'Contact', PersonID: clerk.personId });
    await pin({ ViewID: ViewID });
    await p.platform.store.query("update view set filters = 'Gone=1' where viewid = $1::bigint", [ViewID]);
    const session = await testSession(p, 'clerk');
    const { text } = await session.get('/sidebar');
    assert.match(text, /Broken/);
    assert.match((await session.get('/preferences')).text, /data-sidebar-counts="fresh"/, 'it is not requested again');
  });
});
