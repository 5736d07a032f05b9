/** The pages of payments: a card is added, a ledger charged and refunded, and a difference resolved. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { timeZone } from '../../../src/kernel/declare/core-settings.ts';
import { calendarDay } from '../../../src/kernel/time/clock.ts';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { ledgerOfContact, saveTestGateway, type TestGateway } from '../../support/ledgers/test-gateway.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await p.user('cashier', 'Staff');
await p.user('keeper', 'Administrator');
let gateway: TestGateway;

before(async () => {
  gateway = await saveTestGateway(p, () => Date.now());
});

describe('the pages of payments', { skip: browserMissing }, () => {
  it('LED-07 LED-11 by keyboard: a card is added, the ledger is charged once, and a part is paid back', async (t) => {
    const { ledger, parent } = await ledgerOfContact(p, ['120.50']);
    const cashier = await visitor(t, p, 'cashier');
    const { page } = cashier;
    await cashier.open(`/payments/charge/${ledger}`);
    await cashier.waitFor('No active card or bank account');
    await cashier.follow(() => cashier.click('link', 'Payment methods'));
    await cashier.waitFor('No cards or bank accounts yet.');
    await page.focus('[name=Name]');
    await page.keyboard.type('Rosa Delgado');
    await cashier.tabTo('button', "Add on the gateway's page");
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('This page imitates that of a payment gateway.');
    await screenshot(page, 'payment-test-gateway');
    assert.deepEqual(await visibleFaults(page), []);
    await page.select('[name=Token]', 'test_not_stored');
    cashier.expectProblem('422');
    await cashier.follow(() => cashier.click('button', 'Store the card'));
    await cashier.waitFor('was declined (card_declined)');
    await page.select('[name=Token]', 'test_visa');
    await cashier.tabTo('button', 'Store the card');
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('Added as the default.', '.toasts');
    await cashier.waitFor('Visa ending in 4242');
    await screenshot(page, 'payment-methods');
    assert.deepEqual(await visibleFaults(page), []);

    await cashier.open(`/payments/charge/${ledger}`);
    await admin.save('ledgeritem', {
      LedgerID: ledger,
      LedgerItem: 'Late',
      AmountMoney: '4',
      IsDebit: true,
      IsTotaled: true,
    });
    cashier.expectProblem('422');
    await cashier.follow(() => cashier.click('button', 'Charge $120.50'));
    await cashier.waitFor('The balance has changed from $120.50 to $124.50');
    assert.deepEqual(await visibleFaults(page), []);
    await admin.save('ledgeritem', {
      LedgerID: ledger,
      LedgerItem: 'Waived',
      AmountMoney: '-4',
      IsDebit: true,
      IsTotaled: true,
    });

    await cashier.open(`/payments/charge/${ledger}`);
    await cashier.tabTo('button', 'Charge $120.50');
    assert.deepEqual(await visibleFaults(page), []);
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('Paid');
    assert.equal((await admin.select('ledger', ledger))['Balance'], 0);
    await cashier.follow(() => cashier.click('link', 'Refund'));
    await cashier.waitFor('Line 1, $120.50, is unpaid again.');
    await cashier.page.waitForSelector('input:focus');
    assert.equal(await cashier.focused(), 'Amount');
    await cashier.keys('Control+a', '2', '0', '.', '5', '0');
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('$20.50 is owed again, as a new line of the ledger.');
    await page.focus('[name=Reason]');
    await page.keyboard.type('Charged too much');
    assert.deepEqual(await visibleFaults(page), []);
    await cashier.tabTo('button', 'Refund');
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('Refund of $20.50 requested by cashier: refunded');
    await screenshot(page, 'payment');
    assert.deepEqual(await visibleFaults(page), []);
    const [payment] = await admin.expectRows('payment/search', { LedgerID: ledger });
    assert.deepEqual([payment?.['CapturedAmount'], payment?.['RefundedAmount']], [120.5, 20.5]);
    assert.equal(parent.Object, 'Contact');
  });

  it('LED-07 LED-11 shows on a case the cards of its contacts and their last payments, to who may see them', async (t) => {
    const loan = await admin.save('loan', { Loan: '0047718229' });
    const made = await admin.save('foreclosure', { Foreclosure: 'FC-9', LoanID: loan['LoanID'] });
    const id = Number(made['ForeclosureID']);
    const contact = await admin.save('contact', {
      Object: 'Loan',
      ObjectID: loan['LoanID'],
      FirstName: 'Marisol',
      LastName: 'Quintana',
    });
    const ledger = await admin.save('ledger', {
      Ledger: 'Fees of the case',
      Object: 'Foreclosure',
      ObjectID: id,
      Items: [{ LedgerItem: 'Filing', AmountMoney: '61.25', IsDebit: true, IsTotaled: true }],
    });
    const cashier = await visitor(t, p, 'cashier');
    const { page } = cashier;
    const tab = `/case/foreclosure/${id}?tab=ledger`;
    await cashier.open(tab);
    await cashier.waitFor('No payment methods or payments');
    assert.deepEqual(await visibleFaults(page), []);
    await cashier.follow(() => cashier.click('link', 'Add a payment method'));
    await cashier.waitFor('No cards or bank accounts yet.');

    const ofContact = { Object: 'Contact', ObjectID: Number(contact['ContactID']) };
    await gateway.card('test_mastercard', ofContact);
    await cashier.open(tab);
    const withCard = await cashier.waitFor('Mastercard ending in 4444, expires 12/2040');
    assert.match(withCard, /Default\s+Marisol Quintana/);
    assert.match(withCard, /None yet\. Charge Fees of the case/);
    await cashier.follow(() => cashier.click('link', 'Mastercard ending in 4444, expires 12/2040'));
    await cashier.waitFor('Payment methods of', 'h1');
    assert.equal(new URL(page.url()).searchParams.get('ObjectID'), String(ofContact.ObjectID));

    const { id: own } = await gateway.card('test_visa', { Object: 'Foreclosure', ObjectID: id });
    // A contact of another case with the ID of this one.
    const other = await ledgerOfContact(p, ['5']);
    await p.platform.store.query(
      `update paymentmethod set status = 'Inactive', objectid = $1::bigint where paymentmethodid = $2::bigint`,
      [id, (await gateway.card('test_disputed', other.parent)).id],
    );
    await admin.expectOk('ledger/authorizeandcapture', { ID: ledger['LedgerID'] });
    await cashier.open(tab);
    const shown = await cashier.waitFor('Last payments');
    assert.match(shown, /Visa ending in 4242, expires 12\/2040\s+Default\s+This case/);
    assert.match(shown, /\$61\.25\s+Paid/);
    assert.equal(shown.match(/ending in 4242, expires/g)?.length, 1, `the card of ${own} alone`);
    await screenshot(page, 'case-payments');
    assert.deepEqual(await visibleFaults(page), []);
    await page.setViewport({ width: 390, height: 844 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await cashier.open(tab);
    await screenshot(page, 'case-payments-phone-dark');
    assert.deepEqual(await visibleFaults(page), []);
    await cashier.follow(() => cashier.click('link', '$61.25'));
    await cashier.waitFor('Paid', 'h1');

    await admin.save('role', {
      Role: 'No payments',
      Permissions: '* -PaymentSearch -PaymentMethodSearch',
      UniversalAccess: true,
    });
    await p.user('clerk', 'No payments');
    const clerk = await visitor(t, p, 'clerk');
    await clerk.open(tab);
    const hidden = await clerk.waitFor('Fees of the case');
    assert.ok(!hidden.includes('Payment methods') && !hidden.includes('Last payments'));
  });

  it('LED-11 proposes the borrower of a case as the payer, if there is exactly one', async (t) => {
    const { page, open } = await visitor(t, p, 'cashier');
    const { LoanID } = await admin.save('loan', { Loan: '0081' });
    const { ForeclosureID: id } = await admin.save('foreclosure', { Foreclosure: 'FC-81', LoanID });
    const borrower = { Object: 'Loan', ObjectID: LoanID, BorrowerType: 'Primary', FirstName: 'Ana', LastName: 'Ruiz' };
    await admin.save('contact', { ...borrower, Methods: [{ MethodType: 'Email', ContactValue: 'ana@ruiz.example' }] });
    const proposed = async (more = ''): Promise<unknown> => {
      await open(`/payments/methods?Object=Foreclosure&ObjectID=${String(id)}${more}`);
      const valueOf = (name: string): Promise<string> =>
        page.$eval(`[name=${name}]`, (field) => (field as unknown as { readonly value: string }).value);
      return [await valueOf('Name'), await valueOf('Email')];
    };
    assert.deepEqual(await proposed(), ['Ana Ruiz', 'ana@ruiz.example']);
    assert.deepEqual(await proposed('&payer=new'), ['', '']);
    const attorney = { Object: 'Loan', ObjectID: LoanID, ContactType: 'Borrower Attorney', LastName: 'Voss' };
    await admin.save('contact', attorney);
    assert.deepEqual(await proposed(), ['Ana Ruiz', '']);
    await admin.save('contact', { ...borrower, BorrowerType: 'Secondary', FirstName: 'Luis' });
    assert.deepEqual(await proposed(), ['', '']);
  });

  it('LED-11 compares with the gateway, and resolves a difference with a note', async (t) => {
    const { parent } = await ledgerOfContact(p, ['5']);
    const card = await gateway.card('test_visa', parent);
    await gateway.charge({ id: 0, key: randomUUID(), amount: '5', card });
    const cashier = await visitor(t, p, 'cashier');
    const { page } = cashier;
    for (const path of ['/payments', '/payments/subscriptions', '/payments/disputes']) {
      await cashier.open(path);
      assert.deepEqual(await visibleFaults(page), [], path);
    }
    await cashier.open('/payments/reconciliation');
    await cashier.follow(() => cashier.click('button', 'Reconcile now'));
    await cashier.waitFor('Missing in Casewright');
    await page.click('.differences summary');
    await page.type('.differences [name=Note]', 'Paid at the counter');
    assert.deepEqual(await visibleFaults(page), []);
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('Difference resolved', '.toasts');
    await cashier.open('/payments/reconciliation?state=resolved');
    await cashier.waitFor('Paid at the counter');
    await page.setViewport({ width: 390, height: 844 });
    await screenshot(page, 'payment-reconciliation-phone');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('LED-07 captures a part of a reservation, voids another, and does not offer to charge meanwhile', async (t) => {
    const { ledger, parent } = await ledgerOfContact(p, ['90']);
    const { id: method } = await gateway.card('test_visa', parent);
    const reserve = async (amount: string): Promise<string> => {
      const row = await admin.expectOk('payment/authorize', {
        PaymentMethodID: method,
        LedgerID: ledger,
        Amount: amount,
        Description: 'Deposit',
      });
      return `/payments/${Number(row['PaymentID'])}`;
    };
    const cashier = await visitor(t, p, 'cashier');
    await cashier.open(await reserve('90'));
    await cashier.follow(() => cashier.click('link', 'Void'));
    await cashier.waitFor('The customer pays nothing.');
    await cashier.follow(() => cashier.click('button', 'Void'));
    await cashier.waitFor('Voided', 'h1');
    const second = await reserve('80');
    await cashier.open(`/payments/charge/${ledger}`);
    await cashier.waitFor('A payment of $80.00 is not settled yet (authorized).');
    assert.deepEqual(await visibleFaults(cashier.page), []);
    await cashier.open(second);
    await cashier.follow(() => cashier.click('link', 'Capture'));
    await cashier.page.waitForSelector('input:focus');
    assert.equal(await cashier.focused(), 'Amount');
    await cashier.keys('Control+a', '5', '0', '.', '2', '5');
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('Paid: $50.25');
    assert.equal((await admin.select('ledger', ledger))['BalanceAdjusted'], 39.75);
  });

  it('LED-11 starts a subscription by keyboard and asks before it is canceled', async (t) => {
    const { parent } = await ledgerOfContact(p, ['5']);
    await gateway.card('test_mastercard', parent);
    const cashier = await visitor(t, p, 'cashier');
    await cashier.open(`/payments/methods?Object=Contact&ObjectID=${parent.ObjectID}`);
    await cashier.follow(() => cashier.click('link', 'Remove Mastercard ending in 4444, expires 12/2040'));
    await cashier.waitFor('This cannot be undone.');
    assert.deepEqual(await visibleFaults(cashier.page), []);
    await cashier.follow(() => cashier.click('link', 'Cancel'));
    await cashier.follow(() =>
      cashier.click('link', 'Start a subscription with Mastercard ending in 4444, expires 12/2040'),
    );
    await cashier.page.waitForSelector('input:focus');
    await cashier.keys('2', ',', '5');
    await cashier.page.type('[name=Description]', 'Repayment plan');
    assert.deepEqual(await visibleFaults(cashier.page), []);
    cashier.expectProblem('400');
    await cashier.follow(() => cashier.keys('Enter'));
    await cashier.waitFor('Expected a number such as 1234.50');
    await cashier.page.waitForSelector('input:focus');
    await cashier.keys('Control+a', '2', '5', 'Enter');
    await cashier.waitFor('$25.00 every month');
    await cashier.follow(() => cashier.click('link', 'Cancel the subscription Repayment plan'));
    await cashier.waitFor('A canceled subscription cannot be resumed.');
    assert.deepEqual(await visibleFaults(cashier.page), []);
    await cashier.follow(() => cashier.click('button', 'Cancel the subscription'));
    await cashier.waitFor('Subscription canceled', '.toasts');
    await cashier.open('/payments/subscriptions?state=ended');
    await cashier.waitFor('Repayment plan');
  });

  it('LED-11 marks a disputed payment, and offers no refund of it', async (t) => {
    const { ledger, parent } = await ledgerOfContact(p, ['33']);
    const { id: method } = await gateway.card('test_disputed', parent);
    const payment = await admin.expectOk('payment/charge', {
      PaymentMethodID: method,
      LedgerID: ledger,
      Amount: '33',
      Description: 'Fees',
    });
    const day = calendarDay(p.platform.settings.get(timeZone), Date.now());
    await admin.expectOk('payment/reconcile', { From: day, To: day });
    const cashier = await visitor(t, p, 'cashier');
    await cashier.open('/payments/disputes');
    await cashier.waitFor('Needs a response');
    await cashier.follow(() => cashier.click('link', '$33.00'));
    await cashier.waitFor('Disputed', 'h1');
    assert.ok(!(await cashier.waitFor('It cannot be refunded meanwhile.')).includes('Refund the'));
    assert.equal(await cashier.page.$(`a[href="/payments/${Number(payment['PaymentID'])}?do=refund"]`), null);
    assert.deepEqual(await visibleFaults(cashier.page), []);
  });

  it('LED-11 tests a gateway on the page of gateways, whose tab is visible on a phone', async (t) => {
    const keeper = await visitor(t, p, 'keeper');
    await keeper.page.setViewport({ width: 390, height: 844 });
    await keeper.open('/administration/payment-gateways');
    await keeper.page.waitForFunction(`(() => {
      const { left, right } = document.querySelector('.tabs [aria-current]').getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    })()`);
    await keeper.page.setViewport({ width: 1440, height: 900 });
    await keeper.follow(() => keeper.click('button', 'Test Trial'));
    await keeper.waitFor('Test passed. The gateway accepted the API key.');
    assert.deepEqual(await visibleFaults(keeper.page), []);
  });
});
