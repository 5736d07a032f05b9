/** The list of time entries: reviewed in bulk by keyboard, and totaled by timekeeper and case. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const lead = await p.user('lead', 'Staff');
const entries: unknown[] = [];

before(async () => {
  const loan = await admin.save('loan', { Loan: '0047718223' });
  const made = await admin.save('foreclosure', { Foreclosure: 'FC-1', LoanID: loan['LoanID'] });
  const { LedgerID } = await admin.save('ledger', {
    Ledger: 'Time',
    Object: 'Foreclosure',
    ObjectID: made['ForeclosureID'],
  });
  for (const [LedgerItem, UnitCount, day] of [
    ['Title review', '1.5', '02'],
    ['Draft complaint', '2', '03'],
    ['Call with counsel', '0.5', '04'],
  ] as const) {
    const line = await admin.save('ledgeritem', {
      LedgerID,
      LedgerItem,
      UnitCount,
      Units: 'Hour',
      Rate: '100',
      AmountMoney: String(Number(UnitCount) * 100),
      PersonID: lead.personId,
      EffectiveDate: `2026-11-${day}`,
      IsDebit: true,
      IsTotaled: true,
    });
    entries.push(line['LedgerItemID']);
  }
});

const states = async (): Promise<unknown[]> =>
  (await admin.expectRows('ledgeritem/search', { ID: entries, OrderBy: 'LedgerItemID' })).map(
    (row) => row['Status'] ?? null,
  );

describe('time entries', { skip: browserMissing }, () => {
  it('LED-09 by keyboard: approves entries, undoes it, and rejects one with a reason', async (t) => {
    const { page, open, waitFor, keys, follow, expectProblem } = await visitor(t, p, 'lead');
    await open('/timesheets');
    await waitFor('Draft complaint');
    await keys('j', 'x', 'j', 'x');
    await waitFor('2 selected');
    await screenshot(page, 'timesheets');
    assert.deepEqual(await visibleFaults(page), []);
    await follow(() => keys('a'));
    await waitFor('2 entries approved.', '#toasts');
    assert.deepEqual(await states(), ['Approved', 'Approved', null]);
    await follow(() => keys('z'));
    assert.deepEqual(await states(), [null, null, null]);
    await keys('j', 'x');
    expectProblem('422');
    expectProblem('400');
    await follow(() => keys('r'));
    await waitFor('Enter the reason. Nothing was rejected.');
    await page.locator('[name=Reason]').fill('No such hearing');
    await follow(() => page.click('button[value=reject]'));
    await waitFor('1 entry rejected.', '#toasts');
    assert.deepEqual(await states(), ['Rejected', null, null]);
    await open('/timesheets?view=rejected');
    await waitFor('No such hearing');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('LED-09 totals by timekeeper and case lead to their entries', async (t) => {
    const { page, open, waitFor, follow } = await visitor(t, p, 'lead');
    await open('/timesheets?view=totals');
    const shown = await waitFor('In the total');
    assert.match(shown, /FC-1\s+2026-11\s+To review\s+2\s+2\.5 hours\s+250\.00 USD\s+250\.00/);
    assert.match(shown, /Rejected\s+1\s+1\.5 hours\s+150\.00 USD\s+0\.00/);
    await screenshot(page, 'timesheet-totals');
    assert.deepEqual(await visibleFaults(page), []);
    await follow(() => page.click('tbody th a'));
    await waitFor('Case: FC-1');
    assert.match(await waitFor('2 entries'), /Draft complaint/);
    await open('/timesheets?person=me&from=2026-11-04');
    await waitFor('1 entry');
  });
});
