import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { borrower, foreclosure, nextLoan, referralFirm, searchRows } from '../../support/imports/referrals.ts';

describe('the pages of loan assignments', async () => {
  const p = await testPlatform({ after });
  await p.user('clerk', 'Staff');
  const owner = await referralFirm(p, 'Alder Law');
  const firm = await referralFirm(p, 'Birch Law');
  const browser = browserMissing === false ? await testBrowser({ after }) : undefined;

  /** Returns a case that waits, and the loan of its number. */
  const waiting = async (): Promise<{ caseId: number; loan: string; loanId: unknown }> => {
    const loan = nextLoan();
    await owner.send('foreclosure', foreclosure({ loan, borrowers: [borrower(1, 'Quill', 'Ann')] }));
    const { caseId } = await firm.send(
      'foreclosure',
      foreclosure({ loan, caseNumber: `B-${loan}`, borrowers: [borrower(1, 'Quill', 'Anna <b>')] }),
    );
    const [shared] = await searchRows(p.admin, `loan/search?Loan=${loan}&SqlFilters=Identified`);
    return { caseId, loan, loanId: shared?.['LoanID'] };
  };
  const caseRow = async (id: number): Promise<Record<string, unknown>> =>
    (await searchRows(p.admin, `foreclosure/search?ForeclosureID=${id}`))[0] ?? {};

  it(
    'REF-08 WEB-01 staff select waiting cases in a list, compare one with the loan, take a value over, ' +
      'and undo it on the case',
    { skip: browserMissing },
    async () => {
      const [first, second, third] = [await waiting(), await waiting(), await waiting()];
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/assignments`);
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'assignments');
      for (const { caseId } of [first, second]) await page.click(`input[value="${caseId}"]`);
      await press(page, 'main form', 'Assign selected');
      assert.match(await page.$eval('[role=status]', (note) => note.textContent ?? ''), /Assigned\. The firms now see/);
      for (const { caseId, loanId } of [first, second]) assert.equal((await caseRow(caseId))['LoanID'], loanId);
      assert.equal((await page.$$('tbody tr')).length, 1);

      await press(page, 'tbody', `Compare ${third.loan}`);
      const text = await page.$eval('main', (main) => main.innerText);
      for (const part of ['Borrower 1.FirstName', 'Ann', 'Anna <b>']) assert.ok(text.includes(part), part);
      assert.deepEqual(await accessibilityViolations(page), []);
      await page.setViewport({ width: 400, height: 900 });
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'assignment-narrow');
      await page.click('input[value="Borrower 1.FirstName"]');
      await press(page, 'main form', 'Assign');
      const names = async (): Promise<unknown[]> =>
        (await searchRows(p.admin, `loan/${String(third.loanId)}/contact/search`)).map((row) => row['FirstName']);
      assert.deepEqual(await names(), ['Anna <b>']);

      await page.goto(`${p.url}/case/foreclosure/${third.caseId}`);
      await page.$$eval('.loan-access details', (all) => all.forEach((each) => (each.open = true)));
      await press(page, 'main', 'Undo assignment');
      assert.match(await page.$eval('[role=status]', (note) => note.textContent ?? ''), /The assignment was undone/);
      assert.deepEqual(await names(), ['Ann']);
      assert.deepEqual(await accessibilityViolations(page), []);
      await press(page, 'main .actions', 'Assign loan');
      assert.equal((await caseRow(third.caseId))['LoanAssigned'], true);
      assert.deepEqual(problems, []);
    },
  );

  it("KRN-18 a firm's user reads on the case that it waits, and is refused the list", async () => {
    const { caseId, loanId } = await waiting();
    const session = await testSession(p, 'user of Birch Law');
    const page = await session.get(`/case/foreclosure/${caseId}`);
    assert.equal(page.status, 200);
    assert.match(page.text, /This case waits for its loan to be assigned/);
    assert.doesNotMatch(page.text, /Assign loan|Quill, Ann\b|\/assignments/);
    for (const path of ['/assignments', `/assignments/${String(loanId)}`])
      assert.ok([403, 404].includes((await session.get(path)).status), path);
    const posted = await session.post('/assignments', { ProcessID: String(caseId) });
    assert.ok([403, 404].includes(posted.status));
    assert.equal((await caseRow(caseId))['LoanAssigned'], false);
  });
});
