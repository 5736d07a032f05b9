import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import type { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { moneyText, moneyUnits } from './money.ts';
import { fromOf, selectListOf } from '../../../kernel/database/sql.ts';
import type { Ledger, Line } from './stored-lines.ts';
import { applyPaymentDefaultLabel, applyPaymentType, applyPaymentUnappliedFunds } from '../ledger/settings.ts';
import { addPayment, payableLines, setPaid, unappliedFunds, type PaymentPart } from './payment-lines.ts';
import { planPayment, type PayableLine, type PaymentPlan } from './plan-payment.ts';

/** The label and type of the lines that say what a payment covered. */
const APPLIED = 'Payment Applied';

/** The values of a payment that its caller chooses. */
export interface SentPayment extends Pick<
  Values<typeof ledgerItem>,
  'LedgerItem' | 'LedgerItemType' | 'Description' | 'EffectiveDate' | 'Status'
> {
  readonly amount: string;
  readonly transactionNumber: string | null;
  /** The money was taken already: if there is no line to pay, all of it is recorded as unapplied funds. */
  readonly isTaken?: boolean;
}

/**
 * Applies a payment to a locked ledger: covers unpaid lines in their order with it and with the funds that earlier
 * payments left, and records the rest as unapplied. A payment that the ledger has already, by its transaction number,
 * is returned as it is.
 *
 * @throws STATE_REFUSES if the ledger has no line to pay, DUPLICATE_KEY if the transaction number is that of a payment
 * of another amount
 */
export async function applyPayment(ctx: Context, ledger: Ledger, sent: SentPayment): Promise<Line> {
  const known = await knownPayment(ctx, ledger.LedgerID, sent);
  if (known) return known;
  const { earlier, covered, unapplied } = await planForLedger(ctx, ledger.LedgerID, sent);
  const { amount, transactionNumber, isTaken: _isTaken, LedgerItem, LedgerItemType, ...values } = sent;
  const payment = await addPayment(
    ctx,
    ledger,
    {
      ...values,
      LedgerItem: LedgerItem ?? ctx.settings.get(applyPaymentDefaultLabel),
      LedgerItemType: LedgerItemType ?? ctx.settings.get(applyPaymentType),
      AmountMoney: amount,
      AmountMoneyCountered: moneyText(unapplied),
      TransactionNumber: transactionNumber,
      IsDebit: false,
      PaymentRole: 'Payment',
    },
    [
      ...fundsPart(ctx, -earlier, 'From earlier payments'),
      ...covered.map(({ id, label, amount: units }): PaymentPart => ({
        label: APPLIED,
        type: APPLIED,
        role: 'Applied',
        amount: moneyText(units),
        reference: id,
        description: label,
      })),
      ...fundsPart(ctx, unapplied, null),
    ],
  );
  await setPaid(
    ctx,
    covered.map(({ id }) => id),
    ctx.clock.now(),
  );
  return payment;
}

/** What would become of a payment to a ledger. */
export interface LedgerPaymentPlan extends PaymentPlan {
  /** Funds that earlier payments left. */
  readonly earlier: bigint;
  /** The unpaid lines, in the order in which payments cover them. */
  readonly lines: readonly PayableLine[];
}

/**
 * Returns what a payment to a ledger would cover now, and what it would leave.
 *
 * @throws STATE_REFUSES if the ledger has no line to pay
 */
export async function planForLedger(
  ctx: Context,
  ledgerId: number,
  { amount, isTaken }: Pick<SentPayment, 'amount' | 'isTaken'>,
): Promise<LedgerPaymentPlan> {
  const lines = await payableLines(ctx, ledgerId);
  if (lines.length === 0 && isTaken !== true)
    throw new PlatformError('STATE_REFUSES', {
      field: 'LedgerID',
      message: `LedgerID: ledger ${ledgerId} has no lines to pay: all are paid, credits, or not in its total.`,
    });
  const earlier = await unappliedFunds(ctx, ledgerId);
  return { lines, earlier, ...planPayment(earlier + moneyUnits(amount), lines) };
}

/** Returns the line of unapplied funds; none for no funds. */
function fundsPart(ctx: Context, units: bigint, description: string | null): PaymentPart[] {
  if (units === 0n) return [];
  const label = ctx.settings.get(applyPaymentUnappliedFunds);
  return [{ label, type: label, role: 'Unapplied', amount: moneyText(units), reference: null, description }];
}

/**
 * Returns the payment of a ledger that has the transaction number already, with an alert. While the ledger is locked,
 * nobody adds one.
 *
 * @throws DUPLICATE_KEY if it is a payment of another amount
 */
export async function knownPayment(
  ctx: Context,
  ledgerId: number,
  sent: Pick<SentPayment, 'amount' | 'transactionNumber'>,
): Promise<Line | undefined> {
  const { transactionNumber } = sent;
  if (transactionNumber === null) return undefined;
  const record = ctx.registry.recordType('LedgerItem');
  const [row] = await ctx.db.query<Line>(
    `select ${selectListOf(record)} from ${fromOf(record)}
     where ledgeritem.ledgerid = $1::bigint and ledgeritem.paymentrole = 'Payment'
       and ledgeritem.transactionnumber = $2::text
     order by ledgeritem.ledgeritemid limit 1`,
    [ledgerId, transactionNumber],
  );
  return row && samePayment(ctx, row, sent);
}

function samePayment(ctx: Context, known: Line, { amount }: Pick<SentPayment, 'amount'>): Line {
  if (moneyUnits(known.AmountMoney ?? '0') !== moneyUnits(amount))
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'TransactionNumber',
      message:
        `TransactionNumber: payment ${known.LedgerItemID} of this ledger already has it, with another amount. ` +
        'Send the number of this payment.',
    });
  ctx.alert({
    code: 'PAYMENT_EXISTS',
    text: `Payment ${known.LedgerItemID} has this TransactionNumber; it was not applied again.`,
    id: known.LedgerItemID,
  });
  return known;
}
