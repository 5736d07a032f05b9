import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { cookieOf, sessionOf, signIn, testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
await p.user('clerk', 'Administrator');
const firm = await p.firm('Finch');

describe('preferences', () => {
  it('WEB-03 a user changes single preferences, of their own only; an empty one is the default again', async () => {
    const own = client(p, firm.caller);
    const first = await own.expectOk('preference/choose', { Theme: 'dark', Shortcuts: false });
    assert.equal(first['Theme'], 'Dark');
    const second = await own.expectOk('preference/choose', { TimeZone: 'America/Denver', Theme: '' });
    assert.equal(second['TimeZone'], 'America/Denver');
    assert.equal(second['Shortcuts'], false);
    assert.deepEqual(await own.expectOk('preference/own'), second);
    assert.equal((await client(p).expectOk('preference/own'))['TimeZone'] ?? null, null);
    await own.expectRefused('preference/choose', { TimeZone: 'Mars/Base' }, 'BAD_PARAMETER', 'TimeZone');
    const stored = { PersonID: firm.personId, TimeZone: 'Mars/Base' };
    await client(p).expectRefused('preference/save', stored, 'BAD_PARAMETER', 'TimeZone');
    await own.expectRefused('preference/choose', { MutedKinds: 'Hold,Gossip' }, 'BAD_PARAMETER', 'MutedKinds');
    await own.expectRefused('preference/choose', { Theme: 'Pink' }, 'BAD_PARAMETER', 'Theme');
    await own.expectRefused('preference/search', {}, 'NO_PERMISSION');
    const changes = await p.platform.store.query<{ old: object }>(
      "select old from history where tablename = 'preference'",
    );
    assert.deepEqual(
      changes.map(({ old }) => old),
      [{ theme: 'Dark', timezone: null }],
    );
  });

  it('WEB-03 the page stores what is chosen, and every page has it as attributes from its first byte', async () => {
    const session = await testSession(p, 'clerk');
    const before = await session.get('/preferences');
    assert.equal(before.status, 200);
    assert.doesNotMatch(before.text, /<html[^>]*data-(?:theme|density|sidebar)/);
    const saved = await session.post('/preferences', {
      Theme: 'Contrast',
      Density: 'Comfortable',
      Sidebar: 'Collapsed',
      StartPage: 'Cases',
      TimeZone: 'Pacific/Honolulu',
      Notify: 'Mention',
    });
    assert.equal(saved.location, '/preferences?done=saved');
    const { text } = await session.get('/preferences?done=saved');
    const [, attributes = ''] = /<html lang="en"([^>]*)>/.exec(text) ?? [];
    const chosen = 'data-theme="contrast" data-density="comfortable" data-sidebar="collapsed" data-shortcuts="off"';
    assert.ok(attributes.endsWith(chosen), attributes);
    assert.match(text, /Preferences saved/);
    assert.match(text, /value="Mention" checked/);
    assert.doesNotMatch(text, /value="Hold" checked/);
    assert.match(text, /value="Pacific\/Honolulu" selected/);
    const refused = await session.post('/preferences', { Theme: 'Contrast', TimeZone: '"><script>' });
    assert.equal(refused.status, 400);
    assert.doesNotMatch(refused.text, /"><script>/);
  });

  it('WEB-03 signing in leads to the chosen start page, or to the page that was requested', async () => {
    const password = 'password of clerk';
    assert.notEqual((await signIn(p.url, 'clerk', password)).location, '/');
    const requested = await signIn(p.url, 'clerk', password, { fields: { returnTo: '/account' } });
    assert.equal(requested.location, '/account');
    const other = await signIn(p.url, 'user of Finch', 'password of user of Finch');
    assert.equal(other.location, '/');
  });

  it("WEB-03 times are shown in the user's zone", async () => {
    const session = sessionOf(p.url, cookieOf(await signIn(p.url, 'clerk', 'password of clerk')));
    const contact = await client(p).save('contact', { LastName: 'Zone' });
    await p.platform.store.query("update contact set createddate = '2026-03-01T20:00:00Z' where lastname = 'Zone'");
    const { text } = await session.get(`/records/contact/${String(contact['ContactID'])}`);
    assert.match(text, /datetime="2026-03-01T20:00:00[^"]*"[^>]*>[^<]*10:00 AM/);
  });
});
