import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { client, type Row } from '../../support/client.ts';
import { paymentWorld } from '../../support/ledgers/payments.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-05-04T15:00:00.000Z');
const logged: string[] = [];
const keep = (message: string, facts?: object): void => void logged.push(JSON.stringify([message, facts]));
const p = await testPlatform({ after }, { clock, log: { debug: keep, info: keep, warn: keep, error: keep } });
const admin = client(p);
const world = await paymentWorld(admin);
await admin.save('role', { Role: 'Payment clerk', Permissions: '* -LedgerUpdateLocked', UniversalAccess: true });
const clerk = client(p, (await p.user('clerk', 'Payment clerk')).caller);
await p.platform.settings.fresh();

const charge = (ID: unknown): Promise<Row> => admin.expectOk('ledger/authorizeandcapture', { ID });
const paymentsOf = (LedgerID: unknown): Promise<Row[]> => admin.expectRows('payment/search', { LedgerID });
const linesOf = (LedgerID: unknown): Promise<Row[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID, OrderBy: 'LedgerItemID' });
const settle = async (ID: unknown): Promise<Row> => {
  await admin.expectOk('payment/settle', { ID });
  return admin.select('payment', ID);
};
/** What the gateway took from a customer, in cents. */
const gatewayCharges = async (customerId: number): Promise<number[]> =>
  (
    await p.platform.store.query<{ captured: string }>(
      `select o.state ->> 'captured' as captured from testgatewayobject o
       join paymentcustomer c on c.gatewaycustomerid = o.parentid
       where o.kind = 'payment' and c.paymentcustomerid = $1::bigint order by o.id`,
      [customerId],
    )
  ).map(({ captured }) => Number(captured));

