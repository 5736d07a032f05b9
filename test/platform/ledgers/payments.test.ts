import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { saveTestGateway } from '../../support/ledgers/test-gateway.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);

const debit = { IsDebit: true, IsTotaled: true };
const ledgerWith = async (amounts: readonly string[], fields: object = {}): Promise<number> => {
  const Items = amounts.map((AmountMoney, n) => ({ LedgerItem: `Line ${n + 1}`, AmountMoney, ...debit }));
  return Number((await admin.save('ledger', { Items, ...fields }))['LedgerID']);
};
const linesOf = async (ledger: unknown): Promise<Row[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID: ledger, OrderBy: 'LedgerItemID', DisplaySize: 1_000 });
const balanceOf = async (ledger: unknown): Promise<unknown> => (await admin.select('ledger', ledger))['Balance'];
const pay = (LedgerID: unknown, AmountMoney: string, more: object = {}): Promise<Row> =>
  admin.expectOk('ledger/applypayment', { LedgerID, AmountMoney, ...more });
const partsOf = async (payment: Row): Promise<unknown[][]> =>
  (await linesOf(payment['ChildLedgerID'])).map((line) => [
    line['LedgerItem'],
    line['AmountMoney'],
    line['ReferenceLedgerItemID'],
  ]);

describe('ledger/applypayment', () => {
  it('LED-08 covers lines in order, stops at the first that it does not cover, and records the rest', async () => {
    const ledger = await ledgerWith(['10', '20', '50', '5']);
    const [first, second] = await linesOf(ledger);
    const payment = await pay(ledger, '40', { TransactionNumber: 'T-1', Description: 'By check' });
    assert.equal(payment['LedgerItem'], 'Payment');
    assert.equal(payment['LedgerItemType'], 'Payment');
    assert.equal(payment['AmountMoney'], 40);
    assert.equal(payment['AmountMoneyCountered'], 10);
    assert.equal(payment['TransactionNumber'], 'T-1');
    assert.equal(payment['Description'], 'By check');
    assert.ok(payment['PostedDate']);
    assert.deepEqual(await partsOf(payment), [
      ['Payment Applied', 10, first?.['LedgerItemID']],
      ['Payment Applied', 20, second?.['LedgerItemID']],
      ['Unapplied Funds', 10, undefined],
    ]);
    assert.deepEqual(
      (await linesOf(ledger)).map((line) => line['PaidDate'] !== undefined),
      [true, true, false, false, false],
    );
    assert.equal(await balanceOf(ledger), 45);
  });

  it('LED-08 adds the funds that earlier payments left', async () => {
    const ledger = await ledgerWith(['60', '70']);
    const first = await pay(ledger, '100');
    assert.equal(first['AmountMoneyCountered'], 40);
    const second = await pay(ledger, '30');
    assert.equal(second['AmountMoneyCountered'], 0);
    const [, line] = await linesOf(ledger);
    assert.deepEqual(await partsOf(second), [
      ['Unapplied Funds', -40, undefined],
      ['Payment Applied', 70, line?.['LedgerItemID']],
    ]);
    assert.equal(await balanceOf(ledger), 0);
    assert.equal(await balanceOf(second['ChildLedgerID']), 30);
    await admin.expectRefused('ledger/applypayment', { LedgerID: ledger, AmountMoney: '1' }, 'STATE_REFUSES');
  });

  it('LED-08 walks by PostedDate, then by ID, the lines that are totaled, and neither credits nor lines of payments', async () => {
    const ledger = await ledgerWith([]);
    const add = async (AmountMoney: string, fields: object): Promise<unknown> =>
      (await admin.save('ledgeritem', { LedgerID: ledger, AmountMoney, ...debit, ...fields }))['LedgerItemID'];
    const undated = await add('1', {});
    const late = await add('2', { PostedDate: '2026-02-02' });
    const early = await add('3', { PostedDate: '2026-01-01' });
    await add('4', { IsDebit: false });
    await add('5', { IsTotaled: false });
    await add('5', { IsTotaled: null });
    await add('-6', {});
    const payment = await pay(ledger, '100');
    const applied = (await partsOf(payment)).flatMap(([, , id]) => (id === undefined ? [] : [id]));
    assert.deepEqual(applied, [early, late, undated]);
  });

  it('LED-08 works on locked ledgers that take no more lines, and changes no other line', async () => {
    const ledger = await ledgerWith(['10', '90']);
    await admin.save('ledger', { ID: ledger, IsExpandable: false });
    await admin.expectOk('ledger/post', { ID: ledger });
    await pay(ledger, '10');
    const [paid, open, payment] = await linesOf(ledger);
    assert.ok(paid?.['PaidDate']);
    assert.equal(open?.['PaidDate'], undefined);
    assert.equal(payment?.['IsLocked'], true);
    assert.equal(await balanceOf(ledger), 90);
    const change = { ID: payment?.['LedgerItemID'], AmountMoney: '1' };
    await admin.expectRefused('ledgeritem/save', change, 'LOCKED');
    const [part] = await linesOf(payment?.['ChildLedgerID']);
    await admin.expectRefused('ledgeritem/save', { ID: part?.['LedgerItemID'], AmountMoney: '1' }, 'LOCKED');
  });

  it('LED-08 LED-12 is refused without an amount, lines to pay, or the currency of the ledger', async () => {
    const empty = { LedgerID: await ledgerWith([]), AmountMoney: '1' };
    const none = await admin.expectRefused('ledger/applypayment', empty, 'STATE_REFUSES', 'LedgerID');
    assert.equal(none.status, 422);
    const LedgerID = await ledgerWith(['1']);
    await admin.expectRefused('ledger/applypayment', { LedgerID }, 'MISSING_PARAMETER', 'AmountMoney');
    for (const AmountMoney of ['0', '-1'])
      await admin.expectRefused('ledger/applypayment', { LedgerID, AmountMoney }, 'BAD_PARAMETER', 'AmountMoney');
    for (const route of ['ledger/applypayment', 'ledger/previewpayment']) {
      const cents = await admin.expectRefused(
        route,
        { LedgerID, AmountMoney: '1.005' },
        'BAD_PARAMETER',
        'AmountMoney',
      );
      assert.match(cents.message, /in USD with at most 2 decimals/);
    }
    const euros = { LedgerID, AmountMoney: '1', Currency: 'EUR' };
    await admin.expectRefused('ledger/applypayment', euros, 'BAD_PARAMETER', 'Currency');
    assert.equal(await balanceOf(LedgerID), 1);
  });

  it('LED-08 uses the labels and types of the settings', async () => {
    const set = (Setting: string, Value: string): Promise<Row> => admin.save('setting', { Setting, Value });
    await set('ApplyPaymentUnappliedFunds', 'Suspense');
    await set('ApplyPaymentDefaultLabel', 'Receipt');
    try {
      const ledger = await ledgerWith(['2']);
      const payment = await pay(ledger, '3');
      assert.equal(payment['LedgerItem'], 'Receipt');
      assert.deepEqual((await partsOf(payment)).at(-1), ['Suspense', 1, undefined]);
    } finally {
      await set('ApplyPaymentUnappliedFunds', 'Unapplied Funds');
      await set('ApplyPaymentDefaultLabel', 'Payment');
    }
  });

  it('LED-08 LED-12 duplicates of one payment at the same moment make one line', async () => {
    const ledger = await ledgerWith(['10', '20']);
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => pay(ledger, '12', { TransactionNumber: 'D-1' })),
    );
    assert.equal(new Set(answers.map((row) => row['LedgerItemID'])).size, 1);
    assert.equal((await linesOf(ledger)).length, 3);
    assert.equal(await balanceOf(ledger), 18);
    const other = { LedgerID: ledger, AmountMoney: '13', TransactionNumber: 'D-1' };
    await admin.expectRefused('ledger/applypayment', other, 'DUPLICATE_KEY', 'TransactionNumber');
  });

  it('LED-08 a preview warns of a known transaction number, and covers no lines', async () => {
    const ledger = await ledgerWith(['10', '20']);
    const { LedgerItemID: id } = await pay(ledger, '12', { TransactionNumber: 'K-1' });
    const preview = { LedgerID: ledger, AmountMoney: '12', TransactionNumber: ' K-1 ' };
    const known = await admin.send('ledger/previewpayment', preview);
    assert.equal(known.status, 200);
    assert.match(known.text, new RegExp(`PAYMENT_EXISTS[\\s\\S]*${String(id)}`));
    assert.doesNotMatch(known.text, /Outcome/);
    const other = { ...preview, AmountMoney: '13' };
    await admin.expectRefused('ledger/previewpayment', other, 'DUPLICATE_KEY', 'TransactionNumber');
    const free = await admin.expectRows('ledger/previewpayment', { ...preview, TransactionNumber: 'K-2' });
    assert.ok(free.length > 0);
    assert.equal(await balanceOf(ledger), 18);
  });
});

