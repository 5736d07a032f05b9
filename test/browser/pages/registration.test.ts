/** Registering and confirming in a browser, without script. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press } from '../../support/browser/page-steps.ts';
import { linkIn, PASSWORD, registrations } from '../../support/contacts/registration.ts';

describe('registering in a browser', { skip: browserMissing }, async () => {
  const { on, clock, mailsTo } = await registrations({ after });
  const browser = await testBrowser({ after });

  it('CON-08 leads from the sign-in page to a confirmed account without script, and every page is accessible', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await page.goto(`${on.url}/register`);
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.setJavaScriptEnabled(false);
    await page.goto(`${on.url}/signin`);
    await press(page, 'main', 'Register');
    for (const [field, value] of [
      ['first', 'Nora'],
      ['last', 'New'],
      ['email', 'nora@newcomer.example'],
      ['password', PASSWORD],
      ['organization', 'New & Sons'],
    ] as const)
      await page.type(`#${field}`, value);
    await screenshot(page, 'register');
    await press(page, 'main form', 'Register');
    assert.match(
      await page.$eval('main', (main) => main.textContent ?? ''),
      /We sent an email to nora@newcomer\.example/,
    );
    const token = linkIn((await mailsTo('nora@newcomer.example'))[0]);
    await page.setJavaScriptEnabled(true);
    await page.goto(`${on.url}/confirm/${token}`);
    assert.deepEqual(await accessibilityViolations(page), []);
    await screenshot(page, 'confirm');
    await page.setJavaScriptEnabled(false);
    await page.goto(`${on.url}/confirm/${token}`);
    await press(page, 'main form', 'Confirm');
    assert.match(await page.$eval('main', (main) => main.textContent ?? ''), /Your account is ready/);
    clock.advance(1_000);
    await Promise.all([page.waitForNavigation(), page.click('main a[href="/signin"]')]);
    await page.type('#name', 'nora@newcomer.example');
    await page.type('#password', PASSWORD);
    await press(page, 'main form', 'Sign in');
    assert.match(await page.$eval('header', (header) => header.textContent ?? ''), /nora@newcomer\.example/);
    assert.deepEqual(problems, []);
  });

  it('CON-08 reports missing values and invalid links without naming parameters', async () => {
    const page = await watchedPage(browser, []);
    await page.goto(`${on.url}/register`);
    for (const [field, value] of [
      ['first', 'Otto'],
      ['last', 'Old'],
      ['email', 'otto@newcomer.example'],
      ['password', PASSWORD],
    ] as const)
      await page.type(`#${field}`, value);
    await press(page, 'main form', 'Register');
    assert.match(
      await page.$eval('[role=alert]', (note) => note.textContent ?? ''),
      /your firm's name if it's new here, or the code/,
    );
    assert.equal(
      await page.$eval('#email', (input) => (input as unknown as { value: string }).value),
      'otto@newcomer.example',
    );
    // The same hint for every address: it does not reveal whether the account exists.
    await page.goto(`${on.url}/signin`);
    await page.type('#name', 'otto@newcomer.example');
    await page.type('#password', PASSWORD);
    await press(page, 'main form', 'Sign in');
    assert.match(
      await page.$eval('main', (main) => main.textContent ?? ''),
      /Did you just register\? First open the link/,
    );
    await page.goto(`${on.url}/confirm/${'x'.repeat(43)}`);
    await press(page, 'main form', 'Confirm');
    const reported = await page.$eval('main', (main) => main.textContent ?? '');
    assert.match(reported, /no longer valid/);
    assert.doesNotMatch(reported, /Token/);
  });
});
