/** Live pages, notifications, lost connections and drafts, in a browser. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { pages } from '../../../src/app/pages.ts';
import { writeNotifications } from '../../../src/modules/console/notification/lib/write-notifications.ts';
import { createServer } from '../../../src/surfaces/http/server.ts';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot, testBrowser, watchedPage } from '../../support/browser/browser.ts';
import { signInAt } from '../../support/browser/page-steps.ts';
import { client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const p = await testPlatform({ after });
const second = await secondPlatform({ after }, p);
const admin = client(p);
const { caller } = await p.user('clerk', 'Administrator');
const clerk = client(p, caller);

const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '');

async function notify(id: unknown, text: string): Promise<void> {
  await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: text });
  assert.equal(await writeNotifications(second.platform), 1);
}

describe('live pages', { skip: browserMissing }, async () => {
  const browser = await testBrowser({ after });

  it('WEB-02 WEB-08 a notification that another process writes is counted in every tab over one stream; the list waits until it is wanted', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    const streams: string[] = [];
    const watch = (of: Page): unknown =>
      of.on('request', (request) => {
        if (request.url().includes('/live?')) streams.push(request.url());
      });
    watch(page);
    await signInAt(page, p.url, 'clerk');
    const loan = await admin.save('loan', { Loan: 'LIVE-1' });
    const { ForeclosureID: id } = await admin.save('foreclosure', { LoanID: loan['LoanID'] });
    await writeNotifications(p.platform);
    await clerk.send('follow/add', { Object: 'Foreclosure', ObjectID: id });
    await page.goto(`${p.url}/notifications`);
    const other = await page.browserContext().newPage();
    watch(other);
    await other.goto(`${p.url}/preferences`);
    await eventually('the stream is open', () => streams.length > 0);
    await page.bringToFront();
    await notify(id, 'First');
    const counted = (of: Page): Promise<unknown> =>
      of.waitForFunction("document.querySelector('.bell-count:not([hidden])')?.textContent.startsWith('1')", {
        polling: 50,
      });
    await Promise.all([counted(page), counted(other)]);
    assert.equal(streams.length, 1, `both tabs have one stream: ${streams.join(', ')}`);
    // The list does not move by itself.
    await page.waitForSelector('#notification-list-news');
    assert.match(await textOf(page, '#notification-list-news'), /^1 new Show$/);
    assert.doesNotMatch(await textOf(page, '#notification-list'), /First/);
    await page.focus('#notification-list-news button');
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.querySelector('#notification-list').textContent.includes('First')");
    assert.equal(await page.evaluate('document.activeElement.id'), 'notification-list');
    assert.equal(await page.$('#notification-list-news'), null);
    assert.deepEqual(await visibleFaults(page), []);
    await screenshot(page, 'notifications');
    await other.close();
    await notify(id, 'Second');
    await page.waitForSelector('#notification-list-news');
    await other.close().catch(() => undefined);
    assert.deepEqual(problems, []);
  });

  it('WEB-06 a dropped line is said, tried again, and what was missed comes', async () => {
    let server = createServer(p.platform, pages);
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const page = await watchedPage(browser, []);
    await signInAt(page, url, 'clerk');
    await page.goto(`${url}/notifications`);
    await eventually('the page listens', () => p.platform.changes.isActive);
    await server.close();
    await page.waitForSelector('#connection-state');
    assert.match(await textOf(page, '#connection-state'), /No connection.*Trying again/);
    server = createServer(p.platform, pages);
    after(() => server.close());
    await server.listen({ port: Number(new URL(url).port), host: '127.0.0.1' });
    await page.waitForFunction("!document.querySelector('#connection-state')", { timeout: 20_000 });
  });

  it('WEB-06 what was typed survives the end of the session, and is gone once it is saved; passwords are not stored', async () => {
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'clerk');
    await page.goto(`${p.url}/preferences`);
    await page.select('select[name=TimeZone]', 'America/Denver');
    await p.platform.store.query("update session set endeddate = now(), status = 'Ended'");
    p.platform.identity.forget();
    await Promise.all([page.waitForNavigation(), page.click('form.entry button.primary')]);
    assert.match(page.url(), /\/signin/);
    await page.type('#name', 'clerk');
    await page.type('#password', 'password of clerk');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.goto(`${p.url}/preferences`);
    assert.match(await textOf(page, '.draft-note'), /not saved yet/);
    assert.equal(await page.$eval('select[name=TimeZone]', (field) => field.value), 'America/Denver');
    assert.doesNotMatch(String(await page.evaluate('JSON.stringify({ ...sessionStorage })')), /password of clerk/);
    assert.deepEqual(await visibleFaults(page), []);
    await screenshot(page, 'preferences');
    await Promise.all([page.waitForNavigation(), page.click('form.entry button.primary')]);
    assert.match(page.url(), /done=saved/);
    assert.equal(await page.$('.draft-note'), null);
    assert.equal((await clerk.expectOk('preference/own'))['TimeZone'], 'America/Denver');
  });

  it('WEB-06 a form that is sent without a network waits, and is sent once', async () => {
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'clerk');
    await page.goto(`${p.url}/preferences`);
    let posts = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/preferences')) posts++;
    });
    await page.select('select[name=TimeZone]', 'America/Chicago');
    await page.setOfflineMode(true);
    await page.click('form.entry button.primary');
    await page.waitForSelector('.offline-note');
    await page.click('form.entry button.primary');
    assert.equal(posts, 0);
    const saved = page.waitForNavigation();
    await page.setOfflineMode(false);
    await saved;
    assert.match(page.url(), /done=saved/);
    assert.equal(posts, 1);
    assert.equal((await clerk.expectOk('preference/own'))['TimeZone'], 'America/Chicago');
  });
});
