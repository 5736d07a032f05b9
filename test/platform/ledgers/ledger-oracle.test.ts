import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { checkLedgers } from '../../../src/modules/ledgers/public/check-ledgers.ts';
import { client, type Row } from '../../support/client.ts';
import { LedgerOracle } from '../../support/ledgers/ledger-oracle.ts';
import { testPlatform } from '../../support/platform.ts';

/** `npm run soak -- ledgers` runs 100,000 steps. */
const STEPS = Number(process.env['CASEWRIGHT_TEST_LEDGER_STEPS'] ?? 120);
/** Steps on one set of ledgers; then come new ones. */
const STEPS_PER_BOOK = 60;

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('setting', { Setting: 'CallsPerMinuteMax', Value: '0' });
await admin.save('paymentprovider', { PaymentProvider: 'Trial', PaymentProviderType: 'test' });
await p.platform.settings.fresh();
const { LedgerTemplateID } = await admin.save('ledgertemplate', {
  LedgerTemplate: 'Oracle',
  Repeatable: 'Many',
  Items: [true, false].map((CanExclude) => ({
    LedgerTemplateItem: `Can exclude ${CanExclude}`,
    CanExclude,
    ManualInsert: 1,
    IsDebit: true,
    IsTotaled: true,
  })),
});
const templateLines = await admin.expectRows('ledgertemplateitem/search', { LedgerTemplateID, OrderBy: 'CanExclude' });

const cents = fc.integer({ min: 0, max: 30_000 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), at: fc.nat(2), cents, kind: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), at: fc.nat(), cents }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rate' as const), at: fc.nat(), cents }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('exclude' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('include' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('toggle' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('toggle all' as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lock' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pay' as const), at: fc.nat(2), cents }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reverse' as const), at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('charge' as const), at: fc.nat(2), cents }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), at: fc.nat(), cents }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let rates = 0;

const money = (n: number): string =>
  `${n < 0 ? '-' : ''}${Math.trunc(Math.abs(n) / 100)}.${String(Math.abs(n) % 100).padStart(2, '0')}`;
const inCents = (value: unknown): number => Math.round(Number(value ?? 0) * 100);

/** Sends a step to the platform; returns whether it was taken, and the line that it made. */
async function send(oracle: LedgerOracle, step: Step): Promise<{ readonly taken: boolean; readonly row: Row }> {
  const taken = async (route: string, values: object): Promise<{ readonly taken: boolean; readonly row: Row }> => {
    const answer = await admin.send(route, values);
    assert.ok([200, 400, 409, 422].includes(answer.status), `${route} ${JSON.stringify(values)}: ${answer.text}`);
    return { taken: answer.status === 200, row: answer.status === 200 ? answer.json() : {} };
  };
  switch (step.do) {
    case 'add':
      return taken('ledgeritem/save', {
        LedgerID: oracle.ledgerAt(step.at),
        LedgerItem: 'Line',
        AmountMoney: money(step.cents),
        ...(step.kind < 2
          ? { LedgerTemplateItemID: templateLines[step.kind]?.['LedgerTemplateItemID'] }
          : { IsDebit: step.kind === 2, IsTotaled: true }),
      });
    case 'pay':
      return taken('ledger/applypayment', { LedgerID: oracle.ledgerAt(step.at), AmountMoney: money(step.cents + 1) });
    case 'charge':
      return taken('payment/charge', {
        Token: 'test_visa',
        LedgerID: oracle.ledgerAt(step.at),
        Amount: money(step.cents + 1),
      });
    case 'refund': {
      const { paymentId: ID, cents } = oracle.refundAt(step);
      return taken('payment/refund', { ID, ...(cents === undefined ? {} : { Amount: money(cents) }) });
    }
    case 'reverse':
      return taken('ledger/reversepayment', { LedgerItemID: oracle.paymentAt(step.at) });
    case 'toggle all':
      return taken('ledgeritem/toggleistotaled', { ID: oracle.linesAt(step.at).join(',') });
    default: {
      const ID = oracle.lineAt(step.at);
      if (step.do === 'change') return taken('ledgeritem/save', { ID, AmountMoney: money(step.cents) });
      // No two steps send the same rate: it changes the line, although not the balance.
      if (step.do === 'rate') return taken('ledgeritem/save', { ID, Rate: `${++rates}`, UnitCount: '2' });
      if (step.do === 'lock') return taken('ledgeritem/save', { ID, IsLocked: true });
      if (step.do === 'remove') return taken('ledgeritem/delete', { ID });
      const route = { exclude: 'excludefromtotal', include: 'includeintotal', toggle: 'toggleistotaled' }[step.do];
      return taken(`ledgeritem/${route}`, { ID });
    }
  }
}

