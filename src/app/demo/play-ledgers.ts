import type { DemoUser } from './demo-user.ts';
import type { Stage } from './play-case.ts';

const DAY = 86_400_000;
/** Cases that have ledgers. */
const CASES = 2;
/** Days before the present: the ledger is opened, time is entered, payments come, and one of them is returned. */
const OPENED_DAYS = 20;
const RETURNED_PAYMENT_DAYS = 12;
const RETURNED_DAYS = 8;
const WORKED_DAYS = 6;
const PAID_DAYS = 4;
/** Days before it was opened through which interest was paid. */
const INTEREST_UNPAID_DAYS = 120;
const INTEREST_RATE = 0.0575;
const DAYS_OF_YEAR = 360;

const RETURNED_CHECK = 'CHK-4698';
const DEBT = 'Debt of the borrower';
const FEES = 'Fees and costs';
const debit = { IsDebit: true, IsTotaled: true } as const;

const feeLines = [
  { LedgerTemplateItem: 'Filing fee', AmountMoney: '410', CanExclude: true },
  { LedgerTemplateItem: 'Title search', AmountMoney: '325', CanExclude: true },
  { LedgerTemplateItem: 'Publication', AmountMoney: '265', CanExclude: true, ManualInsert: 1 },
  { LedgerTemplateItem: 'Service of process', AmountMoney: '85', CanExclude: true, ManualInsert: 1 },
] as const;

/** The order in which payments cover lines. */
const debtLines = [
  { LedgerTemplateItem: 'Escrow advance' },
  { LedgerTemplateItem: 'Late charges', CanExclude: true },
  { LedgerTemplateItem: 'Principal' },
  { LedgerTemplateItem: 'Interest per diem', Units: 'Day' },
] as const;

/**
 * Opens a ledger on the newest open cases older than it: advances, late charges, principal, interest that grows each
 * day and, in a ledger below, fees and time entries. A payment covers the first lines; on one of the cases an earlier
 * check was returned and reversed. Two time entries wait for review.
 */
export async function playLedgers({ cast, clock, until }: Stage): Promise<void> {
  const { admin, lead } = cast;
  const dayBefore = (days: number): string => new Date(until - days * DAY).toISOString().slice(0, 10);
  const { rows: known } = await admin.call('ledger/search', { Ledger: FEES, DisplaySize: 1 });
  if (known.length > 0) return;
  await clock.at(until - (OPENED_DAYS + 1) * DAY, () => createTemplates(admin));
  const { rows } = await admin.call('foreclosure/search', {
    CreatedDate: `<= ${dayBefore(OPENED_DAYS)}`,
    DateClosed: 'null',
    OrderBy: '-ForeclosureID',
    DisplaySize: CASES,
    SqlColumns: 'ForeclosureID,LoanID',
    RecordCount: false,
  });
  for (const [n, { ForeclosureID: caseId, LoanID: loanId }] of rows.entries()) {
    const debt = await clock.at(until - OPENED_DAYS * DAY, () =>
      openDebt(admin, { caseId, loanId, interestFrom: dayBefore(OPENED_DAYS + INTEREST_UNPAID_DAYS) }),
    );
    const pay = (daysAgo: number, TransactionNumber: string, Description: string) =>
      clock.at(until - daysAgo * DAY, () =>
        lead.call('ledger/applypayment', { ID: debt.id, AmountMoney: '1500.00', TransactionNumber, Description }),
      );
    if (n === 0) {
      await pay(RETURNED_PAYMENT_DAYS, RETURNED_CHECK, 'Check of the borrower');
      await clock.at(until - RETURNED_DAYS * DAY, () => returnCheck(lead, debt.id));
    }
    await clock.at(until - WORKED_DAYS * DAY, () => enterTime(cast, debt.feesId, dayBefore(WORKED_DAYS)));
    await pay(PAID_DAYS, `${n === 0 ? 'WIRE' : 'CHK'}-${4_711 + n}`, `${n === 0 ? 'Wire' : 'Check'} of the borrower`);
    await clock.at(until, () => admin.call('ledger/calculate', { ID: debt.id }));
  }
}

