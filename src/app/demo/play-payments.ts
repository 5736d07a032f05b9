import { PlatformError } from '../../kernel/door/errors.ts';
import type { DemoUser } from './demo-user.ts';
import type { Stage } from './play-case.ts';

const DAY = 86_400_000;
const GATEWAY = 'Demo gateway';
const LEDGER = 'Repayment plan';
/** After gateways that an administrator adds, so that it is the default only as long as it is the only one. */
const LAST = 900;

interface PayingCase {
  readonly ForeclosureID: number;
  readonly LoanID: number | null;
}

interface PlannedPayment {
  /** Days before the present when it is charged. */
  readonly daysAgo: number;
  /** Decides what the test gateway does. */
  readonly token: string;
  readonly amount: string;
  readonly isMonthly?: boolean;
  readonly refund?: { readonly daysAgo: number; readonly amount: string; readonly reason: string };
}

/** One for each kind of outcome. */
const plan: readonly PlannedPayment[] = [
  {
    daysAgo: 15,
    token: 'test_visa',
    amount: '1840.25',
    refund: { daysAgo: 3, amount: '120.00', reason: 'The inspection fee was charged twice.' },
  },
  { daysAgo: 9, token: 'test_mastercard', amount: '425.00', isMonthly: true },
  { daysAgo: 6, token: 'test_disputed', amount: '960.00' },
  { daysAgo: 2, token: 'test_insufficient_funds', amount: '2210.40' },
  { daysAgo: 1, token: 'test_bank', amount: '1505.75' },
];

/**
 * Gives the newest open cases without a ledger a payer each, who pays by a test gateway: by card with a refund later,
 * each month, with a dispute, without enough money, and from a bank account. Then the books are compared with the
 * gateway's, as every night.
 */
export async function playPayments({ cast: { admin, lead }, clock, until }: Stage): Promise<void> {
  const { rows: known } = await admin.call('paymentprovider/search', { PaymentProvider: GATEWAY, DisplaySize: 1 });
  if (known.length > 0) return;
  await clock.at(until - 30 * DAY, () =>
    admin.call('paymentprovider/save', {
      PaymentProvider: GATEWAY,
      PaymentProviderType: 'test',
      Sequence: LAST,
      Description: 'A test gateway: no money moves.',
    }),
  );
  for (const [n, paying] of (await payingCases(admin)).entries()) {
    const payment = plan[n];
    if (payment) await clock.at(until - payment.daysAgo * DAY, () => pay(lead, paying, payment));
    const refund = payment?.refund;
    if (refund) await clock.at(until - refund.daysAgo * DAY, () => refundPart(lead, paying.ForeclosureID, refund));
  }
  const dayBefore = (days: number): string => new Date(until - days * DAY).toISOString().slice(0, 10);
  await admin.call('payment/reconcile', { From: dayBefore(20), To: dayBefore(0) });
}

/** Returns the newest open cases that have no ledger, at most one for each planned payment. */
async function payingCases(admin: DemoUser): Promise<readonly PayingCase[]> {
  const { rows: ledgers } = await admin.call('ledger/search', { Object: 'Foreclosure', SqlColumns: 'ObjectID' });
  const taken = new Set(ledgers.map(({ ObjectID }) => ObjectID));
  const { rows } = await admin.call('foreclosure/search', {
    DateClosed: 'null',
    OrderBy: '-ForeclosureID',
    DisplaySize: plan.length + taken.size,
    SqlColumns: 'ForeclosureID,LoanID',
    RecordCount: false,
  });
  return rows.filter(({ ForeclosureID: id }) => !taken.has(id)).slice(0, plan.length);
}

/** Charges the borrower of a case for a ledger with the amount, or starts to charge the borrower each month. */
async function pay(
  user: DemoUser,
  { ForeclosureID: ObjectID, LoanID }: PayingCase,
  payment: PlannedPayment,
): Promise<void> {
  const { token, amount, isMonthly = false } = payment;
  const of = { Object: 'Foreclosure', ObjectID } as const;
  const { row: payer } = await user.call('paymentcustomer/save', { ...of, Name: await borrowerOf(user, LoanID) });
  const { row: method } = await user.call('paymentmethod/vault', {
    ...of,
    PaymentCustomerID: payer.PaymentCustomerID,
    Token: token,
  });
  const { row: ledger } = await user.call('ledger/save', {
    ...of,
    Ledger: LEDGER,
    Items: [{ LedgerItem: 'Past-due payments', AmountMoney: amount, IsDebit: true, IsTotaled: true }],
  });
  if (isMonthly)
    await user.call('paymentsubscription/start', {
      PaymentMethodID: method.PaymentMethodID,
      LedgerID: ledger.LedgerID,
      Amount: amount,
      Every: 'Month',
      Description: LEDGER,
    });
  else await charge(user, ledger.LedgerID);
}

async function charge(user: DemoUser, ID: number): Promise<void> {
  try {
    await user.call('ledger/authorizeandcapture', { ID });
  } catch (error) {
    // A declined card is one of the outcomes that the demo shows.
    if (!(error instanceof PlatformError) || error.code !== 'PAYMENT_DECLINED') throw error;
  }
}

async function borrowerOf(user: DemoUser, loanId: number | null): Promise<string> {
  if (loanId === null) return 'Borrower';
  const { rows } = await user.call('contact/search', {
    Object: 'Loan',
    ObjectID: loanId,
    OrderBy: 'BorrowerType,Sequence',
    SqlColumns: 'FirstName,LastName',
    DisplaySize: 1,
    RecordCount: false,
  });
  const [borrower] = rows;
  return [borrower?.FirstName, borrower?.LastName].filter(Boolean).join(' ') || 'Borrower';
}

async function refundPart(
  user: DemoUser,
  ObjectID: number,
  { amount, reason }: NonNullable<PlannedPayment['refund']>,
): Promise<void> {
  const { rows } = await user.call('payment/search', { Object: 'Foreclosure', ObjectID, Status: 'Captured' });
  for (const { PaymentID: ID } of rows) await user.call('payment/refund', { ID, Amount: amount, Reason: reason });
}