describe('ledger/authorizeandcapture', () => {
  it('LED-07 charges the active method, records the payment with its number, and posts the ledger', async () => {
    const payer = await world.payer();
    const ledger = await payer.ledger('100', '25.50');
    const answer = await charge(ledger);
    assert.equal(answer['Status'], 'Posted');
    assert.equal(answer['PaymentStatus'], 'Captured');
    assert.equal(answer['Amount'], 125.5);
    assert.equal(answer['Balance'], 0);
    const [payment] = await paymentsOf(ledger);
    assert.equal(payment?.['Purpose'], 'AuthorizeAndCapture');
    const lines = await linesOf(ledger);
    const line = lines.find((row) => row['PaymentRole'] === 'Payment');
    assert.equal(line?.['TransactionNumber'], payment?.['GatewayPaymentID']);
    assert.equal(line?.['LedgerItemID'], payment?.['LedgerItemID']);
    assert.ok(lines.slice(0, 2).every((row) => row['PaidDate']));
    assert.equal((await admin.select('ledger', ledger))['IsLocked'], true);
    assert.deepEqual(await gatewayCharges(payer.customerId), [12_550]);
  });

  it('LED-07 only posts a ledger that owes nothing', async () => {
    const payer = await world.payer();
    const empty = await payer.ledger();
    const answer = await charge(empty);
    assert.equal(answer['Status'], 'Posted');
    assert.equal(answer['PaymentID'], undefined);
    const credit = await payer.ledger('-5');
    assert.equal((await charge(credit))['Status'], 'Posted');
    assert.deepEqual(await gatewayCharges(payer.customerId), []);
  });

  it('LED-07 refuses a ledger whose parent has no active method', async () => {
    const payer = await world.payer();
    const ledger = await payer.ledger('10');
    await admin.expectOk('paymentmethod/remove', { ID: payer.method['PaymentMethodID'] });
    const error = await admin.expectRefused(
      'ledger/authorizeandcapture',
      { ID: ledger },
      'STATE_REFUSES',
      'PaymentMethodID',
    );
    assert.match(error.message, /Invalid PaymentMethod/);
    const other = await world.payer();
    await admin.expectRefused(
      'paymentmethod/authorizeandcapture',
      { LedgerID: ledger, ID: other.method['PaymentMethodID'] },
      'STATE_REFUSES',
      'PaymentMethodID',
    );
    assert.deepEqual(await paymentsOf(ledger), []);
  });

  it('LED-07 names the ledger to charge instead of one below it', async () => {
    const payer = await world.payer();
    const outermost = await payer.ledger('10');
    const saved = async (ObjectID: number): Promise<number> =>
      Number((await admin.save('ledger', { Object: 'Ledger', ObjectID, Ledger: 'Details' }))['LedgerID']);
    const innermost = await saved(await saved(outermost));
    const line = { LedgerItem: 'Fee', AmountMoney: '3', IsDebit: true, IsTotaled: true };
    await admin.save('ledgeritem', { LedgerID: innermost, ...line });
    const error = await admin.expectRefused('ledger/authorizeandcapture', { ID: innermost }, 'STATE_REFUSES');
    assert.match(error.message, new RegExp(`Invalid PaymentMethod.* Charge ledger ${outermost}, which contains it`));
  });

  it('LED-07 refuses a ledger that owes another amount than the caller expects, naming both', async () => {
    const payer = await world.payer();
    const ledger = await payer.ledger('10', '2.5');
    for (const [route, ExpectedAmount, sent] of [
      ['ledger/authorizeandcapture', '10', { ID: ledger }],
      ['paymentmethod/authorizeandcapture', '0', { ID: payer.method['PaymentMethodID'], LedgerID: ledger }],
    ] as const) {
      const error = await admin.expectRefused(route, { ...sent, ExpectedAmount }, 'STATE_REFUSES', 'ExpectedAmount');
      assert.match(error.message, new RegExp(`owes 12\\.5\\d* USD now, not ${ExpectedAmount}\\b.*Nothing was charged`));
    }
    assert.deepEqual(await paymentsOf(ledger), []);
    assert.equal((await admin.select('ledger', ledger))['PostedDate'], undefined);
    const sent = { ID: ledger, ExpectedAmount: '12.50' };
    assert.equal((await admin.expectOk('ledger/authorizeandcapture', sent))['Status'], 'Posted');
    assert.deepEqual(await gatewayCharges(payer.customerId), [1_250]);
  });

  it('LED-07 refuses a locked ledger without the permission, and amounts that the currency does not have', async () => {
    const payer = await world.payer();
    const ledger = await payer.ledger('10');
    await admin.save('ledger', { ID: ledger, IsLocked: true });
    await clerk.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'LOCKED');
    await admin.expectRefused(
      'ledger/authorizeandcapture',
      { ID: await payer.ledger('10.125') },
      'BAD_PARAMETER',
      'Amount',
    );
    assert.deepEqual(await gatewayCharges(payer.customerId), []);
  });

  it('LED-07 leaves the ledger as it was when the card is declined, and returns the code', async () => {
    const payer = await world.payer('test_insufficient_funds');
    const ledger = await payer.ledger('10');
    const before = await admin.select('ledger', ledger);
    const error = await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'PAYMENT_DECLINED');
    assert.match(error.message, /insufficient_funds/);
    assert.deepEqual(await admin.select('ledger', ledger), before);
    const [payment] = await paymentsOf(ledger);
    assert.equal(payment?.['Status'], 'Declined');
    assert.equal(payment['DeclineCode'], 'insufficient_funds');
  });

  it('LED-07 settles a charge whose answer was lost by querying the gateway, and never charges it again', async () => {
    const payer = await world.payer('test_lost_answer');
    const ledger = await payer.ledger('40');
    const error = await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'UNAVAILABLE');
    assert.match(error.message, /Do not repeat it/);
    assert.deepEqual([error.error['Status'], error.error['PaymentStatus']], [503, 'Unknown']);
    const [unknown] = await paymentsOf(ledger);
    assert.equal(unknown?.['Status'], 'Unknown');
    const again = await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'STATE_REFUSES', 'LedgerID');
    assert.match(again.message, new RegExp(`payment ${String(unknown['PaymentID'])} `));
    clock.advance(5 * 60_000);
    const due = await admin.expectRows('payment/settle');
    assert.ok(due.some((row) => row['PaymentID'] === unknown['PaymentID'] && row['Status'] === 'Captured'));
    assert.equal((await admin.select('ledger', ledger))['Status'], 'Posted');
    await settle(unknown['PaymentID']);
    assert.equal((await linesOf(ledger)).filter((row) => row['PaymentRole'] === 'Payment').length, 1);
    assert.deepEqual(await gatewayCharges(payer.customerId), [4_000]);
  });

  it('LED-07 gives up a request that the gateway does not have after an hour; the ledger can be charged again', async () => {
    const payer = await world.payer('test_lost_request');
    const ledger = await payer.ledger('40');
    await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'UNAVAILABLE');
    const [payment] = await paymentsOf(ledger);
    const id = payment?.['PaymentID'];
    assert.equal((await settle(id))['Status'], 'Unknown');
    clock.advance(61 * 60_000);
    assert.equal((await settle(id))['Status'], 'NotCarriedOut');
    const of = { Object: payer.object, ObjectID: payer.objectId, PaymentCustomerID: payer.customerId };
    await admin.expectOk('paymentmethod/vault', { ...of, Token: 'test_visa' });
    assert.equal((await charge(ledger))['Status'], 'Posted');
  });

  it('LED-07 posts once a payment from a bank account is decided, and not if it is declined', async () => {
    for (const [token, status, posted] of [
      ['test_bank', 'Captured', 'Posted'],
      ['test_bank_declined', 'Declined', undefined],
    ] as const) {
      const payer = await world.payer(token);
      const ledger = await payer.ledger('15');
      const answer = await charge(ledger);
      assert.equal(answer['PaymentStatus'], 'Pending');
      assert.equal(answer['Status'], undefined);
      await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'STATE_REFUSES', 'LedgerID');
      clock.advance(61_000);
      assert.equal((await settle(answer['PaymentID']))['Status'], status);
      assert.equal((await admin.select('ledger', ledger))['Status'], posted);
    }
  });

  it('LED-07 charges once for 200 callers at the same moment', async () => {
    const payer = await world.payer();
    const ledger = await payer.ledger('99');
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => admin.send('ledger/authorizeandcapture', { ID: ledger })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.deepEqual(await gatewayCharges(payer.customerId), [9_900]);
    assert.equal((await linesOf(ledger)).filter((row) => row['PaymentRole'] === 'Payment').length, 1);
  });

  it('applies what was captured although the ledger was paid meanwhile: all of it is unapplied funds', async () => {
    const payer = await world.payer('test_lost_answer');
    const ledger = await payer.ledger('40');
    await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'UNAVAILABLE');
    await admin.expectOk('ledger/applypayment', { LedgerID: ledger, AmountMoney: '40', TransactionNumber: 'check' });
    const [payment] = await paymentsOf(ledger);
    const settled = await settle(payment?.['PaymentID']);
    assert.equal(settled['Status'], 'Captured');
    const line = await admin.select('ledgeritem', settled['LedgerItemID']);
    assert.equal(line['AmountMoneyCountered'], 40);
    assert.equal((await admin.select('ledger', ledger))['Balance'], -40);
  });

  it('keeps what was captured while its month is closed, and applies it once that is open again', async () => {
    const payer = await world.payer('test_lost_answer');
    const ledger = await payer.ledger('40');
    await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'UNAVAILABLE');
    await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '2026-05' });
    const [payment] = await paymentsOf(ledger);
    const captured = await settle(payment?.['PaymentID']);
    assert.equal(captured['Status'], 'Captured');
    assert.equal(captured['LedgerItemID'], undefined);
    assert.match(String(captured['Detail']), /closed/);
    const next = await payer.ledger('1');
    await admin.expectRefused('ledger/authorizeandcapture', { ID: next }, 'STATE_REFUSES', 'PostedDate');
    await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '' });
    assert.ok((await settle(payment?.['PaymentID']))['LedgerItemID']);
    assert.equal((await admin.select('ledger', ledger))['Status'], 'Posted');
  });
});

