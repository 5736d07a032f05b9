import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
  const answer = await on.admin.post(`/api/${path}${path.includes('?') ? '&' : '?'}Output=Json`, body);
  assert.equal(answer.status, 200, `${path} ${JSON.stringify(body)}: ${answer.text}`);
  return answer.json();
};
const newLedger = async (values: object = {}): Promise<number> =>
  Number((await post('ledger/save', { Ledger: 'Test', ...values }))['LedgerID']);
const newItem = async (values: object): Promise<number> =>
  Number((await post('ledgeritem/save', values))['LedgerItemID']);

/** Amounts as whole ten-thousandths, so that the oracle is as exact as the store. */
const scaled = (text: string | null): bigint => {
  const [whole = '0', fraction = ''] = (text ?? '0').replace('-', '').split('.');
  const value = BigInt(whole) * 10_000n + BigInt(fraction.padEnd(4, '0').slice(0, 4));
  return (text ?? '').startsWith('-') ? -value : value;
};
const totals = async (id: number): Promise<{ balance: bigint; adjusted: bigint }> => {
  const [row] = await on.platform.store.query<{ balance: string | null; adjusted: string | null }>(
    'select balance, balanceadjusted as adjusted from ledger where ledgerid = $1::bigint',
    [id],
  );
  return { balance: scaled(row?.balance ?? null), adjusted: scaled(row?.adjusted ?? null) };
};

const template = Number(
  (await post('ledgertemplate/save', { LedgerTemplate: 'Totals', Repeatable: 'Many' }))['LedgerTemplateID'],
);
/** Template lines for every combination of the template's flags. */
const templateItems: { id: number; debit: boolean | null; totaled: boolean | null }[] = [];
for (const debit of [true, false, null]) {
  for (const totaled of [true, false, null]) {
    const row = await post('ledgertemplateitem/save', {
      LedgerTemplateID: template,
      LedgerTemplateItem: `debit ${debit} totaled ${totaled}`,
      ...(debit === null ? {} : { IsDebit: debit }),
      ...(totaled === null ? {} : { IsTotaled: totaled }),
    });
    templateItems.push({ id: Number(row['LedgerTemplateItemID']), debit, totaled });
  }
}

/** A line as the oracle knows it. */
interface Line {
  ledger: number;
  amount: string | null;
  debit: boolean | null;
  totaled: boolean | null;
  readonly templateItem: (typeof templateItems)[number] | undefined;
  readonly child: number | undefined;
}

/**
 * Returns a ledger's totals by the rule as written: debits minus credits. An empty flag falls back to the template's
 * line; null there means a credit that is not totaled.
 */
function expected(lines: Iterable<Line>, ledger: number): { balance: bigint; adjusted: bigint } {
  const all = [...lines];
  let balance = 0n;
  let adjusted = 0n;
  for (const line of all.filter((l) => l.ledger === ledger)) {
    const own = line.amount === null ? null : scaled(line.amount);
    const amount = line.child === undefined ? own : expected(all, line.child).adjusted;
    if (amount === null) continue;
    const signed = (line.debit ?? line.templateItem?.debit ?? false) ? amount : -amount;
    balance += signed;
    if (line.totaled ?? line.templateItem?.totaled ?? false) adjusted += signed;
  }
  return { balance, adjusted };
}

