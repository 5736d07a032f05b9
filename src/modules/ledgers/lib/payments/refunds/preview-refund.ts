/** What a refund will do to the ledger of its payment. The refund itself uses the same functions. */
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { unappliedFunds } from '../../payment-lines.ts';
import { reversibleParts } from '../../../ledger/lib/reverse-payment.ts';
import { moneyUnits } from '../../money.ts';
import { linesOf, type Line } from '../../stored-lines.ts';

/** What a refund does. Amounts are in ten-thousandths. */
export interface RefundPreview {
  /** Whether the payment is reversed in its ledger. */
  readonly isReversal: boolean;
  /** The lines below the reversed payment, one for each line that it covered and that is unpaid again. */
  readonly covered: readonly Line[];
  /** By how much the unapplied funds shrink. */
  readonly fromFunds: bigint;
  /** What a new line owes again. */
  readonly owed: bigint;
}

/** Returns what a refund takes from the unapplied funds of a ledger, and what is owed again, in ten-thousandths. */
export async function splitRefund(
  ctx: Context,
  ledgerId: number,
  amount: string,
): Promise<Pick<RefundPreview, 'fromFunds' | 'owed'>> {
  const units = moneyUnits(amount);
  const funds = await unappliedFunds(ctx, ledgerId);
  const available = funds > 0n ? funds : 0n;
  const fromFunds = available < units ? available : units;
  return { fromFunds, owed: units - fromFunds };
}

/** Returns what a refund of a payment line would do now. `captured`: what the payment took. */
export async function previewRefund(
  ctx: Context,
  lineId: number,
  refund: { readonly amount: string; readonly captured: string },
): Promise<RefundPreview> {
  const nothing: RefundPreview = { isReversal: false, covered: [], fromFunds: 0n, owed: 0n };
  const payment = await readRecord(ctx.db, ctx.registry.recordType('LedgerItem'), lineId);
  const known = await linesOf(
    ctx,
    payment.LedgerID,
    `ledgeritem.referenceledgeritemid = ${lineId} and ledgeritem.paymentrole in ('Refund', 'Reversal')`,
  );
  if (known.some(({ PaymentRole }) => PaymentRole === 'Reversal')) return nothing;
  if (known.length === 0 && moneyUnits(refund.amount) === moneyUnits(refund.captured)) {
    const parts = await partsIfReversible(ctx, payment);
    if (parts) return { ...nothing, isReversal: true, ...reversalAmounts(parts) };
  }
  return { ...nothing, ...(await splitRefund(ctx, payment.LedgerID, refund.amount)) };
}

function reversalAmounts(parts: readonly Line[]): Pick<RefundPreview, 'covered' | 'fromFunds'> {
  const left = parts.filter(({ PaymentRole }) => PaymentRole === 'Unapplied');
  return {
    covered: parts.filter(({ PaymentRole }) => PaymentRole === 'Applied'),
    fromFunds: left.reduce((sum, { AmountMoney }) => sum + moneyUnits(AmountMoney ?? '0'), 0n),
  };
}

/** Returns the parts of a payment that can be reversed; undefined for one that cannot. */
async function partsIfReversible(ctx: Context, payment: Line): Promise<readonly Line[] | undefined> {
  try {
    return await reversibleParts(ctx, payment);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'STATE_REFUSES') return undefined;
    throw error;
  }
}
