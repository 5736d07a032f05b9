/** The page of a ledger: its lines as a grid, projection, exclusion, and what happens to the ledger above. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await p.user('specialist', 'Staff');
let caseId = 0;
let debtId = 0;
let feesId = 0;
let feeLine = 0;

before(async () => {
  const loan = await admin.save('loan', { Loan: '0047718223' });
  const made = await admin.save('foreclosure', { Foreclosure: 'FC-1', LoanID: loan['LoanID'] });
  caseId = Number(made['ForeclosureID']);
  await admin.save('ledgertemplate', {
    LedgerTemplate: 'Fees',
    AppliesTo: 'Ledger',
    Repeatable: 'Many',
    Items: [
      { LedgerTemplateItem: 'Filing fee', Sequence: 1, AmountMoney: '250', ...totaledDebit, CanExclude: true },
      { LedgerTemplateItem: 'Service of process', Sequence: 2, AmountMoney: '85.5', ...totaledDebit, CanExclude: true },
      { LedgerTemplateItem: 'Rush fee', Sequence: 9, AmountMoney: '40', ...totaledDebit, ManualInsert: 1 },
    ],
  });
  const fees = await admin.expectRows('ledgertemplate/search', { LedgerTemplate: 'Fees' });
  await admin.save('ledgertemplate', {
    LedgerTemplate: 'Payoff',
    AppliesTo: 'Foreclosure',
    Repeatable: 'Many',
    Items: [
      { LedgerTemplateItem: 'Principal', Sequence: 1, AmountMoney: '184250.33', ...totaledDebit },
      { LedgerTemplateItem: 'Per diem', Sequence: 2, Rate: '31.25', Units: 'Day', ...totaledDebit },
      {
        LedgerTemplateItem: 'Fees',
        Sequence: 3,
        ...totaledDebit,
        ChildLedgerTemplateID: fees[0]?.['LedgerTemplateID'],
      },
      { LedgerTemplateItem: 'Suspense', Sequence: 4, AmountMoney: '100', IsTotaled: true },
    ],
  });
  const debt = await admin.save('ledger', { Template: 'Payoff', Object: 'Foreclosure', ObjectID: caseId });
  debtId = Number(debt['LedgerID']);
  const lines = await admin.expectRows('ledger/lines', { ID: debtId });
  const [, perDiem, feesLine] = lines;
  feesId = Number(feesLine?.['ChildLedgerID']);
  await admin.save('ledgeritem', { ID: perDiem?.['LedgerItemID'], EffectiveDate: '2026-11-01' });
  await admin.expectOk('ledger/calculate', { ID: debtId, GoodThrough: '2026-11-10' });
  feeLine = Number((await admin.expectRows('ledger/lines', { ID: feesId }))[0]?.['LedgerItemID']);
});

const totaledDebit = { IsDebit: true, IsTotaled: true };
const adjusted = async (id: number): Promise<unknown> => (await admin.select('ledger', id))['BalanceAdjusted'];

describe('the page of a ledger', { skip: browserMissing }, () => {
  it('LED-03 shows every line, where it came from and what it adds up to, without faults', async (t) => {
    const { page, open, waitFor } = await visitor(t, p, 'specialist');
    await open(`/case/foreclosure/${caseId}?tab=ledger`);
    await waitFor('184,798.33');
    await open(`/ledgers/${debtId}`);
    const shown = await waitFor('Adjusted balance');
    for (const text of ['Principal', '184,250.33', '10 Day × 31.25', '335.50', 'Ledger below', 'Template'])
      assert.ok(shown.includes(text), text);
    await screenshot(page, 'ledger');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('LED-19 by keyboard: opens the fees in place, excludes one, and the parent changes at once', async (t) => {
    const { open, waitFor, keys, focused } = await visitor(t, p, 'specialist');
    const before = Number(await adjusted(debtId));
    await open(`/ledgers/${debtId}`);
    await keys('j', 'j', 'j', 'ArrowRight');
    await waitFor('Filing fee');
    assert.equal(await focused(), 'Hide the lines below Fees');
    await keys('j', 't');
    await waitFor('1 line excluded from the total.', '#toasts');
    assert.equal(Number(await adjusted(feesId)), 85.5);
    assert.equal(Number(await adjusted(debtId)), before - 250);
    await waitFor('184,548.33', '#ledger-summary');
    await keys('z');
    await waitFor('184,798.33', '#ledger-summary');
    assert.equal(await adjusted(debtId), before);
  });

  it('LED-15 by keyboard: Enter edits a line, Esc cancels, Ctrl+Enter saves, and a conflict shows both values', async (t) => {
    const { page, open, waitFor, keys, focused, expectProblem } = await visitor(t, p, 'specialist');
    await open(`/ledgers/${feesId}`);
    await keys('j', 'Enter');
    await page.waitForSelector('#line-form');
    assert.equal(await focused(), 'Ledger line');
    await keys('Escape');
    await page.waitForSelector('#line-form', { hidden: true });
    assert.equal(await focused(), 'Filing fee');
    await keys('Enter');
    await page.waitForSelector('#line-form');
    await page.locator('#edit-AmountMoney').fill('260');
    await screenshot(page, 'ledger-edit');
    assert.deepEqual(await visibleFaults(page), []);
    await keys('Control+Enter');
    await waitFor('260.00');
    await waitFor('Line saved.', '#toasts');
    assert.equal(Number(await adjusted(feesId)), 345.5);
    await keys('Enter');
    await page.waitForSelector('#line-form');
    await admin.save('ledgeritem', { ID: feeLine, AmountMoney: '270' });
    await page.locator('#edit-AmountMoney').fill('250');
    expectProblem('409');
    await keys('Control+Enter');
    const conflict = await waitFor('Someone else changed this line meanwhile.');
    assert.match(conflict, /270[\s\S]*250/);
    await keys('Control+Enter');
    await page.waitForSelector('#line-form', { hidden: true });
    assert.equal(Number(await adjusted(feesId)), 335.5);
  });

  it('LED-17 adds a line of the template and a free one', async (t) => {
    const { page, open, waitFor, keys, click } = await visitor(t, p, 'specialist');
    await open(`/ledgers/${feesId}`);
    await page.click('summary ::-p-text(From template)');
    await click('link', 'Rush fee');
    await page.waitForSelector('#line-form');
    await click('button', 'Add line');
    await waitFor('Rush fee');
    await waitFor('375.50', '#ledger-summary');
    await keys('n');
    await page.waitForSelector('#line-form');
    await page.locator('#edit-LedgerItem').fill('Mailing');
    await page.locator('#edit-AmountMoney').fill('4.50');
    await keys('Enter');
    await waitFor('Mailing');
    await waitFor('380.00', '#ledger-summary');
    for (const row of await admin.expectRows('ledgeritem/search', { LedgerID: feesId, AmountMoney: '<50' }))
      await admin.expectOk('ledgeritem/delete', { ID: row['LedgerItemID'] });
  });

  it('LED-18 projects to a day beside the stored values without saving, then saves', async (t) => {
    const { page, open, waitFor, keys, click } = await visitor(t, p, 'specialist');
    const before = await adjusted(debtId);
    await open(`/ledgers/${debtId}`);
    await page.locator('#through').fill('2026-11-20');
    await click('button', 'Project');
    const shown = await waitFor('Nothing is saved.');
    assert.match(shown, /Projected to Nov 20, 2026: 185,110\.83, \+312\.50/);
    await screenshot(page, 'ledger-projected');
    assert.deepEqual(await visibleFaults(page), []);
    assert.equal(await adjusted(debtId), before);
    await click('button', 'Calculate and save');
    await waitFor('185,110.83', '#ledger-summary');
    assert.equal(Number(await adjusted(debtId)), 185_110.83);
    await keys('Escape');
  });

  it('LED-10 approves after a question; locked lines cannot be changed, and why is said', async (t) => {
    const { page, open, waitFor, click } = await visitor(t, p, 'specialist');
    await open(`/ledgers/${debtId}`);
    await click('link', 'Approve');
    await page.waitForSelector('#ask-approve[open]');
    assert.deepEqual(await visibleFaults(page, '#ask-approve'), []);
    await page.click('#ask-approve button[name=Action]');
    await waitFor('Approved', '#ledger-summary');
    await waitFor('Locked', '#ledger-summary');
    assert.equal((await page.$$('.total-box')).length, 0);
    await screenshot(page, 'ledger-approved');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('LED-08 by keyboard: previews a payment, applies it once, and reverses it with a reason', async (t) => {
    const { page, open, waitFor, keys, click, follow, expectProblem } = await visitor(t, p, 'specialist');
    const before = await adjusted(debtId);
    await open(`/ledgers/${debtId}`);
    await follow(() => keys('p'));
    await page.locator('#AmountMoney').fill('1,000.00');
    await keys('Tab');
    const shown = await waitFor('stays as unapplied funds.');
    assert.match(shown, /Pays 0 lines in full/);
    assert.match(shown, /Principal\s+184,250\.33\s+Unpaid/);
    await page.locator('#AmountMoney').fill('184,900');
    await keys('Tab');
    await waitFor('Pays 2 lines in full. 24.67 stays as unapplied funds.');
    assert.equal(await adjusted(debtId), before, 'a preview stores nothing');
    await screenshot(page, 'payment');
    assert.deepEqual(await visibleFaults(page), []);
    await page.locator('#TransactionNumber').fill('4711');
    await follow(() => click('button', 'Apply 184,900.00'));
    await waitFor('24.67');
    await waitFor('Payment applied.', '#toasts');
    await screenshot(page, 'payment-page');
    assert.deepEqual(await visibleFaults(page), []);
    const [paid] = await admin.expectRows('ledger/lines', { ID: debtId });
    assert.ok(paid?.['PaidDate']);
    await page.locator('#Description').fill('Sent for another loan');
    await follow(() => click('button', 'Reverse payment'));
    await waitFor('Payment reversed.', '#toasts');
    await waitFor('Reversed', '#rows');
    assert.equal(await adjusted(debtId), before);
    const [unpaid] = await admin.expectRows('ledger/lines', { ID: debtId });
    assert.equal(unpaid?.['PaidDate'] ?? null, null);
    await screenshot(page, 'ledger-reversed');
    assert.deepEqual(await visibleFaults(page), []);
    expectProblem('422');
  });
});
