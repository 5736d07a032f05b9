import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';
import { planColumns } from '../../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../../kernel/records/save/save-record.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { applyPaymentUnappliedFunds } from '../../../ledger/settings.ts';
import { applyPayment } from '../../apply-payment.ts';
import { addPayment } from '../../payment-lines.ts';
import { reversePayment } from '../../../ledger/lib/reverse-payment.ts';
import type { ledgerItem } from '../../../ledgeritem/ledgeritem.record.ts';
import { assertMonthOpen } from '../../closed-months.ts';
import { writingLedger } from '../../ledger-writes.ts';
import { moneyText, moneyUnits } from '../../money.ts';
import { splitRefund } from './preview-refund.ts';
import { linesOf, lockLedgers, type Ledger, type Line } from '../../stored-lines.ts';

/** The label and type of the lines of refunds. */
const REFUND = 'Refund';
/** The label of payments that restore the amount of a failed refund. */
const REFUND_FAILED = 'Refund failed';

/** A refund of a payment that is in a ledger. */
export interface RefundedPayment {
  readonly paymentLineId: number;
  readonly amount: string;
  /** What the payment took. */
  readonly captured: string;
  readonly transactionNumber: string | null;
  readonly reason: string | null;
}

/**
 * Adds a refund to the ledger of its payment, and returns its line.
 *
 * The whole payment, if nothing of it was refunded before: the payment is reversed, and the lines that it covered are
 * unpaid again. A part, or a payment whose unapplied funds a later one has used: first the ledger's unapplied funds
 * shrink, by a line below which is what they lose; the rest is owed again, as a line that later payments cover.
 */
export async function refundLines(own: Context, refund: RefundedPayment): Promise<Line> {
  const { LedgerID } = await readRecord(own.db, own.registry.recordType('LedgerItem'), refund.paymentLineId);
  await lockLedgers(own, [LedgerID]);
  const known = await linesOf(
    own,
    LedgerID,
    `ledgeritem.referenceledgeritemid = ${refund.paymentLineId} and ledgeritem.paymentrole in ('Refund', 'Reversal')`,
  );
  // Reversed by hand: the books have it already.
  const reversed = known.find((line) => line.PaymentRole === 'Reversal');
  if (reversed) return reversed;
  // Checked first: if the reversal refused it, the refund would be recorded like a partial one.
  assertMonthOpen(own, own.clock.now());
  if (known.length === 0 && moneyUnits(refund.amount) === moneyUnits(refund.captured)) {
    const reversal = await reverseIfPossible(own, refund);
    if (reversal) return reversal;
  }
  const ledger = await readRecord(own.db, own.registry.recordType('Ledger'), LedgerID);
  return addRefund(own, ledger, refund);
}

/**
 * Adds a payment with the amount of a refund that failed after it was recorded in the ledger, and returns its line.
 * `isReversal`: the refund had reversed the payment.
 */
export async function restoreRefund(
  own: Context,
  refund: { readonly refundLineId: number; readonly amount: string; readonly transactionNumber: string | null },
): Promise<{ readonly line: Line; readonly isReversal: boolean }> {
  const { LedgerID, PaymentRole } = await readRecord(
    own.db,
    own.registry.recordType('LedgerItem'),
    refund.refundLineId,
  );
  await lockLedgers(own, [LedgerID]);
  const ledger = await readRecord(own.db, own.registry.recordType('Ledger'), LedgerID);
  const { amount, transactionNumber } = refund;
  const line = await applyPayment(own, ledger, {
    amount,
    transactionNumber,
    LedgerItem: REFUND_FAILED,
    isTaken: true,
  });
  return { line, isReversal: PaymentRole === 'Reversal' };
}

/** Reverses the payment; undefined if a later payment has used the funds that it left. */
async function reverseIfPossible(own: Context, { paymentLineId, reason }: RefundedPayment): Promise<Line | undefined> {
  try {
    return await own.savepoint(() => reversePayment(own, paymentLineId, reason));
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'STATE_REFUSES') return undefined;
    throw error;
  }
}

async function addRefund(own: Context, ledger: Ledger, refund: RefundedPayment): Promise<Line> {
  const { fromFunds, owed: rest } = await splitRefund(own, ledger.LedgerID, refund.amount);
  const values = {
    LedgerItem: REFUND,
    LedgerItemType: REFUND,
    Description: refund.reason,
    IsDebit: true,
    PaymentRole: 'Refund' as const,
    TransactionNumber: refund.transactionNumber,
    ReferenceLedgerItemID: refund.paymentLineId,
  };
  const label = own.settings.get(applyPaymentUnappliedFunds);
  const shrunk =
    fromFunds > 0n
      ? await addPayment(own, ledger, { ...values, AmountMoney: moneyText(fromFunds) }, [
          {
            label,
            type: label,
            role: 'Unapplied',
            amount: moneyText(fromFunds),
            reference: null,
            description: null,
          },
        ])
      : undefined;
  const owed = rest > 0n ? await addOwed(own, ledger, { ...values, AmountMoney: moneyText(rest) }) : undefined;
  const line = shrunk ?? owed;
  if (!line)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Amount',
      message: 'Amount: expected an amount greater than 0.',
    });
  return line;
}

/** Adds what is owed again, whatever the state of the ledger. */
function addOwed(own: Context, { LedgerID }: Ledger, values: Values<typeof ledgerItem>): Promise<Line> {
  return writingLedger(own, async () => {
    const plan = planColumns(own.registry.recordType('LedgerItem'), {
      ...values,
      PostedDate: own.clock.now(),
      LedgerID,
      IsTotaled: true,
      IsLocked: true,
    });
    return (await saveRecord(own, plan, 'save')).row;
  });
}
