import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ledgerCheck } from '../../../src/app/ledger-check.ts';
import { client } from '../../support/client.ts';
import { HLEDGER, hledgerMissing } from '../../support/peers/hledger.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** `npm run soak -- books` makes 1,000. */
const BOOKS = Number(process.env['CASEWRIGHT_TEST_LEDGER_BOOKS'] ?? 60);

const p = await testPlatform({ after });
const admin = client(p);
const { host, port, user, database } = p.database;
const connection = { host, port, user, database };

/** Runs the check; returns what it printed, and its refusal. */
async function check(journal?: string): Promise<{ readonly printed: string[]; readonly refusal: string }> {
  const printed: string[] = [];
  try {
    await ledgerCheck({ connection, journal, print: (line) => void printed.push(line) });
    return { printed, refusal: '' };
  } catch (error) {
    return { printed, refusal: (error as Error).message };
  }
}

/** Makes ledgers with random lines, of which some are below lines of others, in two currencies. */
async function makeBooks(): Promise<void> {
  const { LedgerTemplateID } = await admin.save('ledgertemplate', {
    LedgerTemplate: 'Books',
    Repeatable: 'Many',
    Items: [
      { LedgerTemplateItem: 'Fees; "odd" (name)', ManualInsert: 1, IsDebit: true, IsTotaled: true },
      { LedgerTemplateItem: 'Credits', ManualInsert: 1, Account: 'Income:Credits', IsTotaled: false },
    ],
  });
  await p.platform.store.query(
    `insert into ledger (ledger, ledgertemplateid, currency)
     select 'Book ' || n, $1::bigint, case when n % 5 = 0 then 'EUR' else 'USD' end
     from generate_series(1, $2::integer) n`,
    [LedgerTemplateID, BOOKS],
  );
  await p.platform.store.query(
    `insert into ledgeritem (ledgerid, ledgertemplateitemid, ledgeritem, amountmoney, isdebit, istotaled, effectivedate)
     select l.ledgerid, case when random() < 0.5 then t.ledgertemplateitemid end, 'Line; with | signs ' || n,
       round((random() * 2000 - 500)::numeric, 4), (array[true, false, null])[1 + floor(random() * 3)::integer],
       (array[true, false, null])[1 + floor(random() * 3)::integer], date '2026-01-01' + n
     from ledger l cross join generate_series(1, 7) n
     cross join lateral (select ledgertemplateitemid from ledgertemplateitem where ledgertemplateid = $1::bigint
       order by random() + n * 0 limit 1) t
     where l.ledgertemplateid = $1::bigint`,
    [LedgerTemplateID],
  );
  await p.platform.store.query(
    `insert into ledgeritem (ledgerid, childledgerid, ledgeritem, isdebit, istotaled)
     select l.ledgerid, b.ledgerid, 'Below', true, l.ledgerid % 2 = 0
     from ledger l join ledger b on b.ledgerid = l.ledgerid + 5 and b.currency = l.currency
     where l.ledgertemplateid = $1::bigint and b.ledgertemplateid = $1::bigint`,
    [LedgerTemplateID],
  );
}

/** Returns the balances of ledgers as hledger computes them, by ledger. */
function balancesOf(journal: string, ...query: string[]): Map<number, number> {
  const csv = execFileSync(HLEDGER, ['-f', journal, 'balance', '-N', '-O', 'csv', '--flat', '^Ledgers:', ...query], {
    encoding: 'utf8',
  });
  return new Map(
    csv
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const match = /^"?Ledgers:(\d+)"?,"?(?:[A-Z]{3} )?([\d.,-]+)/.exec(line);
        return match ? [[Number(match[1]), Number(match[2]?.replaceAll(',', ''))] as const] : [];
      }),
  );
}

describe('the double-entry view of ledgers', () => {
  it(
    'LED-03 LED-05 hledger computes the stored balances of random books from their journal',
    { skip: hledgerMissing },
    async (t) => {
      await makeBooks();
      const first = await admin.save('ledger', { Items: [{ AmountMoney: '10', IsDebit: true, IsTotaled: true }] });
      const payment = { LedgerID: first['LedgerID'], AmountMoney: '12.34', TransactionNumber: 'T (1); x' };
      await admin.expectOk('ledger/applypayment', payment);
      const journal = join(temporaryFolder(t), 'books.journal');
      const { printed, refusal } = await check(journal);
      assert.equal(refusal, '', printed.join('\n'));
      assert.match(printed.at(-1) ?? '', /every balance matches its lines; the trial balance is zero/);
      execFileSync(HLEDGER, ['-f', journal, 'check']);
      const [all, totaled] = [balancesOf(journal), balancesOf(journal, 'tag:totaled')];
      const stored = await p.platform.store.query<{ id: number; balance: string | null; adjusted: string | null }>(
        'select ledgerid as id, balance, balanceadjusted as adjusted from ledger',
      );
      assert.ok(stored.length > BOOKS);
      for (const { id, balance, adjusted } of stored)
        assert.deepEqual(
          [all.get(id) ?? 0, totaled.get(id) ?? 0],
          [Number(balance ?? 0), Number(adjusted ?? 0)],
          `ledger ${id}`,
        );
    },
  );

  it('LED-12 ledger-check names balances and amounts that do not follow from the lines', async () => {
    const { LedgerID: child } = await admin.save('ledger', {
      Items: [{ AmountMoney: '5', IsDebit: true, IsTotaled: true }],
    });
    const { LedgerID } = await admin.save('ledger', { Items: [{ ChildLedgerID: child, IsDebit: true }] });
    await p.platform.store.query('update ledger set balance = 7, balanceadjusted = 8 where ledgerid = $1::bigint', [
      child,
    ]);
    const { printed, refusal } = await check();
    assert.match(refusal, /differ from their lines/);
    assert.match(printed.join('\n'), new RegExp(`ledger ${String(child)}: Balance is 7.*its lines add up to 5`));
    assert.match(printed.join('\n'), new RegExp(`line \\d+: its amount is 5.*ledger ${String(child)} below it is 8`));
    await admin.expectOk('ledger/calculate', { ID: child, RecalculateItem: false });
    assert.equal((await check()).refusal, '');
    assert.equal((await admin.select('ledger', LedgerID))['Balance'], 5);
  });
});
