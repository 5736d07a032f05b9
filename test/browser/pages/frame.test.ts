import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { writeNotifications } from '../../../src/modules/console/notification/lib/write-notifications.ts';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const HOSTILE = '"><script>alert(1)</script>';

describe('what frames the day', { skip: browserMissing }, async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const clerkUser = await p.user('clerk', 'Staff');
  const clerk = client(p, clerkUser.caller);
  const made = await admin.save('foreclosure', { Foreclosure: 'FC-1' });
  const viewOf = async (View: string): Promise<number> => {
    const row = await clerk.save('view', { View, RecordType: 'CaseSummary', PersonID: clerkUser.personId });
    return Number(row['ViewID']);
  };
  const views = [await viewOf('First'), await viewOf(HOSTILE), await viewOf('Third')];
  await writeNotifications(p.platform);

  it('WEB-01 WEB-03 a clerk pins a view by its key and moves it by keyboard; the sidebar stays as it was left', async (t) => {
    const at = await visitor(t, p, 'clerk');
    for (const ViewID of views.slice(0, 2)) assert.equal((await clerk.send('view/pin', { ViewID })).status, 204);
    await at.open(`/cases?View=${String(views[2])}`);
    await at.keys('p');
    await at.waitFor('Third', '#pins');
    await at.waitFor('Unpin', '[data-pin-form]');
    await at.page.focus(`[data-pin="${String(views[2])}"] a`);
    await at.keys('Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp');
    await at.waitFor('It is the first.', '#announcement');
    assert.match(await at.focused(), /^Third/);
    const names = (): Promise<string[]> => at.page.$$eval('#pins bdi', (all) => all.map((each) => each.textContent));
    const moved = ['Third', 'First', HOSTILE];
    assert.equal((await names())[0], 'Third');
    // The pin and five moves are stored one after the other.
    await at.page.waitForFunction(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/view/pin')).length === 6,
    );
    await at.open('/pinned-views');
    assert.deepEqual(
      (await names()).filter((name) => moved.includes(name)),
      moved,
    );
    assert.deepEqual(await visibleFaults(at.page), []);
  });

  it('WEB-02 WEB-03 the bell opens the latest over the page; arrows move, Esc closes and gives the focus back', async (t) => {
    await clerk.send('follow/add', { Object: 'Foreclosure', ObjectID: made['ForeclosureID'] });
    await admin.save('message', { Object: 'Foreclosure', ObjectID: made['ForeclosureID'], Message: HOSTILE });
    await admin.save('foreclosure', { ID: made['ForeclosureID'], ScheduledSaleDate: '2031-07-05' });
    await writeNotifications(p.platform);
    const at = await visitor(t, p, 'clerk');
    await at.open('/preferences');
    await at.tabTo('button', 'Notifications 2 unread');
    await at.keys('Enter');
    await at.waitFor('Sale date', '#bell-panel');
    const first = await at.focused();
    await at.keys('ArrowDown');
    assert.notEqual(await at.focused(), first);
    assert.deepEqual(await visibleFaults(at.page), []);
    await at.keys('Escape');
    assert.equal(await at.page.$('#bell-panel'), null);
    assert.equal(await at.focused(), 'Notifications 2 unread');
    await at.keys('Enter');
    await at.waitFor('Sale date', '#bell-panel');
    await at.click('button', 'Mark all as read');
    await at.page.waitForFunction("document.querySelector('#bell-panel .unread') === null");
    await at.page.waitForSelector('.bell-count[hidden]');
    assert.equal((await clerk.expectOk('notification/count'))['Unread'], 0);
  });
});
