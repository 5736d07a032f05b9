import type { Stage } from './play-case.ts';

const DAY = 86_400_000;
/** Cases that have ledgers. */
const CASES = 2;
/** Days before the present: the ledger is opened, time is entered, a payment comes. */
const OPENED_DAYS = 20;
const WORKED_DAYS = 6;
const PAID_DAYS = 4;

/** The ledger below; referrals create others named Total Debt. */
const FEES = 'Fees and costs';

const debit = { IsDebit: true, IsTotaled: true } as const;

/**
 * Opens a total-debt ledger on the newest cases older than it: advances, principal, a per diem and, in a ledger
 * below, fees and time entries. A payment covers the first lines; two time entries wait for review.
 */
export async function playLedgers({ cast, clock, until }: Stage): Promise<void> {
  const { admin, lead } = cast;
  const dayBefore = (days: number): string => new Date(until - days * DAY).toISOString().slice(0, 10);
  const { rows: known } = await admin.call('ledger/search', { Ledger: FEES, DisplaySize: 1 });
  if (known.length > 0) return;
  const { rows } = await admin.call('foreclosure/search', {
    CreatedDate: `<= ${dayBefore(OPENED_DAYS)}`,
    OrderBy: '-ForeclosureID',
    DisplaySize: CASES,
    SqlColumns: 'ForeclosureID',
    RecordCount: false,
  });
  for (const [n, { ForeclosureID: id }] of rows.entries()) {
    const debt = await clock.at(until - OPENED_DAYS * DAY, () =>
      openDebt(cast, { caseId: id, n, day: dayBefore(OPENED_DAYS) }),
    );
    await clock.at(until - WORKED_DAYS * DAY, () => enterTime(cast, debt.feesId, dayBefore(WORKED_DAYS)));
    await clock.at(until - PAID_DAYS * DAY, () =>
      lead.call('ledger/applypayment', {
        ID: debt.id,
        AmountMoney: '1500.00',
        TransactionNumber: `CHK-${4_711 + n}`,
        Description: 'Check of the borrower',
      }),
    );
  }
}

/** Opens the ledger of a case and the one of fees below it. */
async function openDebt(
  { admin }: Stage['cast'],
  { caseId, n, day }: { readonly caseId: number; readonly n: number; readonly day: string },
): Promise<{ readonly id: number; readonly feesId: number }> {
  const { row } = await admin.call('ledger/save', {
    Template: 'Total Debt',
    Object: 'Foreclosure',
    ObjectID: caseId,
  });
  const LedgerID = row.LedgerID;
  const { row: fees } = await admin.call('ledger/save', {
    Ledger: FEES,
    Object: 'Ledger',
    ObjectID: LedgerID,
  });
  await admin.call('ledgeritem/save', {
    LedgerID: fees.LedgerID,
    LedgerItem: 'Filing fee',
    AmountMoney: '410',
    ...debit,
  });
  await admin.call('ledgeritem/save', {
    LedgerID: fees.LedgerID,
    LedgerItem: 'Title search',
    AmountMoney: '325',
    ...debit,
  });
  const lines = [
    { LedgerItem: 'Escrow advance', AmountMoney: '1240.50' },
    { LedgerItem: 'Late charges', AmountMoney: '186.75' },
    { LedgerItem: 'Principal', AmountMoney: String(187_204 + 9_311 * n) },
    { LedgerItem: 'Per diem', Units: 'Day', Rate: '25.64', EffectiveDate: day },
    { LedgerItem: 'Fees and costs', ChildLedgerID: fees.LedgerID },
  ];
  for (const [at, line] of lines.entries())
    await admin.call('ledgeritem/save', { LedgerID, Sequence: at + 1, ...line, ...debit });
  await admin.call('ledger/calculate', { ID: LedgerID });
  return { id: LedgerID, feesId: fees.LedgerID };
}

/** Enters time of the team lead, which waits for review. */
async function enterTime({ lead }: Stage['cast'], LedgerID: number, day: string): Promise<void> {
  for (const [LedgerItem, UnitCount, AmountMoney] of [
    ['Review of title', '1.5', '262.50'],
    ['Draft of the notice of sale', '2', '350'],
  ] as const)
    await lead.call('ledgeritem/save', {
      ...{ LedgerID, LedgerItem, UnitCount, AmountMoney, Units: 'Hour', Rate: '175', ...debit },
      PersonID: lead.personId,
      EffectiveDate: day,
    });
}