/** Reverses the payment by the check that the bank returned. */
async function returnCheck(lead: DemoUser, LedgerID: number): Promise<void> {
  const { rows } = await lead.call('ledgeritem/search', {
    LedgerID: String(LedgerID),
    TransactionNumber: RETURNED_CHECK,
    PaymentRole: 'Payment',
  });
  for (const { LedgerItemID } of rows)
    await lead.call('ledger/reversepayment', { LedgerItemID, Description: 'Returned by the bank: insufficient funds' });
}

async function createTemplates(admin: DemoUser): Promise<void> {
  const { rows: known } = await admin.call('ledgertemplate/search', { LedgerTemplate: DEBT, DisplaySize: 1 });
  if (known.length > 0) return;
  const { row: fees } = await admin.call('ledgertemplate/save', {
    LedgerTemplate: FEES,
    AppliesTo: 'Ledger',
    Repeatable: 'Many',
    Description: 'What a case costs the lender: fees, costs, and the time of the law firm.',
  });
  const { row: debt } = await admin.call('ledgertemplate/save', {
    LedgerTemplate: DEBT,
    AppliesTo: 'Foreclosure',
    Repeatable: 'One',
    RefreshOnInsert: true,
    Description: 'What the borrower owes on a day. Interest grows each day: project the ledger to quote a payoff.',
  });
  for (const [at, line] of feeLines.entries())
    await admin.call('ledgertemplateitem/save', {
      LedgerTemplateID: fees.LedgerTemplateID,
      Sequence: at + 1,
      ...line,
      ...debit,
    });
  for (const [at, line] of debtLines.entries())
    await admin.call('ledgertemplateitem/save', {
      LedgerTemplateID: debt.LedgerTemplateID,
      Sequence: at + 1,
      ...line,
      ...debit,
    });
  await admin.call('ledgertemplateitem/save', {
    LedgerTemplateID: debt.LedgerTemplateID,
    LedgerTemplateItem: FEES,
    ChildLedgerTemplateID: fees.LedgerTemplateID,
    Sequence: debtLines.length + 1,
    ...debit,
  });
}

interface DebtParts {
  readonly caseId: number;
  readonly loanId: number | null;
  readonly interestFrom: string;
}

/** Opens the ledger of a case, and fills in what its loan says. Returns it and the ledger of fees below it. */
async function openDebt(
  admin: DemoUser,
  { caseId, loanId, interestFrom }: DebtParts,
): Promise<{ readonly id: number; readonly feesId: number }> {
  const { row } = await admin.call('ledger/save', { Template: DEBT, Object: 'Foreclosure', ObjectID: caseId });
  const { rows: lines } = await admin.call('ledger/lines', { ID: row.LedgerID });
  const principal = loanId === null ? 0 : Number((await admin.call('loan/select', { ID: loanId })).row.UPBAmount);
  const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'Escrow advance': { AmountMoney: '1240.50', Description: 'County taxes, paid by the servicer' },
    'Late charges': { AmountMoney: '186.75' },
    Principal: { AmountMoney: principal.toFixed(2) },
    'Interest per diem': {
      Rate: ((principal * INTEREST_RATE) / DAYS_OF_YEAR).toFixed(2),
      EffectiveDate: interestFrom,
      Description: 'From the day through which interest was paid',
    },
  };
  for (const { LedgerItemID: ID, LedgerItem: name } of lines) {
    const own = values[name ?? ''];
    if (own) await admin.call('ledgeritem/save', { ID, ...own });
  }
  await admin.call('ledger/calculate', { ID: row.LedgerID });
  const feesId = lines.find(({ LedgerItem: name }) => name === FEES)?.ChildLedgerID;
  if (typeof feesId !== 'number') throw new Error(`ledger ${row.LedgerID} has no ledger of fees below it`);
  return { id: row.LedgerID, feesId };
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
