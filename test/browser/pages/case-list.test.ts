import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot, testBrowser, watchedPage } from '../../support/browser/browser.ts';
import { signInAt } from '../../support/browser/page-steps.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

const HOSTILE = `"><script>alert(1)</script>`;
const CASES = 14;

describe('the list of cases', async () => {
  const p = await testPlatform({ after }, { worker: true });
  const admin = client(p);
  const { template, start } = workflowCalls(p);
  const dana = await p.user('dana', 'Team lead');
  const theo = await p.user('theo', 'Staff');
  await admin.save('person', { ID: theo.personId, FirstName: 'Theo', LastName: 'Marsh' });
  const form = await admin.save('importformtemplate', { ImportFormTemplate: 'Review it', AppliesTo: 'Foreclosure' });
  const step = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'], EstimatedDuration: 10 };
  await template('Judicial', [
    { name: 'Review', ...step, Milestone: 'Referred', Sequence: 1 },
    { name: 'Title', ...step, Milestone: 'Title', Sequence: 2, after: ['Review'] },
    { name: 'File', ...step, Milestone: 'Complaint', Sequence: 3, after: ['Title'] },
  ]);
  const names = ['Delgado', 'Osborne', 'Ibrahim', HOSTILE, 'Haddad'];
  for (let n = 0; n < CASES; n++) {
    const { PropertyID } = await admin.save('property', { Address: `${n} Linden Ave`, City: 'Yonkers', State: 'NY' });
    const { LoanID } = await admin.save('loan', { Loan: `0047 ${n}`, Agency: 'A', UPBAmount: 200_000 + n, PropertyID });
    const LastName = names[n % names.length];
    await admin.save('contact', { Object: 'Loan', ObjectID: LoanID, LastName, FirstName: `M${n}`, Sequence: 1 });
    const made = await admin.save('foreclosure', {
      Foreclosure: `FC-26-${String(n).padStart(5, '0')}`,
      LoanID,
      ...(n % 2 === 0 && { AssignedPersonID: dana.personId }),
    });
    if (n % 3 !== 0) await start('Judicial', Number(made['ForeclosureID']));
  }
  const browser = browserMissing === false ? await testBrowser({ after }) : undefined;

  it(
    'WEB-01 WEB-03 a clerk filters, previews, ticks three cases, assigns them and undoes it, by keyboard alone',
    { skip: browserMissing },
    async () => {
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await page.setViewport({ width: 1440, height: 900 });
      await signInAt(page, p.url, 'dana');
      await page.goto(`${p.url}/cases`);
      assert.equal(await rowsShown(page), CASES);
      await screenshot(page, 'cases-light');
      assert.deepEqual(await visibleFaults(page), []);
      await page.setViewport({ width: 390, height: 844 });
      await screenshot(page, 'cases-phone');
      await page.setViewport({ width: 1440, height: 900 });
      // Find: the filter box, by its key.
      await page.keyboard.press('/');
      await page.keyboard.type('del');
      await page.keyboard.press('Enter');
      await page.waitForFunction("document.querySelectorAll('.record-rows tbody tr').length === 3");
      assert.match(page.url(), /StartsWith=del/);
      // Move and preview.
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('j');
      await page.keyboard.press('Space');
      await page.waitForSelector('#preview:not([hidden]) h2');
      assert.match(await page.$eval('#preview h2', (title) => title.textContent ?? ''), /Delgado/);
      await screenshot(page, 'cases-preview');
      assert.deepEqual(await visibleFaults(page), []);
      await page.keyboard.press('j');
      await page.waitForFunction(
        "document.querySelector('#preview .muted').textContent === document.querySelector('tr.current th').textContent",
      );
      await page.keyboard.press('Escape');
      await page.waitForSelector('#preview[hidden]');
      // Tick three, and assign them.
      for (const key of ['x', 'k', 'x', 'j', 'j', 'x'] as const) await page.keyboard.press(key);
      assert.equal(await page.$eval('[data-tick-count]', (count) => count.textContent), '3 selected');
      await screenshot(page, 'cases-ticked');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('r')]);
      assert.match(await page.$eval('h1', (title) => title.textContent ?? ''), /^Assign 3 cases$/);
      assert.deepEqual(await visibleFaults(page), []);
      // The assignee, by the beginning of the last name; a name that nobody has is refused here.
      await page.keyboard.type('Nobody');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#AssignedPersonID:user-invalid');
      await page.evaluate("document.querySelector('#AssignedPersonID').select()");
      await page.keyboard.type('mars');
      await page.waitForSelector('[role=option][aria-selected=true]');
      assert.deepEqual(await visibleFaults(page), []);
      await screenshot(page, 'bulk-choices');
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate("document.querySelector('#AssignedPersonID').value"), 'Theo Marsh · theo');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      assert.match(await page.$eval('main', (main) => main.innerText), /3 of 3 can be changed/);
      await screenshot(page, 'bulk-check');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      await page.waitForFunction("document.querySelector('main').innerText.includes('3 of 3 done')", {
        timeout: 20_000,
      });
      await screenshot(page, 'bulk-done');
      assert.deepEqual(await visibleFaults(page), []);
      const assigned = async (): Promise<number> =>
        (await admin.expectRows('process/search', { AssignedPersonID: theo.personId })).length;
      assert.equal(await assigned(), 3);
      // Undo.
      await page.waitForSelector('[data-key=z]');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('z')]);
      await page.waitForFunction("document.querySelector('main').innerText.includes('3 of 3 done')", {
        timeout: 20_000,
      });
      assert.equal(await assigned(), 0);
      assert.deepEqual(problems, []);
    },
  );
});

function rowsShown(page: Page): Promise<number> {
  return page.$$eval('.record-rows tbody tr', (rows) => rows.length);
}