const money = fc
  .tuple(fc.boolean(), fc.nat(999_999_999), fc.nat(9_999))
  .map(([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}.${String(fraction).padStart(4, '0')}`);
const flag = fc.constantFrom(true, false, null);
const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('insert' as const),
      ledger: fc.nat(9),
      amount: fc.option(money),
      debit: flag,
      totaled: flag,
      item: fc.option(fc.nat(8)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      line: fc.nat(40),
      amount: fc.option(money),
      debit: flag,
      totaled: flag,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), line: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), line: fc.nat(40), ledger: fc.nat(9) }) },
);

describe('the totals of a ledger', () => {
  it('LED-12 are read by an index, also on a connection that planned them when there were few lines', async () => {
    // The first test of this file: the table has no other lines yet.
    const ledgerId = await newLedger();
    await newItem({ LedgerID: ledgerId, LedgerItem: 'x' });
    await on.platform.store.transaction({ personId: null, firm: null, callId: 'plans' }, async (db) => {
      const scans = async (): Promise<number | undefined> => {
        const [row] = await db.query<{ scans: number }>(
          `select seq_scan::integer as scans from pg_stat_xact_user_tables where relname = 'ledgeritem'`,
        );
        return row?.scans;
      };
      await db.query('analyze ledgeritem');
      const before = await scans();
      for (let n = 0; n < 10; n++)
        await db.query('insert into ledgeritem (ledgerid, amountmoney, isdebit) values ($1::bigint, 1, true)', [
          ledgerId,
        ]);
      assert.equal(await scans(), before);
    });
    assert.deepEqual(await totals(ledgerId), { balance: 100_000n, adjusted: 0n });
  });

  it('LED-03 LED-05 LED-12 LED-15 equal those of a plain oracle after any inserts, changes, moves and deletions, in ledgers nested to any depth', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(9), { minLength: 0, maxLength: 4 }),
        fc.array(operation, { minLength: 5, maxLength: 25 }),
        async (nesting, operations) => {
          const lines = new Map<number, Line>();
          const ledgers = [await newLedger()];
          for (const parent of nesting) {
            const child = await newLedger();
            const of = ledgers[parent % ledgers.length] ?? 0;
            lines.set(
              await newItem({
                LedgerID: of,
                LedgerItem: 'below',
                ChildLedgerID: child,
                IsDebit: true,
                IsTotaled: true,
              }),
              { ledger: of, amount: null, debit: true, totaled: true, templateItem: undefined, child },
            );
            ledgers.push(child);
          }
          for (const step of operations) await apply(step, ledgers, lines);
          for (const ledger of ledgers)
            assert.deepEqual(
              await totals(ledger),
              expected(lines.values(), ledger),
              `ledger ${ledger} of ${JSON.stringify(ledgers)}`,
            );
        },
      ),
      { numRuns: 15, seed: 20_261_123, endOnFailure: true },
    );
  });

  async function apply(
    step: typeof operation extends fc.Arbitrary<infer T> ? T : never,
    ledgers: readonly number[],
    lines: Map<number, Line>,
  ): Promise<void> {
    const flags = (of: { debit: boolean | null; totaled: boolean | null }): object => ({
      IsDebit: of.debit,
      IsTotaled: of.totaled,
    });
    if (step.do === 'insert') {
      const ledger = ledgers[step.ledger % ledgers.length] ?? 0;
      const templateItem = step.item === null ? undefined : templateItems[step.item];
      const id = await newItem({
        LedgerID: ledger,
        LedgerItem: 'line',
        AmountMoney: step.amount,
        ...flags(step),
        ...(templateItem ? { LedgerTemplateItemID: templateItem.id } : {}),
      });
      lines.set(id, {
        ledger,
        amount: step.amount,
        debit: step.debit,
        totaled: step.totaled,
        templateItem,
        child: undefined,
      });
      return;
    }
    const own = [...lines.entries()].filter(([, line]) => line.child === undefined);
    const [id, line] = own[step.line % Math.max(1, own.length)] ?? [];
    if (id === undefined || !line) return;
    if (step.do === 'delete') {
      await post(`ledgeritem/delete?ID=${id}`, {});
      lines.delete(id);
    } else if (step.do === 'move') {
      line.ledger = ledgers[step.ledger % ledgers.length] ?? 0;
      await post('ledgeritem/save', { ID: id, LedgerID: line.ledger });
    } else {
      await post('ledgeritem/save', { ID: id, AmountMoney: step.amount, ...flags(step) });
      Object.assign(line, { amount: step.amount, debit: step.debit, totaled: step.totaled });
    }
  }

  it('LED-12 are exact where floating point is not', async () => {
    const ledger = await newLedger();
    for (const amount of ['0.1', '0.2', '123456789012345', '0.0001', '-123456789012345'])
      await newItem({ LedgerID: ledger, LedgerItem: 'x', AmountMoney: amount, IsDebit: true, IsTotaled: true });
    assert.equal((await totals(ledger)).balance, scaled('0.3001'));
    assert.match((await on.admin.get(`/api/ledger/${ledger}?Output=Json`)).text, /"Balance":0\.3001\b/);
  });

  it('LED-12 are right however many calls save lines of one ledger at the same moment, and no call is refused', async () => {
    const ledger = await newLedger();
    const child = await newLedger();
    await newItem({ LedgerID: ledger, LedgerItem: 'below', ChildLedgerID: child, IsDebit: true, IsTotaled: true });
    const standing = await Promise.all(
      Array.from({ length: 6 }, () =>
        newItem({ LedgerID: ledger, LedgerItem: 'x', AmountMoney: '1', IsDebit: true, IsTotaled: true }),
      ),
    );
    const work: Promise<unknown>[] = [];
    for (let n = 1; n <= 20; n++) {
      work.push(
        newItem({ LedgerID: ledger, LedgerItem: 'x', AmountMoney: `${n}.01`, IsDebit: true, IsTotaled: n % 2 === 0 }),
      );
      work.push(
        newItem({ LedgerID: child, LedgerItem: 'x', AmountMoney: `${n}.0001`, IsDebit: true, IsTotaled: true }),
      );
      work.push(post('ledgeritem/save', { ID: standing[n % 6], AmountMoney: '2' }));
    }
    await Promise.all(work);
    const below = scaled('210.002');
    assert.deepEqual(await totals(child), { balance: below, adjusted: below });
    assert.deepEqual(await totals(ledger), {
      balance: below + scaled('210.2') + scaled('12'),
      adjusted: below + scaled('110.1') + scaled('12'),
    });
  });

  it('LED-12 are right when a ledger is attached below a line while lines are saved in it', async () => {
    for (let round = 0; round < 8; round++) {
      const ledger = await newLedger();
      const child = await newLedger();
      await Promise.all([
        ...Array.from({ length: 5 }, () =>
          newItem({ LedgerID: child, LedgerItem: 'x', AmountMoney: '1', IsDebit: true, IsTotaled: true }),
        ),
        newItem({ LedgerID: ledger, LedgerItem: 'below', ChildLedgerID: child, IsDebit: true, IsTotaled: true }),
        ...Array.from({ length: 5 }, () =>
          newItem({ LedgerID: child, LedgerItem: 'x', AmountMoney: '1', IsDebit: true, IsTotaled: true }),
        ),
      ]);
      assert.deepEqual([(await totals(child)).balance, (await totals(ledger)).balance], [scaled('10'), scaled('10')]);
    }
  });

  it("LED-05 an amount sent for a line with a ledger below it is replaced by that ledger's adjusted balance", async () => {
    const ledger = await newLedger();
    const child = await newLedger();
    await newItem({ LedgerID: child, LedgerItem: 'x', AmountMoney: '7.5', IsDebit: true, IsTotaled: true });
    await newItem({ LedgerID: child, LedgerItem: 'not totaled', AmountMoney: '100', IsDebit: true, IsTotaled: false });
    const line = await newItem({
      LedgerID: ledger,
      LedgerItem: 'below',
      ChildLedgerID: child,
      AmountMoney: '999',
      IsDebit: true,
      IsTotaled: true,
    });
    assert.equal((await totals(ledger)).balance, scaled('7.5'));
    await post('ledgeritem/save', { ID: line, AmountMoney: '1000' });
    assert.equal((await totals(ledger)).balance, scaled('7.5'));
  });

  it('LED-05 a ledger cannot be below itself, directly or through others', async () => {
    const [a, b] = [await newLedger(), await newLedger()];
    await newItem({ LedgerID: a, LedgerItem: 'b', ChildLedgerID: b });
    for (const [ledger, child] of [
      [a, a],
      [b, a],
    ]) {
      const answer = await on.admin.post('/api/ledgeritem/save', {
        LedgerID: ledger,
        LedgerItem: 'circle',
        ChildLedgerID: child,
      });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /childledgerid/i);
    }
  });

  it('LED-16 a sent Balance or BalanceAdjusted is never stored, and a warning says so', async () => {
    const made = await on.admin.post('/api/ledger/save?Output=Json', {
      Ledger: 'Sent',
      Balance: 500,
      BalanceAdjusted: '600',
    });
    const ledger = Number(made.json()['LedgerID']);
    assert.match(made.text, /COMPUTED_FIELD/);
    await newItem({ LedgerID: ledger, LedgerItem: 'x', AmountMoney: '3', IsDebit: true, IsTotaled: true });
    for (const body of [
      { ID: ledger, Balance: 1_000 },
      { ID: ledger, BalanceAdjusted: 1_000, Status: 'Open' },
    ])
      await post('ledger/save', body);
    await on.admin.post('/api/foreclosure/save', { Foreclosure: 'L-16', Ledgers: [{ Ledger: 'nested', Balance: 7 }] });
    assert.deepEqual(await totals(ledger), { balance: scaled('3'), adjusted: scaled('3') });
    assert.equal((await on.platform.store.query('select 1 from ledger where balance = 7')).length, 0);
  });

  it('LED-15 saving a line re-totals its ledger and leaves the amounts of other lines unchanged', async () => {
    const ledger = await newLedger();
    const first = await newItem({
      LedgerID: ledger,
      LedgerItem: 'first',
      AmountMoney: '5',
      Rate: '2',
      UnitCount: '9',
      IsDebit: true,
      IsTotaled: true,
    });
    await newItem({ LedgerID: ledger, LedgerItem: 'second', AmountMoney: '6', IsDebit: true, IsTotaled: true });
    assert.equal((await totals(ledger)).balance, scaled('11'));
    const [row] = await on.platform.store.query<{ amount: string; version: number }>(
      'select amountmoney as amount, version from ledgeritem where ledgeritemid = $1::bigint',
      [first],
    );
    assert.deepEqual(row, { amount: '5', version: 1 });
  });
});