describe('LED-11 authorizations', () => {
  const authorize = async (amount: string): Promise<{ ledger: number; id: unknown; customerId: number }> => {
    const payer = await world.payer();
    const ledger = await payer.ledger('100');
    const PaymentMethodID = payer.method['PaymentMethodID'];
    const row = await admin.expectOk('payment/authorize', { LedgerID: ledger, PaymentMethodID, Amount: amount });
    assert.equal(row['Status'], 'Authorized');
    return { ledger, id: row['PaymentID'], customerId: payer.customerId };
  };

  it('captures a part, which pays the ledger, and releases the rest', async () => {
    const { ledger, id, customerId } = await authorize('100');
    assert.equal((await admin.select('ledger', ledger))['Balance'], 100);
    await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'STATE_REFUSES', 'LedgerID');
    await admin.expectRefused('payment/capture', { ID: id, Amount: '100.01' }, 'BAD_PARAMETER', 'Amount');
    const row = await admin.expectOk('payment/capture', { ID: id, Amount: '60' });
    assert.equal(row['Status'], 'Captured');
    assert.equal(row['CapturedAmount'], 60);
    assert.equal((await admin.select('ledger', ledger))['Balance'], 40);
    assert.deepEqual(await gatewayCharges(customerId), [6_000]);
    await admin.expectRefused('payment/capture', { ID: id }, 'STATE_REFUSES', 'ID');
  });

  it('voids an authorization twice with one result', async () => {
    const { ledger, id } = await authorize('30');
    assert.equal((await admin.expectOk('payment/void', { ID: id }))['Status'], 'Voided');
    assert.equal((await admin.expectOk('payment/void', { ID: id }))['Status'], 'Voided');
    assert.equal((await admin.select('ledger', ledger))['Balance'], 100);
    assert.equal((await charge(ledger))['Status'], 'Posted');
  });

  it('carries out one of a capture and a void at the same moment', async () => {
    const { id } = await authorize('30');
    const answers = await Promise.all([
      admin.send('payment/capture', { ID: id }),
      admin.send('payment/void', { ID: id }),
    ]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });
});

