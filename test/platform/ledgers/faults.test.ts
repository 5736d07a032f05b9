import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

/** `npm run soak -- duplicates` sends 10,000. */
const DUPLICATES = Number(process.env['CASEWRIGHT_TEST_LEDGER_DUPLICATES'] ?? 200);

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('setting', { Setting: 'CallsPerMinuteMax', Value: '0' });

const debit = { IsDebit: true, IsTotaled: true };
const ledgerWith = async (amounts: readonly string[], fields: object = {}): Promise<number> => {
  const Items = amounts.map((AmountMoney, n) => ({ LedgerItem: `Line ${n + 1}`, AmountMoney, ...debit }));
  return Number((await admin.save('ledger', { Items, ...fields }))['LedgerID']);
};
const linesOf = (ledger: unknown): Promise<Row[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID: ledger, OrderBy: 'LedgerItemID', DisplaySize: 1_000 });
const balanceOf = async (ledger: unknown): Promise<unknown> => (await admin.select('ledger', ledger))['Balance'];
const pay = (body: object, key: string): Promise<TestAnswer> =>
  p.admin.post('/api/ledger/applypayment?Output=Json', body, { 'Idempotency-Key': key });

/**
 * Sends a payment with all keys at once, and again with those that a busy server refused (429, 503) or whose connection
 * it reset. Returns the IDs of the lines in the answers.
 */
async function payWithAll(body: object, keys: readonly string[]): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (let open = keys; open.length > 0;) {
    const answers = await Promise.all(open.map((key) => pay(body, key).catch(cutOff)));
    const isOpen = (answer: TestAnswer | undefined): boolean => !answer || [429, 503].includes(answer.status);
    for (const answer of answers) {
      if (!answer || isOpen(answer)) continue;
      assert.equal(answer.status, 200, answer.text);
      ids.push(answer.json()['LedgerItemID']);
    }
    open = open.filter((_, n) => isOpen(answers[n]));
  }
  return ids;
}

/** Returns nothing for a call whose connection was reset; rethrows any other error. */
function cutOff(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ECONNRESET') throw error;
}

describe('payments that are sent again', () => {
  it('LED-08 LED-12 concurrent duplicates of one payment, by number and by key, make one line', async () => {
    const ledger = await ledgerWith(['10', '20']);
    const body = { ID: ledger, AmountMoney: '12', TransactionNumber: 'D-1' };
    // Half of them are of one key; the others have keys of their own, and the number finds the payment.
    const keys = Array.from({ length: DUPLICATES }, (_, n) => (n % 2 === 0 ? 'same' : `own ${n}`));
    const ids = await payWithAll(body, keys);
    assert.deepEqual([ids.length, new Set(ids).size], [DUPLICATES, 1]);
    assert.equal((await linesOf(ledger)).length, 3);
    assert.equal(await balanceOf(ledger), 18);
  });

  it('LED-08 a payment without a number is applied once for each Idempotency-Key', async () => {
    const ledger = await ledgerWith(['10', '20', '30']);
    const body = { ID: ledger, AmountMoney: '10' };
    const first = await pay(body, 'check 1');
    const again = await pay(body, 'check 1');
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(again.text, first.text);
    assert.equal(await balanceOf(ledger), 50);
    const other = await pay({ ...body, AmountMoney: '11' }, 'check 1');
    assert.equal(other.status, 409);
    assert.match(other.text, /IDEMPOTENCY_MISMATCH/);
    const reversed = { LedgerItemID: first.json()['LedgerItemID'] };
    await admin.expectOk('ledger/reversepayment', reversed);
    assert.equal((await pay(body, 'check 1')).text, first.text, 'a repeat does not pay again what was reversed');
    assert.equal(await balanceOf(ledger), 60);
    assert.equal((await pay(body, 'check 2')).status, 200);
    assert.equal(await balanceOf(ledger), 50);
  });
});

describe('exact money', () => {
  it('LED-12 JSON numbers with 15 and more digits survive the round trip, also through payments', async () => {
    for (const amount of ['90071992547409.93', '123456789012345.67', '999999999999999.9999', '0.0001']) {
      const json = `{"Items":[{"LedgerItem":"Large","AmountMoney":${amount},"IsDebit":true,"IsTotaled":true}]}`;
      const headers = { 'content-type': 'application/json' };
      const saved = await p.admin.post('/api/ledger/save?Output=Json', json, headers);
      assert.equal(saved.status, 200, saved.text);
      const id = saved.json()['LedgerID'];
      assert.match(saved.text, new RegExp(`"Balance":\\s?${amount.replace('.', '\\.')}\\b`));
      const paid = await p.admin.post(
        '/api/ledger/applypayment?Output=Json',
        `{"ID":${String(id)},"AmountMoney":${amount}}`,
        headers,
      );
      if (!/\.\d{2}$/.test(amount)) {
        assert.match(paid.text, /"Field":"AmountMoney"/);
        continue;
      }
      assert.match(paid.text, new RegExp(`"AmountMoney":\\s?${amount.replace('.', '\\.')}\\b`));
      assert.equal(await balanceOf(id), 0);
    }
  });

  it('LED-05 LED-12 currencies do not mix: not by a ledger below, a move of a line, a payment or a new currency', async () => {
    const dollars = await ledgerWith(['10']);
    const euros = await ledgerWith(['5'], { Currency: 'EUR' });
    const below = { LedgerID: dollars, ChildLedgerID: euros, ...debit };
    await admin.expectRefused('ledgeritem/save', below, 'BAD_PARAMETER', 'ChildLedgerID');
    const [line] = await linesOf(dollars);
    const ID = line?.['LedgerItemID'];
    await admin.expectRefused('ledgeritem/save', { ID, ChildLedgerID: euros }, 'BAD_PARAMETER', 'ChildLedgerID');
    const { LedgerID: child } = await admin.save('ledger', { Currency: 'EUR' });
    const { LedgerItemID } = await admin.save('ledgeritem', { LedgerID: euros, ChildLedgerID: child, ...debit });
    const moved = await admin.send('ledgeritem/save', { ID: LedgerItemID, LedgerID: dollars });
    assert.ok(moved.status >= 400, moved.text);
    await admin.expectRefused('ledger/save', { ID: child, Currency: 'USD' }, 'STATE_REFUSES', 'Currency');
    const payment = { ID: euros, AmountMoney: '5', Currency: 'USD' };
    await admin.expectRefused('ledger/applypayment', payment, 'BAD_PARAMETER', 'Currency');
    assert.deepEqual([await balanceOf(dollars), await balanceOf(euros)], [10, 5]);
  });
});
