import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { changesOfVersion } from '../../../src/modules/system/setting/lib/setting-changes.ts';
import { diskFinding } from '../../../src/modules/system/system/lib/disk-finding.ts';
import { eventFilter, eventWords, offeredEvents } from '../../../src/surfaces/pages/administration/security-events.ts';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { personId: chief } = await p.user('chief', 'Administrator');
await p.user('clerk', 'Staff');
const SETTINGS = '/administration/settings';
const HISTORY = `${SETTINGS}/history?Setting=QueueAttemptsMax`;
const HOSTILE = '<img src=x onerror=alert(1)>';

async function values(name: string): Promise<unknown[][]> {
  const rows = await admin.expectRows('setting/changes', { Setting: name });
  return rows.map(({ From: from, To: to }) => [from ?? null, to ?? null]);
}

describe('the history of settings', () => {
  it('WEB-06 shows who changed a setting from what to what, across resets, and undoes each change', async () => {
    const session = await testSession(p, 'chief');
    assert.match((await session.get(HISTORY)).text, /never been changed/);
    for (const value of ['7', '9']) await session.post(SETTINGS, { Setting: 'QueueAttemptsMax', Value: value });
    const [stored] = await admin.expectRows('setting/search', { Setting: 'QueueAttemptsMax' });
    await session.post(SETTINGS, {
      Setting: 'QueueAttemptsMax',
      SettingID: String(stored?.['SettingID']),
      Reset: 'true',
    });
    await session.post(SETTINGS, { Setting: 'queueattemptsmax', Value: '11' });
    assert.deepEqual(await values('queueattemptsmax'), [
      [null, '11'],
      ['9', null],
      ['7', '9'],
      [null, '7'],
    ]);
    const [latest] = await admin.expectRows('setting/changes', { Setting: 'QueueAttemptsMax' });
    assert.equal(latest?.['PersonID'], chief);
    const page = await session.get(HISTORY);
    assert.match(page.text, /<bdi>chief<\/bdi>/);
    assert.match((await session.get(SETTINGS)).text, /settings\/history\?Setting=QueueAttemptsMax/);
    const back = await session.post(SETTINGS, { Setting: 'QueueAttemptsMax', History: 'true', Value: '7' });
    assert.equal(back.location, `${HISTORY}&done=true`);
    assert.deepEqual((await values('QueueAttemptsMax'))[0], ['11', '7']);
    assert.match((await session.get(`${HISTORY}&done=true`)).text, /Setting changed back/);
  });

  it('WEB-06 is refused without permission, and for a setting that does not exist', async () => {
    const clerk = await testSession(p, 'clerk');
    assert.equal((await clerk.get(HISTORY)).status, 403);
    const session = await testSession(p, 'chief');
    assert.equal((await session.get(`${SETTINGS}/history?Setting=${encodeURIComponent(HOSTILE)}`)).status, 404);
    await admin.expectRefused('setting/changes', { Setting: 'Nothing' }, 'BAD_PARAMETER', 'Setting');
    await admin.save('role', { Role: 'Curious', Permissions: 'SettingHistory RoleGranted RoleSelect' });
    const firm = await p.firm('Curious Firm', 'Curious');
    const roles = await admin.expectRows('role/search', { Role: 'Staff' });
    for (const path of ['setting/changes?Setting=TimeZone', `role/holders?ID=${roles[0]?.['RoleID']}`])
      assert.equal((await firm.caller.get(`/api/${path}`)).status, 403, path);
  });

  it('follows a row through its delete and undelete', () => {
    const change = (at: string, kind: string, value: string | null = null) => ({
      id: 1,
      at,
      change: kind,
      personid: 2,
      hasvalue: value !== null,
      value,
    });
    const version = { id: 1, value: 'c', created: '1', createdby: 3 };
    const changes = changesOfVersion(version, [
      change('6', 'update', 'b'),
      change('5', 'update'),
      { ...change('5', 'update', 'x'), id: 9 },
      change('4', 'undelete'),
      change('3', 'delete', 'b'),
      change('2', 'update', 'a'),
    ]);
    assert.deepEqual(
      changes.map(({ At: at, From: from, To: to, PersonID: person }) => [at, from, to, person]),
      [
        ['6', 'b', 'c', 2],
        ['4', null, 'b', 2],
        ['3', 'b', null, 2],
        ['2', 'a', 'b', 2],
        ['1', null, 'a', 3],
      ],
    );
  });
});

