import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { chooseFileByKeyboard } from '../../support/browser/choose-file.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

describe('the page of a case, without a mouse', { skip: browserMissing }, async () => {
  const p = await testPlatform({ after });
  const { ok, save, template, newCase, start } = workflowCalls(p);
  await p.user('clerk', 'Staff');
  const form = await save('importformtemplate', { ImportFormTemplate: 'Title review' });
  await template('Review', [
    { name: 'Look', Milestone: 'Title', Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] },
    { name: 'File', Milestone: 'Complaint', after: ['Look'] },
  ]);
  await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Workout', AppliesTo: 'Foreclosure' });
  const property = await save('property', { Address: '88 Linden Ave', City: 'Yonkers', State: 'NY' });
  const loan = await save('loan', { Loan: '0047718223', Agency: 'INVESTOR', PropertyID: property['PropertyID'] });
  const borrower = { Object: 'Loan', ObjectID: loan['LoanID'], LastName: 'Delgado' };
  await save('contact', { ...borrower, FirstName: 'Marisol', BorrowerType: 'Primary', Sequence: 1 });
  await save('contact', { ...borrower, FirstName: 'Hector', BorrowerType: 'Secondary', Sequence: 2 });
  const id = await newCase({ Foreclosure: 'FC-1', Status: 'Open', LoanID: loan['LoanID'], DateOpened: '2026-01-05' });
  await start('Review', id);
  const opened = async (): Promise<unknown> =>
    (await ok(p.admin.get(`/api/foreclosure/select/${id}?Output=Json`)))['DateOpened'];

  it('WEB-01 a clerk places and releases a hold, writes a note, changes a date and takes that back, adds a document, and opens the next task', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await clerk.open(`/case/foreclosure/${id}`);
    const first = await clerk.waitFor('Delgado, Marisol and Hector');
    for (const part of ['88 Linden Ave', '0047718223', 'Complaint', 'Co-borrower', 'Title review'])
      assert.ok(first.includes(part), part);
    assert.deepEqual(await visibleFaults(page), []);
    await screenshot(page, 'case-overview');

    await clerk.keys('h');
    await page.waitForSelector('select[name=DecisionDelay]:focus');
    await page.keyboard.type('Work');
    await clerk.tabTo('textbox', 'Reason');
    await page.keyboard.type('Package is complete');
    await clerk.follow(() => clerk.keys('Control+Enter'));
    await clerk.waitFor('The case is on hold. Workout since');
    assert.deepEqual(await visibleFaults(page), []);
    await clerk.tabTo('button', 'Release hold Workout');
    await clerk.follow(() => clerk.keys('Enter'));
    await clerk.waitFor('Hold ended');

    await clerk.keys('n');
    await page.waitForSelector('textarea[name=BodyText]:focus');
    await page.keyboard.type('Borrower called.');
    // The draft survives that the page is left.
    await clerk.open('/');
    await clerk.open(`/case/foreclosure/${id}`);
    await clerk.keys('n');
    await page.waitForFunction(`document.querySelector('textarea[name=BodyText]').value === 'Borrower called.'`);
    await page.waitForSelector('textarea[name=BodyText]:focus');
    await clerk.follow(() => clerk.keys('Control+Enter'));
    await clerk.waitFor('Note added.');
    assert.equal(await page.$eval('textarea[name=BodyText]', (area) => area.value), '');

    await clerk.follow(() => clerk.keys('d'));
    await page.waitForSelector('#act input[name=DateOpened]:focus');
    await page.keyboard.type('02062026');
    await clerk.follow(() => clerk.keys('Enter'));
    await clerk.waitFor('The dates were changed.');
    assert.equal(await opened(), '2026-02-06');
    await clerk.follow(() => clerk.keys('z'));
    await clerk.waitFor('The change was undone.');
    assert.equal(await opened(), '2026-01-05');
    assert.match(await clerk.waitFor('Feb 6, 2026'), /Opened\s+Jan 5, 2026\s+Feb 6, 2026/);
    assert.deepEqual(await visibleFaults(page), []);

    await clerk.keys('3');
    await clerk.waitFor('Add a file');
    const file = join(mkdtempSync(join(tmpdir(), 'case-')), 'title-report.txt');
    writeFileSync(file, 'Clear.');
    await chooseFileByKeyboard(clerk, file);
    await clerk.waitFor('1 of 1 uploaded', '.upload-tray');
    await clerk.waitFor('title-report.txt');

    for (const [key, text] of [
      ['2', 'Title review'],
      ['5', 'No ledgers'],
      ['6', 'All 2 steps'],
      ['4', 'Borrower called.'],
      ['1', 'Open tasks'],
    ] as const) {
      await clerk.keys(key);
      await clerk.waitFor(text);
      assert.deepEqual(await visibleFaults(page), [], `tab ${key}`);
    }
    await clerk.follow(() => clerk.keys('c'));
    assert.match(page.url(), /\/form\/\d+/);
    await page.setViewport({ width: 390, height: 844 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await clerk.open(`/case/foreclosure/${id}`);
    assert.deepEqual(await visibleFaults(page), []);
    await screenshot(page, 'case-phone-dark');
  });
});