describe('LED-11 one-time payments', () => {
  it('charges a token without a ledger, and with one', async () => {
    const alone = await admin.expectOk('payment/charge', {
      Token: 'test_visa',
      Amount: '12.50',
      Description: 'Copies',
    });
    assert.equal(alone['Status'], 'Captured');
    assert.equal(alone['Currency'], 'USD');
    const payer = await world.payer();
    const ledger = await payer.ledger('10', '5');
    const paid = await admin.expectOk('payment/charge', { Token: 'test_mastercard', Amount: '10', LedgerID: ledger });
    assert.ok(paid['LedgerItemID']);
    assert.equal((await admin.select('ledger', ledger))['Balance'], 5);
    assert.equal((await admin.select('ledger', ledger))['Status'], undefined);
    await admin.expectRefused('payment/charge', { Token: 'test_visa', Amount: '0' }, 'BAD_PARAMETER', 'Amount');
    await admin.expectRefused('payment/charge', { Amount: '1' }, 'MISSING_PARAMETER', 'PaymentMethodID');
    const sent = { Token: 'test_visa', Amount: '1', LedgerID: ledger, Currency: 'EUR' };
    await admin.expectRefused('payment/charge', sent, 'BAD_PARAMETER', 'Currency');
  });
});

describe('LED-11 refunds', () => {
  const charged = async (amounts: readonly string[], token = 'test_visa') => {
    const payer = await world.payer(token);
    const ledger = await payer.ledger(...amounts);
    return { ledger, id: (await charge(ledger))['PaymentID'] };
  };
  const balanceOf = async (ledger: unknown): Promise<unknown> => (await admin.select('ledger', ledger))['Balance'];

  it('reverses the payment of a whole refund: its lines are owed again', async () => {
    const { ledger, id } = await charged(['70', '30']);
    const refund = await admin.expectOk('payment/refund', { ID: id, Reason: 'Paid twice' });
    assert.equal(refund['Status'], 'Succeeded');
    assert.equal(refund['Amount'], 100);
    assert.equal(await balanceOf(ledger), 100);
    const lines = await linesOf(ledger);
    assert.ok(lines.slice(0, 2).every((row) => row['PaidDate'] === undefined));
    assert.equal(lines.at(-1)?.['PaymentRole'], 'Reversal');
    assert.equal((await admin.select('payment', id))['RefundedAmount'], 100);
    await admin.expectRefused('payment/refund', { ID: id }, 'STATE_REFUSES', 'ID');
  });

  it('lowers the unapplied funds first with a part, and makes the rest owed again', async () => {
    const payer = await world.payer();
    const ledger = await payer.ledger('60');
    const sent = { PaymentMethodID: payer.method['PaymentMethodID'], Amount: '100', LedgerID: ledger };
    const { PaymentID: id } = await admin.expectOk('payment/charge', sent);
    assert.equal(await balanceOf(ledger), -40);
    await admin.expectOk('payment/refund', { ID: id, Amount: '30' });
    assert.equal(await balanceOf(ledger), -10);
    await admin.expectOk('payment/refund', { ID: id, Amount: '50' });
    assert.equal(await balanceOf(ledger), 40);
    await admin.expectRefused('payment/refund', { ID: id, Amount: '20.01' }, 'BAD_PARAMETER', 'Amount');
    const refunds = (await linesOf(ledger)).filter((row) => row['LedgerItemType'] === 'Refund');
    assert.deepEqual(
      refunds.map((row) => [row['AmountMoney'], row['PaymentRole']]),
      [
        [30, 'Refund'],
        [10, 'Refund'],
        [40, 'Refund'],
      ],
    );
    // What is owed again can be paid, and nothing is left over.
    const paid = await admin.expectOk('ledger/applypayment', { LedgerID: ledger, AmountMoney: '40' });
    assert.equal(paid['AmountMoneyCountered'], 0);
    assert.equal(await balanceOf(ledger), 0);
    const line = (await admin.select('payment', id))['LedgerItemID'];
    await admin.expectRefused('ledger/reversepayment', { LedgerItemID: line }, 'STATE_REFUSES', 'LedgerItemID');
  });

  it('settles a refund whose answer was lost, and pays it back once', async () => {
    const { ledger, id } = await charged(['20'], 'test_refund_lost_answer');
    await admin.expectRefused('payment/refund', { ID: id }, 'UNAVAILABLE');
    await admin.expectRefused('payment/refund', { ID: id }, 'STATE_REFUSES', 'ID');
    assert.equal(await balanceOf(ledger), 0);
    await settle(id);
    await settle(id);
    assert.equal(await balanceOf(ledger), 20);
    const [refund] = await admin.expectRows('paymentrefund/search', { PaymentID: id });
    assert.equal(refund?.['Status'], 'Succeeded');
  });

  it('leaves the ledger as it is while a refund is pending, and if it fails', async () => {
    const later = await charged(['20'], 'test_refund_pending');
    assert.equal((await admin.expectOk('payment/refund', { ID: later.id }))['Status'], 'Pending');
    assert.equal(await balanceOf(later.ledger), 0);
    clock.advance(61_000);
    await settle(later.id);
    assert.equal(await balanceOf(later.ledger), 20);
    const failing = await charged(['20'], 'test_refund_failed');
    await admin.expectRefused('payment/refund', { ID: failing.id }, 'STATE_REFUSES');
    assert.equal(await balanceOf(failing.ledger), 0);
  });

  it('refunds a payment once for callers at the same moment', async () => {
    const { ledger, id } = await charged(['20']);
    const answers = await Promise.all(Array.from({ length: 10 }, () => admin.send('payment/refund', { ID: id })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(await balanceOf(ledger), 20);
  });
});

describe('LED-11 payment methods and customers', () => {
  it('has one active method for each record, which another can replace', async () => {
    const payer = await world.payer();
    const of = { Object: payer.object, ObjectID: payer.objectId, PaymentCustomerID: payer.customerId };
    const second = await admin.expectOk('paymentmethod/vault', { ...of, Token: 'test_mastercard' });
    assert.equal(second['Status'], 'Active');
    assert.equal(second['PaymentMethod'], 'Mastercard ending in 4444');
    const first = payer.method['PaymentMethodID'];
    assert.equal((await admin.select('paymentmethod', first))['Status'], 'Inactive');
    await admin.expectOk('paymentmethod/activate', { ID: first });
    assert.equal((await admin.select('paymentmethod', second['PaymentMethodID']))['Status'], 'Inactive');
    await admin.expectOk('paymentmethod/remove', { ID: first });
    await admin.expectRefused('paymentmethod/activate', { ID: first }, 'STATE_REFUSES', 'ID');
    await admin.expectRefused('paymentmethod/vault', { ...of, Token: 'test_not_stored' }, 'PAYMENT_DECLINED');
  });

  it('sends changed details of a customer to the gateway, and removes it there', async () => {
    const payer = await world.payer();
    const ID = payer.customerId;
    await admin.save('paymentcustomer', { ID, Name: 'Anna Changed', Email: 'anna@example.com' });
    const read = async (): Promise<unknown> => {
      const [row] = await p.platform.store.query<{ state: { name?: string } }>(
        `select o.state from testgatewayobject o join paymentcustomer c on c.gatewaycustomerid = o.id
         where c.paymentcustomerid = $1::bigint`,
        [ID],
      );
      return JSON.stringify(row?.state ?? null);
    };
    await admin.expectOk('paymentcustomer/synchronize', { ID });
    assert.match(String(await read()), /Anna Changed/);
    assert.equal((await admin.select('paymentcustomer', ID))['Status'], 'Current');
    await admin.expectRefused('paymentcustomer/delete', { ID }, 'IN_USE');
    await admin.expectOk('paymentcustomer/remove', { ID });
    await admin.expectOk('paymentcustomer/synchronize', { ID });
    assert.equal((await admin.select('paymentcustomer', ID))['Status'], 'Removed');
    assert.equal((await admin.select('paymentmethod', payer.method['PaymentMethodID']))['Status'], 'Removed');
  });

  it('LED-11 refuses card numbers wherever they are sent, and stores none', async () => {
    const number = '4242424242424242';
    const spaced = '4242 4242 4242 4242';
    const payer = await world.payer();
    const ledger = await payer.ledger('10');
    const of = { Object: payer.object, ObjectID: payer.objectId, PaymentCustomerID: payer.customerId };
    const { PaymentID: id } = await admin.expectOk('payment/charge', { Token: 'test_visa', Amount: '5' });
    const refused: (readonly [string, object])[] = [
      ['paymentmethod/vault', { ...of, Token: number }],
      ['payment/charge', { Token: number, Amount: '1' }],
      ['payment/authorize', { Token: number, Amount: '1', LedgerID: ledger }],
      ['payment/charge', { Token: 'test_visa', Amount: '1', Description: `card ${spaced}` }],
      ['payment/refund', { ID: id, Reason: spaced }],
      ['paymentcustomer/save', { ID: payer.customerId, Name: spaced }],
      ['paymentcustomer/save', { ID: payer.customerId, Street: number }],
    ];
    for (const [route, sent] of refused) {
      const error = await admin.expectRefused(route, sent, 'BAD_PARAMETER');
      assert.ok(!JSON.stringify(error).replace(/\D/g, '').includes(number), route);
    }
    assert.ok(logged.length > 0);
    for (const line of logged) assert.ok(!line.replace(/\D/g, '').includes(number), line);
    const tables = await p.platform.store.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const found = await p.platform.store.query(
        `select 1 from "${name}" t where regexp_replace(t::text, '[^0-9]', '', 'g') like $1::text limit 1`,
        [`%${number}%`],
      );
      assert.equal(found.length, 0, name);
    }
  });
});
