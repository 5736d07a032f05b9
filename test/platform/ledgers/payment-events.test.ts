/** Webhooks of payment gateways: payments, subscriptions, disputes and stored methods, replayed, late and forged. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { client, expectOk, expectRefused, type Row } from '../../support/client.ts';
import { done, ledgerOfContact, saveTestGateway, type TestGateway } from '../../support/ledgers/test-gateway.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-05-04T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
let gateway: TestGateway;

before(async () => {
  gateway = await saveTestGateway(p, () => clock.milliseconds());
});

const status = async (about: object, options?: { readonly id: string }): Promise<unknown> =>
  (await expectOk(gateway.event(about, options)))['Status'];
const linesOf = (LedgerID: number): Promise<Row[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID, OrderBy: 'LedgerItemID' });
const balanceOf = async (ledger: number): Promise<unknown> => (await admin.select('ledger', ledger))['Balance'];
const differences = (filter: object): Promise<Row[]> => admin.expectRows('paymentdifference/search', filter);

describe('paymentprovider/event', () => {
  it('LED-11 records a payment whose process ended before the answer, once, in its ledger', async () => {
    const { ledger, parent } = await ledgerOfContact(p, ['10', '20']);
    const card = await gateway.card('test_visa', parent);
    const requested = await gateway.request(card, { ledger, amount: '30' });
    const payment = await gateway.charge(requested);
    const id = randomUUID();
    assert.equal(await status({ payment: payment.id }, { id }), 'Processed');
    const row = await admin.select('payment', requested.id);
    assert.deepEqual([row['Status'], row['GatewayPaymentID'], row['CapturedAmount']], ['Captured', payment.id, 30]);
    // A replay, the same news under another ID, and both at once change nothing.
    await Promise.all([status({ payment: payment.id }, { id }), status({ payment: payment.id })]);
    const lines = await linesOf(ledger);
    assert.equal(lines.length, 3);
    assert.equal(lines[2]?.['TransactionNumber'], payment.id);
    assert.equal(row['LedgerItemID'], lines[2]?.['LedgerItemID']);
    assert.equal(await balanceOf(ledger), 0);
    const events = await admin.expectRows('paymentevent/search', { GatewayEventID: id });
    assert.deepEqual(
      events.map((event) => [event['Status'], event['ObjectKind'], event['PaymentID']]),
      [['Processed', 'Payment', requested.id]],
    );
  });

  it('LED-11 answers unknown gateways and wrong signatures alike, and stores nothing of them', async () => {
    const secret = `whsec_${Buffer.from('another secret, of nobody here..').toString('base64')}`;
    const count = async (): Promise<number> => (await admin.expectRows('paymentevent/search')).length;
    const before = await count();
    const forged = await expectRefused(gateway.event({ payment: 'test-payment-x' }, { secret }), 'NO_PERMISSION');
    const unknown = await expectRefused(
      p.anonymous.send('POST', '/api/paymentprovider/event?Output=Json&PaymentProvider=Nobody', '{}', {
        'webhook-signature': 'v1,x',
        'Content-Type': 'application/json',
      }),
      'NO_PERMISSION',
    );
    assert.deepEqual([unknown.status, unknown.message], [forged.status, forged.message]);
    const large = 'x'.repeat(2 * 1024 * 1024);
    for (const name of ['Trial', 'Nobody'])
      await expectRefused(
        p.anonymous.send('POST', `/api/paymentprovider/event?Output=Json&PaymentProvider=${name}`, large, {
          'webhook-signature': 'v1,x',
          'Content-Type': 'application/json',
        }),
        'TOO_LARGE',
      );
    assert.equal(await count(), before);
  });

  it('LED-11 makes payments that are not recorded here a difference, and no error', async () => {
    const { parent } = await ledgerOfContact(p, ['5']);
    const card = await gateway.card('test_visa', parent);
    const elsewhere = done(
      await gateway.provider.charge({
        key: randomUUID(),
        customer: card.customer,
        method: { vaulted: card.method },
        money: { amount: '5.00', currency: 'USD' },
        description: 'Made elsewhere',
      }),
    );
    assert.equal(await status({ payment: elsewhere.id }), 'Ignored');
    assert.equal(await status({ payment: elsewhere.id }), 'Ignored');
    const [found, ...more] = await differences({ GatewayID: elsewhere.id });
    assert.deepEqual(more, []);
    assert.deepEqual(
      [found?.['Kind'], found?.['Status'], found?.['Ours'], found?.['Theirs'], found?.['Day']],
      ['MissingHere', 'Open', 'Nothing', 'Captured, 5.00 USD', '2026-05-04'],
    );
  });

  it('LED-11 ignores events about things that the gateway does not have any more', async () => {
    assert.equal(await status({ payment: 'test-payment-gone', dispute: 'test-dispute-gone' }), 'Ignored');
    const { status: httpStatus } = await gateway.event({ nothing: 'x' });
    assert.equal(httpStatus, 200);
  });
});

describe('disputes', () => {
  it('LED-11 are recorded and notified; a lost one takes the payment back out of the ledger, once', async () => {
    const { ledger, parent } = await ledgerOfContact(p, ['40']);
    const card = await gateway.card('test_dispute_lost', parent);
    const requested = await gateway.request(card, { ledger, amount: '40' });
    const payment = await gateway.charge(requested);
    assert.equal(await status({ payment: payment.id }), 'Processed');
    assert.equal(await balanceOf(ledger), 0);
    const day = { from: '2026-05-04T00:00:00.000Z', to: '2026-05-05T00:00:00.000Z' };
    const { items } = await gateway.provider.disputes(day);
    const dispute = items.find((each) => each.payment === payment.id);
    assert.ok(dispute);
    assert.equal(await status({ dispute: dispute.id }), 'Processed');
    const shown = async (): Promise<Row | undefined> =>
      (await admin.expectRows('paymentdispute/search', { PaymentID: requested.id }))[0];
    assert.deepEqual([(await shown())?.['Status'], (await shown())?.['Amount']], ['Open', 40]);
    clock.advance(60_000);
    await Promise.all([status({ dispute: dispute.id }), status({ dispute: dispute.id })]);
    const lost = await shown();
    assert.equal(lost?.['Status'], 'Lost');
    assert.ok(lost['LedgerItemID']);
    assert.equal(await balanceOf(ledger), 40);
    assert.equal((await linesOf(ledger)).length, 3);
    assert.equal((await linesOf(ledger))[0]?.['PaidDate'], undefined);
  });
});

describe('subscriptions', () => {
  it('LED-11 become a payment line of their ledger at each charge, once, and end when they are canceled', async () => {
    const { ledger, parent } = await ledgerOfContact(p, ['15', '15']);
    const card = await gateway.card('test_visa', parent);
    const started = await admin.expectOk('paymentsubscription/start', {
      PaymentMethodID: card.id,
      LedgerID: ledger,
      Amount: '15',
      Every: 'Month',
      Description: 'Monthly plan',
    });
    assert.equal(started['Status'], 'Active');
    const paid = async (): Promise<readonly string[]> => {
      const from = '2026-05-01T00:00:00.000Z';
      const { items } = await gateway.provider.payments({ from, to: '2027-01-01T00:00:00.000Z' });
      return items.flatMap(({ id, subscription }) => (subscription === started['GatewaySubscriptionID'] ? [id] : []));
    };
    const [first = ''] = await paid();
    await Promise.all([1, 2, 3].map(() => status({ payment: first, subscription: started['GatewaySubscriptionID'] })));
    assert.equal(await balanceOf(ledger), 15);
    clock.advance(32 * 86_400_000);
    const second = (await paid()).find((id) => id !== first) ?? '';
    assert.equal(await status({ payment: second }), 'Processed');
    assert.equal(await balanceOf(ledger), 0);
    const payments = await admin.expectRows('payment/search', { LedgerID: ledger });
    assert.deepEqual(
      payments.map((row) => [row['Purpose'], row['Status'], row['CapturedAmount'], row['PaymentSubscriptionID']]),
      payments.map(() => ['Subscription', 'Captured', 15, started['PaymentSubscriptionID']]),
    );
    assert.equal(payments.length, 2);
    const { PaymentSubscriptionID: ID } = started;
    assert.equal((await admin.expectOk('paymentsubscription/cancel', { ID }))['Status'], 'Canceled');
    assert.equal((await admin.expectOk('paymentsubscription/cancel', { ID }))['Status'], 'Canceled');
    assert.equal(await status({ subscription: started['GatewaySubscriptionID'] }), 'Processed');
    assert.equal((await admin.select('paymentsubscription', ID))['Status'], 'Canceled');
  });

  it('LED-11 are refused where the card is declined or was removed', async () => {
    const { parent } = await ledgerOfContact(p, ['1']);
    const declined = await gateway.card('test_insufficient_funds', parent);
    const start = (card: { readonly id: number }, more: object = {}): object => ({
      PaymentMethodID: card.id,
      Amount: '1',
      Every: 'Week',
      Description: 'Weekly',
      ...more,
    });
    await admin.expectRefused('paymentsubscription/start', start(declined, { Amount: '0' }), 'BAD_PARAMETER', 'Amount');
    await admin.expectRefused('paymentsubscription/start', start(declined), 'STATE_REFUSES', 'PaymentMethodID');
    const [row] = await admin.expectRows('paymentsubscription/search', { PaymentMethodID: declined.id });
    assert.equal(row?.['Status'], 'Canceled');
    await gateway.provider.removeMethod(declined.method);
    assert.equal(await status({ method: declined.method }), 'Processed');
    assert.equal((await admin.select('paymentmethod', declined.id))['Status'], 'Removed');
    await admin.expectRefused('paymentsubscription/start', start(declined), 'STATE_REFUSES', 'PaymentMethodID');
  });
});