describe('the comparison of roles', () => {
  it('WEB-06 says in words what one role grants and the other does not, and who has it through what', async () => {
    const [first, second] = [
      await admin.save('role', { Role: 'First <b>', Permissions: 'Contact* -ContactDelete', UniversalAccess: true }),
      await admin.save('role', { Role: 'Second', Permissions: 'ContactSearch ContactDelete', UniversalAccess: true }),
    ];
    await p.user('holder', 'First <b>, second');
    await p.user('former', 'SECOND');
    const [former] = await admin.expectRows('person/search', { Person: 'former' });
    await admin.save('person', { ID: former?.['PersonID'], Status: 'Inactive' });
    const ids = { ID: first['RoleID'], OtherID: second['RoleID'] };
    const rows = await admin.expectRows('role/compare', ids);
    const of = (isFirst: boolean): unknown[] =>
      rows.filter(({ First: is }) => is === isFirst).map(({ Operation: operation }) => operation);
    assert.ok(of(true).includes('contact/save'));
    assert.ok(!of(true).includes('contact/search'), 'both grant it');
    assert.deepEqual(of(false), ['contact/delete']);
    const holders = await admin.expectRows('role/holders', { ID: second['RoleID'] });
    assert.deepEqual(
      holders.map(({ Person: person, Status: status, OtherRoles: other }) => [person, status, other ?? null]),
      [
        ['holder', 'Active', 'First <b>'],
        ['former', 'Inactive', null],
      ],
    );
    assert.equal(holders[0]?.['HasPassword'], true);
    const session = await testSession(p, 'chief');
    const page = await session.get(`/administration/roles/compare?First=${first['RoleID']}&Second=${second['RoleID']}`);
    assert.equal(page.status, 200);
    assert.match(page.text, /Only <bdi>First &lt;b&gt;<\/bdi> may/);
    assert.match(page.text, /Only <bdi>Second<\/bdi> may/);
    assert.match(page.text, /Contacts<\/th>\s*<td data-label="Change"><span title="[^"]+">Delete<\/span><\/td>/);
    assert.match(page.text, /Who has <bdi>First &lt;b&gt;<\/bdi>/);
    assert.match((await session.get('/administration/roles')).text, /roles\/compare\?First=/);
    assert.equal((await session.get('/administration/roles/compare?First=999999')).status, 404);
    assert.equal((await (await testSession(p, 'clerk')).get('/administration/roles/compare')).status, 403);
  });
});

describe('the security log', () => {
  it('WEB-06 is filtered by words, whole or in part, and by the names of events as before', async () => {
    for (const event of offeredEvents) assert.equal(eventWords(eventFilter(event)), event);
    assert.equal(eventFilter('Sign-in refused'), 'SignInRefused');
    assert.equal(eventFilter('SettingChanged'), 'SettingChanged');
    assert.equal(eventFilter('Refused'), 'Refused');
    assert.equal(eventFilter('setting ch'), '*settingch*');
    assert.equal(eventFilter('user created'), 'PersonMade');
    assert.equal(eventFilter('***'), '***');
    const session = await testSession(p, 'chief');
    const search = async (words: string): Promise<string> =>
      (await session.get(`/administration/security?${new URLSearchParams({ Event: words }).toString()}`)).text;
    const [whole, part, raw] = [
      await search('Setting changed'),
      await search('setting'),
      await search('SettingChanged'),
    ];
    for (const text of [whole, part, raw]) assert.match(text, /Event=SettingChanged">Setting changed<\/a>/);
    assert.match(whole, /value="Setting changed"/);
    assert.match(await search('Sign-in refused'), /No entries match/);
    assert.doesNotMatch(await search(HOSTILE), /<img src=x/);
  });

  it('WEB-06 has a live view that a key begins and pauses', async () => {
    const session = await testSession(p, 'chief');
    const still = await session.get('/administration/security?Event=Refused');
    assert.match(still.text, /href="[^"]*Event=Refused&amp;Live=true"[^>]*data-key="l"/);
    assert.doesNotMatch(still.text, /data-refresh-seconds/);
    const live = await session.get('/administration/security?Event=Refused&Live=true');
    assert.match(live.text, /id="log-entries" data-refresh-seconds="3"/);
    assert.match(live.text, /href="[^"]*\?Event=Refused"[^>]*data-key="l"[^>]*>.*Pause/s);
    const older = await session.get('/administration/security?Live=true&RecordStart=50');
    assert.doesNotMatch(older.text, /data-refresh-seconds/, 'older entries do not change');
  });
});

describe('the disks of stored files', () => {
  it('WEB-06 the fullest disk decides by the settings, which the advice names', () => {
    const gigabyte = 1024 ** 3;
    const limits = { warning: 85, failed: 95 };
    const disk = (percent: number, ...locations: string[]) => ({
      locations,
      size: 100 * gigabyte,
      free: (100 - percent) * gigabyte,
    });
    assert.deepEqual(diskFinding([disk(84, 'Local')], limits), {
      State: 'ok',
      Detail: 'Local: 84 % used, 16 GB free.',
    });
    const warned = diskFinding([disk(10, 'Local'), disk(85, 'Scans', 'Mail')], limits);
    assert.equal(warned.State, 'warning');
    assert.match(warned.Detail, /^Scans, Mail: 85 % used, 15 GB free; Local: 10 %/);
    assert.match(warned.Advice ?? '', /DiskWarningPercent \(85\)/);
    assert.equal(diskFinding([disk(96, 'Local')], limits).State, 'failed');
    assert.equal(diskFinding([{ locations: ['Odd'], size: 0, free: 0 }], limits).State, 'ok');
    assert.equal(diskFinding([], limits).State, 'ok');
  });

  it('WEB-06 is a finding of the health report', async () => {
    const found = (await admin.expectRows('system/health')).find(({ Health: health }) => health === 'Disk space');
    assert.match(String(found?.['Detail']), /^Local: \d+ % used, [\d.,]+ GB free\.$/);
  });
});