describe('ledger/reversepayment', () => {
  it('LED-08 counters a payment: balances and paid lines are as before, nothing is deleted, and only once', async () => {
    const ledger = await ledgerWith(['10', '20']);
    const payment = await pay(ledger, '25');
    const reverse = (): Promise<Row> =>
      admin.expectOk('ledger/reversepayment', { LedgerItemID: payment['LedgerItemID'], Description: 'Bounced' });
    const [reversal, ...others] = await Promise.all([reverse(), reverse(), reverse()]);
    assert.equal(reversal?.['AmountMoney'], 25);
    assert.equal(reversal['ReferenceLedgerItemID'], payment['LedgerItemID']);
    for (const other of others) assert.equal(other['LedgerItemID'], reversal['LedgerItemID']);
    assert.equal(await balanceOf(ledger), 30);
    const lines = await linesOf(ledger);
    assert.equal(lines.length, 4);
    assert.deepEqual(
      lines.slice(0, 2).map((line) => line['PaidDate']),
      [undefined, undefined],
    );
    const again = await pay(ledger, '30');
    assert.equal(again['AmountMoneyCountered'], 0);
    assert.equal(await balanceOf(ledger), 0);
  });

  it('LED-08 is refused while a later payment uses what the payment left, and for other lines', async () => {
    const ledger = await ledgerWith(['60', '70']);
    const first = await pay(ledger, '100');
    const second = await pay(ledger, '30');
    const reverse = (payment: Row): object => ({ LedgerItemID: payment['LedgerItemID'] });
    await admin.expectRefused('ledger/reversepayment', reverse(first), 'STATE_REFUSES', 'LedgerItemID');
    await admin.expectOk('ledger/reversepayment', reverse(second));
    assert.equal(await balanceOf(ledger), 30);
    await admin.expectOk('ledger/reversepayment', reverse(first));
    assert.equal(await balanceOf(ledger), 130);
    const [line] = await linesOf(ledger);
    await admin.expectRefused('ledger/reversepayment', reverse(line ?? {}), 'STATE_REFUSES', 'LedgerItemID');
  });
});