/** Runs a step on the platform and the oracle, if there is anything to run it on. */
async function runStep(oracle: LedgerOracle, step: Step): Promise<void> {
  const isOnLine = !['add', 'pay', 'reverse', 'charge', 'refund'].includes(step.do);
  if (step.do === 'refund' && !oracle.hasCharged()) return;
  if (step.do === 'toggle all' && oracle.linesAt(step.at).length === 0) return;
  if ((isOnLine && !oracle.hasLines()) || (step.do === 'reverse' && !oracle.hasPayments())) return;
  const expected = oracle.takes(step);
  const { taken, row } = await send(oracle, step);
  assert.equal(taken, expected, JSON.stringify(step));
  if (!taken) return;
  if (step.do === 'refund') oracle.refund(step, await refundLines(row));
  else oracle.run(step, Number(row['LedgerItemID'] ?? 0), Number(row['PaymentID'] ?? 0));
}

/** Returns the lines that a refund added, in their order. */
async function refundLines({ LedgerItemID, GatewayRefundID }: Row): Promise<number[]> {
  const rows = await p.platform.store.query<{ id: number }>(
    `select ledgeritemid as id from ledgeritem
     where ledgeritemid = $1::bigint or (paymentrole = 'Refund' and transactionnumber = $2::text) order by 1`,
    [LedgerItemID, GatewayRefundID],
  );
  return rows.map(({ id }) => id);
}

async function compare(oracle: LedgerOracle): Promise<void> {
  for (const [id, expected] of oracle.balances()) {
    const row = await admin.select('ledger', id);
    assert.deepEqual([inCents(row['Balance']), inCents(row['BalanceAdjusted'])], expected, `ledger ${id}`);
  }
  const paid = await p.platform.store.query<{ id: number }>(
    `select ledgeritemid as id from ledgeritem where ledgerid = any($1::bigint[]) and paiddate is not null order by 1`,
    [`{${oracle.ledgers.join(',')}}`],
  );
  assert.deepEqual(
    paid.map(({ id }) => id),
    oracle.paidLines(),
  );
  assert.deepEqual((await checkLedgers(p.platform.store)).differences, []);
}

describe('ledgers', () => {
  it('LED-03 LED-05 LED-08 LED-11 LED-12 equal a plain oracle after lines, locks, payments, charges and refunds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS_PER_BOOK, maxLength: STEPS_PER_BOOK }), async (steps) => {
        const ids: number[] = [];
        for (let n = 0; n < 3; n++) ids.push(Number((await admin.save('ledger', {}))['LedgerID']));
        for (const [n, child] of ids.slice(1).entries())
          await admin.save('ledgeritem', { LedgerID: ids[n], ChildLedgerID: child, IsDebit: true, IsTotaled: true });
        // Until its first total a new ledger has none, and neither has the line that it is below.
        for (const ID of ids.toReversed()) await admin.expectOk('ledger/calculate', { ID, RecalculateItem: false });
        const rollUps = await p.platform.store.query<{ id: number }>(
          'select ledgeritemid as id from ledgeritem where childledgerid = any($1::bigint[]) order by ledgerid',
          [`{${ids.join(',')}}`],
        );
        const oracle = new LedgerOracle(
          ids,
          rollUps.map(({ id }) => id),
        );
        for (const one of steps) await runStep(oracle, one);
        await compare(oracle);
      }),
      { numRuns: Math.ceil(STEPS / STEPS_PER_BOOK), endOnFailure: true },
    );
  });
});
