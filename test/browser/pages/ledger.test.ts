/** The page of a ledger: its lines as a grid, projection, exclusion, and what happens to the ledger above. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after }, { worker: true });
const admin = client(p);
await p.user('specialist', 'Staff');
await p.user('analyst', 'Analyst');
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
const statementLetter = readFileSync(new URL('../../../samples/letters/statement-of-account.html', import.meta.url));
const valueOf = (page: Page, field: string): Promise<string> =>
  page.$eval(field, (element) => (element as unknown as { readonly value: string }).value);
const adjusted = async (id: number): Promise<unknown> => (await admin.select('ledger', id))['BalanceAdjusted'];

describe('the page of a ledger', { skip: browserMissing }, () => {
  it('LED-03 shows every line, where it came from and what it adds up to, without faults', async (t) => {
    const { page, open, waitFor } = await visitor(t, p, 'specialist');
    await open(`/case/foreclosure/${caseId}?tab=ledger`);
    await waitFor('184,798.33');
    await open(`/ledgers/${debtId}`);
    const shown = await waitFor('Adjusted balance');
    for (const text of ['Principal', '184,250.33', '10 days × 31.25', '335.50', 'Ledger below', 'Template'])
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

  it('LED-15 a line that is left while it is edited keeps what was typed; saving or canceling discards it', async (t) => {
    const { page, open, waitFor, keys, click } = await visitor(t, p, 'specialist');
    const typed = (): Promise<string> => valueOf(page, '#edit-Description');
    await open(`/ledgers/${feesId}?edit=${feeLine}`);
    await page.locator('#edit-Description').fill('Recorder, two copies');
    await click('link', 'Service of process');
    await page.waitForSelector(`#line-form:not([data-draft="ledger-line/${feeLine}"])`);
    assert.equal(await typed(), '');
    await click('link', 'Filing fee');
    await waitFor('is here and not saved yet.');
    assert.equal(await typed(), 'Recorder, two copies');
    const leaving = await page.evaluate('dispatchEvent(new Event("beforeunload", { cancelable: true }))');
    assert.equal(leaving, false, 'the browser asks before the page is left');
    await keys('Escape');
    await page.waitForSelector('#line-form', { hidden: true });
    await click('link', 'Filing fee');
    await page.waitForSelector('#line-form');
    assert.equal(await typed(), '');
    await keys('Escape');
  });

  it('LED-19 includes and excludes selected lines, and on a phone each line', async (t) => {
    const { page, open, waitFor, keys } = await visitor(t, p, 'specialist');
    await open(`/ledgers/${feesId}`);
    await keys('j', 'x', 'j', 'x');
    await waitFor('2 selected, sum 335.50');
    await page.click('.bulk-bar button[value=exclude]');
    await waitFor('2 lines excluded from the total.', '#toasts');
    assert.equal(Number(await adjusted(feesId)), 0);
    await page.setViewport({ width: 390, height: 844 });
    for (const row of await admin.expectRows('ledger/lines', { ID: feesId })) {
      await page.click(`#total-${String(row['LedgerItemID'])}`);
      await page.waitForSelector(`#total-${String(row['LedgerItemID'])}[aria-checked=true]`);
    }
    assert.equal(Number(await adjusted(feesId)), 335.5);
    await screenshot(page, 'ledger-phone');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('LED-19 a change by somebody else appears at once', async (t) => {
    const { open, waitFor } = await visitor(t, p, 'specialist');
    await open(`/ledgers/${feesId}`);
    await waitFor('335.50', '#ledger-summary');
    await admin.save('ledgeritem', { ID: feeLine, AmountMoney: '251' });
    await waitFor('336.50', '#ledger-summary');
    await waitFor('251.00', '#rows');
    await admin.save('ledgeritem', { ID: feeLine, AmountMoney: '250' });
    await waitFor('335.50', '#ledger-summary');
  });

  it('LED-03 shows lines beyond the first page', async (t) => {
    const { page, open, waitFor, click } = await visitor(t, p, 'specialist');
    const { LedgerID: id } = await admin.save('ledger', {
      Ledger: 'Long',
      Items: Array.from({ length: 203 }, (_unused, n) => ({
        LedgerItem: `Line ${n + 1}`,
        Sequence: n + 1,
        AmountMoney: '1',
        ...totaledDebit,
      })),
    });
    await open(`/ledgers/${String(id)}`);
    await waitFor('1 to 200 of 203');
    await click('link', 'Next page');
    const shown = await waitFor('201 to 203 of 203');
    assert.match(shown, /Line 203/);
    assert.equal((await page.$$('[data-row]')).length, 3);
    await page.type('#filter-text', 'line 2');
    await page.select('#filter-kind', 'Debit');
    await click('button', 'Filter');
    await waitFor('15 lines shown: debits 15.00, credits 0.00, together 15.00');
    assert.match(page.url(), /text=line\+2&kind=Debit/);
    await screenshot(page, 'ledger-filter');
    assert.deepEqual(await visibleFaults(page), []);
    await page.click('[data-row] .total-box');
    await waitFor('1 line excluded from the total.', '#toasts');
    await page.select('#filter-state', 'Excluded');
    await click('button', 'Filter');
    await waitFor('1 line shown: debits 1.00');
    await click('link', 'Show all lines');
    await waitFor('1 to 200 of 203');
  });

  it('LED-03 the list of all lines shows cents, and which lines are debits, also those of a template', async (t) => {
    const { open, waitFor } = await visitor(t, p, 'specialist');
    await open(`/records/ledgeritem?LedgerID=${debtId}`);
    const rows = await waitFor('Suspense', '#rows');
    assert.match(rows, /Principal\s+184,250\.33\s+Debit/);
    assert.match(rows, /Suspense\s+100\.00\s+Credit/);
  });

  it('LED-18 generates a statement of account for the days that are chosen; a refusal is shown in the dialog', async (t) => {
    const { page, open, waitFor, follow, expectProblem } = await visitor(t, p, 'specialist');
    const { AttachmentTemplateID: ObjectID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Account statement',
      AttachmentService: 'MailMergeGenerator',
      Method: 'Ledger/Statement?ID={LedgerID}&From={From}&To={To}',
    });
    const letter = { FileName: 'statement.html', Content: statementLetter.toString('base64') };
    await admin.save('attachment', { Object: 'AttachmentTemplate', ObjectID, ...letter });
    await open(`/ledgers/${feesId}`);
    await page.click('summary[aria-label="More actions"]');
    await page.click('[data-dialog=statement]');
    await page.waitForSelector('#statement[open]');
    assert.match(await valueOf(page, '#dialog-From'), /^\d{4}-01-01$/);
    assert.deepEqual(await visibleFaults(page, '#statement'), []);
    await screenshot(page, 'ledger-statement');
    await page.locator('#dialog-To').fill('2026-01-01');
    await page.locator('#dialog-From').fill('2026-02-01');
    expectProblem('400');
    await page.click('#statement footer .primary');
    await waitFor('Expected a day not after To', '#statement');
    assert.equal(new URL(page.url()).pathname, `/ledgers/${feesId}`);
    assert.deepEqual(await visibleFaults(page, '#statement'), []);
    await page.locator('#dialog-To').fill('2026-12-31');
    await follow(() => page.click('#statement footer .primary'));
    assert.match(new URL(page.url()).pathname, /^\/documents\/\d+$/);
    await waitFor('Account statement');
  });

  it('LED-17 adds a line of the template and a free one', async (t) => {
    const { page, open, waitFor, keys, click, focused } = await visitor(t, p, 'specialist');
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
    await waitFor('Mailing added.', '#toasts');
    await waitFor('380.00', '#ledger-summary');
    assert.equal(await focused(), 'Ledger line', 'the form of the next line is open');
    assert.equal(await valueOf(page, '#edit-LedgerItem'), '');
    await page.keyboard.type('Copies');
    await page.locator('#edit-AmountMoney').fill('3');
    await keys('Enter');
    await waitFor('Copies added.', '#toasts');
    await waitFor('383.00', '#ledger-summary');
    await keys('Escape');
    await page.waitForSelector('#line-form', { hidden: true });
    for (const row of await admin.expectRows('ledgeritem/search', { LedgerID: feesId, AmountMoney: '<50' }))
      await admin.expectOk('ledgeritem/delete', { ID: row['LedgerItemID'] });
  });

  it('LED-15 KRN-20 a changed and a deleted line are restored by Undo', async (t) => {
    const { page, open, waitFor, keys } = await visitor(t, p, 'specialist');
    await page.setViewport({ width: 390, height: 844 });
    await open(`/ledgers/${feesId}?edit=${feeLine}`);
    const box = await (await page.$('#edit-AmountMoney'))?.boundingBox();
    assert.ok(box && box.y > 0 && box.y < 844, 'the form is in the window');
    await page.setViewport({ width: 1440, height: 900 });
    await page.locator('#edit-AmountMoney').fill('255');
    await keys('Control+Enter');
    await waitFor('340.50', '#ledger-summary');
    await keys('z');
    await waitFor('Change of the line undone.', '#toasts');
    await waitFor('335.50', '#ledger-summary');
    await page.click(`#line-${feeLine} summary`);
    await page.click(`#line-${feeLine} button[name=Delete]`);
    await waitFor('Line deleted.', '#toasts');
    await waitFor('85.50', '#ledger-summary');
    assert.deepEqual(await visibleFaults(page), []);
    await keys('z');
    await waitFor('Line restored.', '#toasts');
    await waitFor('335.50', '#ledger-summary');
  });

  it('LED-17 LED-18 an analyst builds a template in the pages, previews it on a case, and a clerk uses it', async (t) => {
    const { page, open, waitFor, click, follow, expectProblem } = await visitor(t, p, 'analyst');
    const ledgersOf = (): Promise<object[]> =>
      admin.expectRows('ledger/search', { Object: 'Foreclosure', ObjectID: caseId });
    const before = (await ledgersOf()).length;
    await open('/records/ledgertemplate/new');
    await page.locator('#f-LedgerTemplate').fill('Reinstatement');
    await page.locator('#f-AppliesTo').fill('Foreclosure');
    await follow(() => click('button', 'Save'));
    await waitFor('No lines yet.');
    await follow(() => click('link', 'Add a line'));
    await page.locator('#f-LedgerTemplateItem').fill('Interest');
    await page.locator('#f-Rate').fill('a dollar');
    await page.locator('#f-Units').fill('Day');
    expectProblem('400');
    await follow(() => click('button', 'Save and add another'));
    await waitFor('Expected a number such as 1234.50.', '.field:has(#f-Rate)');
    assert.equal(await valueOf(page, '#f-LedgerTemplateItem'), 'Interest');
    await screenshot(page, 'ledger-template-line');
    assert.deepEqual(await visibleFaults(page), []);
    await page.locator('#f-Rate').fill('2.5');
    await follow(() => click('button', 'Save and add another'));
    await waitFor('New line');
    await page.locator('#f-LedgerTemplateItem').fill('Recording');
    await page.locator('#f-AmountMoney').fill('35');
    await page.select('#f-ManualInsert', '1');
    await follow(() => click('button', 'Save'));
    const lines = await waitFor('Recording', '#lines');
    assert.match(lines, /Interest\s+2\.50 per day\s+Debit[\s\S]*Always[\s\S]*Recording\s+35\.00[\s\S]*By users/);
    await open(`${new URL(page.url()).pathname}?record=${caseId}&through=2031-01-01`);
    const preview = await waitFor('Adjusted balance', '#preview');
    assert.match(preview, /Interest\s+[\d,]+ days × 2\.50/);
    assert.doesNotMatch(preview, /Recording/);
    await screenshot(page, 'ledger-template');
    assert.deepEqual(await visibleFaults(page), []);
    assert.equal((await ledgersOf()).length, before, 'a preview stores nothing');
    const { LedgerID: id } = await admin.save('ledger', {
      Template: 'Reinstatement',
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    const clerk = await visitor(t, p, 'specialist');
    await clerk.open(`/ledgers/${String(id)}`);
    await clerk.waitFor('Interest', '#rows');
    await clerk.page.click('summary ::-p-text(From template)');
    await clerk.click('link', 'Recording');
    await clerk.page.waitForSelector('#line-form');
    await clerk.click('button', 'Add line');
    await clerk.waitFor('35.00', '#ledger-summary');
  });

  it('LED-13 the invoice of an approved ledger is a PDF on its case', async (t) => {
    const { page, open, waitFor, click } = await visitor(t, p, 'specialist');
    const { AttachmentTemplateID: ObjectID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Fee invoice',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'PdfGenerator',
    });
    const letter = Buffer.from('<p>Invoice of {Foreclosure}</p>').toString('base64');
    const file = { FileName: 'invoice.html', Content: letter };
    await admin.save('attachment', { Object: 'AttachmentTemplate', ObjectID, ...file });
    await admin.save('ledgertemplate', {
      LedgerTemplate: 'Invoiced fees',
      AppliesTo: 'Foreclosure',
      InvoiceTemplateID: ObjectID,
      Items: [{ LedgerTemplateItem: 'Filing fee', AmountMoney: '250', ...totaledDebit }],
    });
    const below = { Object: 'Foreclosure', ObjectID: caseId };
    const { LedgerID: id } = await admin.save('ledger', { Template: 'Invoiced fees', ...below });
    await open(`/ledgers/${String(id)}`);
    await click('link', 'Approve');
    await page.waitForSelector('#ask-approve[open]');
    await page.click('#ask-approve button[name=Action]');
    await waitFor('Approved', '#ledger-summary');
    const invoice = await eventually('the invoice is generated', async () => {
      const [found] = await admin.expectRows('attachment/search', { ...below, AttachmentTemplateID: ObjectID });
      return found;
    });
    assert.match(String(invoice['FileName']), /\.pdf$/);
    await open(`/case/foreclosure/${caseId}?tab=documents`);
    await waitFor('Fee invoice');
    await open(`/ledgers/${String(id)}`);
    await waitFor('Fee invoice', '.ledger-documents');
    await click('link', String(invoice['Attachment'] ?? invoice['FileName']));
    await page.waitForFunction('location.pathname.startsWith("/documents/")');
    await waitFor('Fee invoice');
  });

  it('LED-09 LED-19 without script: adds a line, excludes it, and approves the ledger', async (t) => {
    const { page, open, waitFor, follow } = await visitor(t, p, 'specialist');
    const { LedgerID: id } = await admin.save('ledger', {
      Ledger: 'By hand',
      Items: [{ LedgerItem: 'Filing fee', AmountMoney: '250', ...totaledDebit }],
    });
    await page.setJavaScriptEnabled(false);
    await open(`/ledgers/${String(id)}`);
    await follow(() => page.click('.ledger-tools ::-p-text(Add line)'));
    await page.type('#edit-LedgerItem', 'Mailing');
    await page.type('#edit-AmountMoney', '4.50');
    await follow(() => page.click('#line-form button[value=add]'));
    await waitFor('254.50', '#ledger-summary');
    const [, mailing] = await admin.expectRows('ledger/lines', { ID: id });
    await follow(() => page.click(`#total-${String(mailing?.['LedgerItemID'])}`));
    await waitFor('250.00', '#ledger-summary');
    await follow(() => page.click('.ledger-head ::-p-text(Approve)'));
    await waitFor('Approve this ledger?');
    await follow(() => page.click('#question button[name=Action]'));
    await waitFor('Approved', '#ledger-summary');
    assert.equal((await admin.select('ledger', id))['IsLocked'], true);
  });

  it('LED-12 LED-17 rows of a spreadsheet that are pasted into the page are previewed, corrected, added and undone', async (t) => {
    const { page, open, waitFor, follow, keys, click } = await visitor(t, p, 'specialist');
    const { LedgerID: id } = await admin.save('ledger', { Ledger: 'Pasted', Template: 'Fees' });
    const before = Number(await adjusted(Number(id)));
    await open(`/ledgers/${String(id)}`);
    const cells =
      'Date\tItem\tAmount\tKind\tNote\n3/2/2026\tTitle search\t$1,325.00\t\t"Two\npages"\n' +
      '3/9/2026\tRefund\t(12.00)\t\t\n' +
      '3/9/2026\t\t\tRush fee\t=1+1\n3/40/2026\tMailing\t4.5O\t\t';
    await follow(() =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', ${JSON.stringify(cells)});
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }`),
    );
    await waitFor('2 errors in 1 row of 4');
    await screenshot(page, 'ledger-paste-errors');
    assert.deepEqual(await visibleFaults(page), []);
    await page.locator('[aria-label="Date of row 5"]').fill('3/10/2026');
    await page.locator('[aria-label="Amount of row 5"]').fill('4.50');
    await keys('Enter');
    const shown = await waitFor('debits 1,369.50, credits 12.00');
    assert.match(shown, /Two\s+pages/);
    await screenshot(page, 'ledger-paste');
    assert.deepEqual(await visibleFaults(page), []);
    await follow(() => page.click('#paste-form button[value=add]'));
    await waitFor('4 lines added.', '#toasts');
    assert.equal(Number(await adjusted(Number(id))), before + 1357.5);
    const rows = await admin.expectRows('ledger/lines', { ID: id });
    await open(`/imports/${String(rows.at(-1)?.['ImportFileID'])}`);
    await waitFor('Lines that were added to a ledger together.');
    await open(`/ledgers/${String(id)}/paste`);
    await page.$eval('#Cells', (field) => {
      (field as unknown as { value: string }).value =
        'Title  search\t1325\t3/2/2026\nRefund\t12.00\t3/9/2026\nCourier\t9\t3/9/2026';
    });
    await follow(() => page.click('#paste-form button[value=preview]'));
    await waitFor('1 row is already in the ledger, with the same name, amount and date.');
    await screenshot(page, 'ledger-paste-equal');
    assert.deepEqual(await visibleFaults(page), []);
    await click('button', 'Leave out 1 row');
    const rest = await waitFor('2 lines: debits 21.00, credits 0.00');
    assert.doesNotMatch(rest, /already in the ledger/);
    await open(`/ledgers/${String(id)}?done=paste&count=4&batch=${String(rows.at(-1)?.['ImportFileID'])}`);
    await waitFor('4 lines added.', '#toasts');
    const fee = rows.find(({ LedgerItem, Description }) => LedgerItem === 'Rush fee' && Description === '=1+1');
    assert.deepEqual([fee?.['AmountMoney'], fee?.['EffectiveDate']], [40, '2026-03-09']);
    await keys('z');
    await waitFor('4 lines deleted again.', '#toasts');
    assert.equal(Number(await adjusted(Number(id))), before);
    await page.setViewport({ width: 390, height: 844 });
    await page.setJavaScriptEnabled(false);
    await open(`/ledgers/${String(id)}/paste`);
    await page.type('#Cells', 'Courier 15.00 ');
    await follow(() => page.click('#paste-form button[value=preview]'));
    await waitFor('Enter an amount.');
    await page.select('#column-0', 'AmountMoney');
    await page.$eval('#Cells', (field) => void Object.assign(field, { value: 'Courier\t15.00' }));
    await follow(() => page.click('#paste-form button[value=preview]'));
    await waitFor('debits 15.00, credits 0.00');
    await follow(() => page.click('#paste-form button[value=add]'));
    await waitFor('1 line added.', '#toasts');
    assert.equal(Number(await adjusted(Number(id))), before + 15);
  });

  it('LED-06 LED-10 a user without LedgerUpdateLocked is refused on a locked ledger, and the page says why', async (t) => {
    await admin.save('role', { Role: 'Bookkeeper', Permissions: '* -LedgerUpdateLocked', UniversalAccess: true });
    await p.user('bookkeeper', 'Bookkeeper');
    const { page, open, waitFor, click, expectProblem } = await visitor(t, p, 'bookkeeper');
    const { LedgerID: id } = await admin.save('ledger', {
      Ledger: 'Closed soon',
      Items: [{ LedgerItem: 'Filing fee', AmountMoney: '250', ...totaledDebit }],
    });
    await open(`/ledgers/${String(id)}`);
    await click('link', 'Add line');
    await page.waitForSelector('#line-form');
    await page.locator('#edit-LedgerItem').fill('Mailing');
    await page.locator('#edit-AmountMoney').fill('4.50');
    await admin.expectOk('ledger/approve', { ID: id });
    expectProblem('4');
    await click('button', 'Add line');
    const refused = await waitFor('Not saved.');
    assert.match(refused, /locked/);
    assert.match(refused, /LedgerUpdateLocked/);
    assert.equal(await valueOf(page, '#edit-LedgerItem'), 'Mailing', 'what was typed stays');
    await click('link', 'Cancel');
    await page.waitForSelector('#line-form', { hidden: true });
    await open(`/ledgers/${String(id)}`);
    await waitFor('Locked', '#ledger-summary');
    const reasons = await page.$$eval('[aria-disabled=true]', (buttons) =>
      buttons.map((button) => `${button.textContent} ${button.getAttribute('aria-description') ?? ''}`),
    );
    assert.ok(
      reasons.some((reason) => /Post[\s\S]*needs the permission LedgerUpdateLocked/.test(reason)),
      reasons.join(),
    );
    assert.ok(
      reasons.some((reason) => /Add line[\s\S]*locked/.test(reason)),
      reasons.join(),
    );
    assert.deepEqual(await visibleFaults(page), []);
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
    const shown = await waitFor('remains as unapplied funds.');
    assert.match(shown, /Pays no line: the funds don't cover the first unpaid one/);
    assert.match(shown, /Principal\s+184,250\.33\s+Unpaid/);
    await page.locator('#AmountMoney').fill('184,900');
    // What is entered while the preview is under way stays.
    await page.evaluate(`{
      document.querySelector('#AmountMoney').dispatchEvent(new Event('change', { bubbles: true }));
      document.querySelector('#Description').value = 'By wire';
      document.querySelector('#TransactionNumber').focus();
    }`);
    await waitFor('Pays 2 lines in full. 24.67 remains as unapplied funds.');
    assert.equal(await valueOf(page, '#Description'), 'By wire');
    assert.equal(await adjusted(debtId), before, 'a preview stores nothing');
    await screenshot(page, 'payment');
    assert.deepEqual(await visibleFaults(page), []);
    await page.locator('#TransactionNumber').fill('4711');
    await follow(() => click('button', 'Apply 184,900.00'));
    await waitFor('24.67');
    await waitFor('Payment applied.', '#toasts');
    await waitFor('Payoff of FC-1');
    await screenshot(page, 'payment-page');
    assert.deepEqual(await visibleFaults(page), []);
    const [paid] = await admin.expectRows('ledger/lines', { ID: debtId });
    assert.ok(paid?.['PaidDate']);
    await open(`/ledgers/${debtId}`);
    await page.waitForSelector('.total-fixed[title="the line is paid"]');
    await screenshot(page, 'paid-lines');
    assert.deepEqual(await visibleFaults(page), []);
    await open(`/ledgers/${debtId}?edit=${String(paid['LedgerItemID'])}`);
    await waitFor("This line is paid, so its amount, side and date can't be changed.");
    assert.deepEqual(await page.$$eval('#line-form .input:disabled', (fields) => fields.map(({ id }) => id)), [
      'edit-IsDebit',
      'edit-UnitCount',
      'edit-Units',
      'edit-Rate',
      'edit-AmountMoney',
      'edit-EffectiveDate',
    ]);
    assert.deepEqual(await visibleFaults(page), []);
    await follow(() => click('link', 'reverse the payment'));
    await waitFor('Reverse this payment');
    await open(`/ledgers/${debtId}/pay`);
    await waitFor('Payoff of FC-1');
    await page.locator('#AmountMoney').fill('184,900');
    await keys('Tab');
    await page.waitForSelector('button[value=apply]');
    const paidOnce = await adjusted(debtId);
    await page.locator('#TransactionNumber').fill('4711');
    await keys('Tab');
    const warning = await waitFor('was already applied to this ledger on');
    assert.match(warning, /transaction number 4711[\s\S]*Show the payment/);
    assert.equal(await page.$('button[value=apply]'), null);
    assert.deepEqual(await visibleFaults(page), []);
    await screenshot(page, 'payment-known');
    await page.locator('#TransactionNumber').fill('4712');
    await keys('Tab');
    await page.waitForSelector('button[value=apply]');
    // As of a user whose preview was before the other payment.
    await page.$eval('#TransactionNumber', (field) => {
      (field as unknown as { value: string }).value = '4711';
    });
    await follow(() => click('button', 'Apply 184,900.00'));
    assert.match(
      await waitFor('Nothing was changed.'),
      /transaction number 4711 was already applied to this ledger on/,
    );
    assert.equal(await adjusted(debtId), paidOnce);
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