describe('one ledger that many change at the same moment', () => {
  it('LED-12 has the right balance after lines, payments, reversals and locks', async () => {
    const ledger = await ledgerWith(['100']);
    const parent = await admin.save('ledger', {});
    await admin.save('ledgeritem', { LedgerID: parent['LedgerID'], ChildLedgerID: ledger, ...debit });
    const poster = async (n: number): Promise<void> => {
      for (let round = 0; round < 4; round++) {
        await admin.save('ledgeritem', { LedgerID: ledger, AmountMoney: `${n}.01`, ...debit });
        const payment = await pay(ledger, `${n + 1}`);
        if (round % 2 === 0)
          await admin
            .expectOk('ledger/reversepayment', { LedgerItemID: payment['LedgerItemID'] })
            .catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => poster(n + 1)));
    const lines = await linesOf(ledger);
    const sum = lines.reduce(
      (total, line) => total + (line['IsDebit'] === true ? 1 : -1) * Math.round(Number(line['AmountMoney']) * 100),
      0,
    );
    assert.equal(Math.round(Number(await balanceOf(ledger)) * 100), sum);
    assert.equal(await balanceOf(parent['LedgerID']), await balanceOf(ledger));
  });
});

describe('payment/previewrefund', () => {
  it('LED-11 returns what a refund of a part or of the whole does then, and changes nothing', async () => {
    const gateway = await saveTestGateway(p, () => Date.now());
    const contact = await admin.save('contact', { LastName: 'Delgado' });
    const parent = { Object: 'Contact', ObjectID: Number(contact['ContactID']) };
    const { id: method } = await gateway.card('test_visa', parent);
    const chargedLedger = async (): Promise<readonly [ledger: number, payment: unknown]> => {
      const LedgerID = await ledgerWith(['60', '10'], parent);
      const sent = { PaymentMethodID: method, Amount: '100', LedgerID };
      return [LedgerID, (await admin.expectOk('payment/charge', sent))['PaymentID']];
    };
    const preview = async (ID: unknown, more: object = {}): Promise<unknown[][]> =>
      (await admin.expectRows('payment/previewrefund', { ID, ...more })).map((row) => [
        row['Outcome'],
        row['LedgerItem'],
        row['AmountMoney'],
      ]);
    const [ledger, payment] = await chargedLedger();
    const whole = [
      ['Refunded', undefined, 100],
      ['Unpaid', 'Line 1', 60],
      ['Unpaid', 'Line 2', 10],
      ['Funds', undefined, 30],
    ];
    assert.deepEqual(await preview(payment), whole);
    assert.deepEqual(await preview(payment, { Amount: '45' }), [
      ['Refunded', undefined, 45],
      ['Funds', undefined, 30],
      ['Owed', undefined, 15],
    ]);
    const tooMuch = { ID: payment, Amount: '100.01' };
    await admin.expectRefused('payment/previewrefund', tooMuch, 'BAD_PARAMETER', 'Amount');
    assert.equal((await linesOf(ledger)).length, 3);
    await admin.expectOk('payment/refund', { ID: payment, Amount: '45' });
    const refunds = (await linesOf(ledger)).filter((row) => row['PaymentRole'] === 'Refund');
    assert.deepEqual(
      refunds.map((row) => row['AmountMoney']),
      [30, 15],
    );
    assert.equal(await balanceOf(ledger), 15);
    assert.deepEqual(await preview(payment), [
      ['Refunded', undefined, 55],
      ['Owed', undefined, 55],
    ]);
    const [other, paid] = await chargedLedger();
    await admin.expectOk('payment/refund', { ID: paid });
    assert.ok((await linesOf(other)).slice(0, 2).every((row) => row['PaidDate'] === undefined));
    await admin.expectRefused('payment/previewrefund', { ID: paid }, 'STATE_REFUSES', 'ID');
  });
});
