/** Refunding payments: recorded, committed, sent, and the outcome recorded. */
import { minorUnits } from '../../../../../contracts/payment-money.ts';
import type { GatewayRefund, Outcome } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import { insertRow } from '../../../../../kernel/records/save/insert-row.ts';
import { assertMonthOpen } from '../../closed-months.ts';
import { moneyText, moneyUnits } from '../../money.ts';
import { refundAttempt } from '../attempts.ts';
import { gatewayById, type Gateway } from '../gateways.ts';
import { nextCheck, UNANSWERED_CHECKS } from '../payment-state.ts';
import { lockPayment, type Payment } from '../payment-rows.ts';
import { refundedUnits } from './refunded-amount.ts';
import { recordRefund, recordNotRefunded, recordUnknownRefund, type Refund } from './settle-refunds.ts';

/** A refund that is recorded and can be sent. */
interface RequestedRefund {
  readonly row: Refund;
  readonly payment: Payment;
  readonly gateway: Gateway;
}

/** Pays a captured payment back, or a part of it. Returns the refund with its outcome. */
export async function refundPayment(
  ctx: Context,
  paymentId: number,
  { amount, reason }: { readonly amount: string | undefined; readonly reason: string | null },
): Promise<Refund> {
  const requested = await ctx.inTransaction((own) => requestRefund(own, paymentId, amount, reason));
  if ('earlier' in requested) return assertRefunded(requested.earlier);
  const { row, payment, gateway } = requested;
  const id = row.PaymentRefundID;
  let outcome: Outcome<GatewayRefund>;
  try {
    const request = { key: row.RefundKey ?? '', amount: row.Amount ?? '0' };
    outcome = await gateway.provider.refund(payment.GatewayPaymentID ?? '', request);
  } catch (error) {
    // By contract the gateway has not carried it out. Any other error says nothing about that.
    if (error instanceof PlatformError) await ctx.inTransaction((own) => recordNotRefunded(own, id, error.message));
    throw error;
  }
  const settled = outcome;
  return assertRefunded(
    await ctx.inTransaction((own) =>
      settled.status === 'done' ? recordRefund(own, id, settled.result) : recordUnknownRefund(own, id, settled.detail),
    ),
  );
}

function assertRefunded(row: Refund): Refund {
  const details = { PaymentRefundID: row.PaymentRefundID, Status: row.Status };
  if (row.Status === 'Failed')
    throw new PlatformError('STATE_REFUSES', {
      message: `Refund ${row.PaymentRefundID} failed. Nothing was refunded.`,
      details,
    });
  if (row.Status === 'Unknown' || row.Status === 'Requested')
    throw new PlatformError('UNAVAILABLE', {
      message:
        `The outcome of refund ${row.PaymentRefundID} is unknown. Do not repeat it: Casewright queries the gateway ` +
        'until the outcome is known.',
      details,
    });
  return row;
}

async function requestRefund(
  own: Context,
  paymentId: number,
  amount: string | undefined,
  reason: string | null,
): Promise<RequestedRefund | { readonly earlier: Refund }> {
  const attempt = await refundAttempt(own);
  if ('earlier' in attempt) return attempt;
  const payment = await lockPayment(own, paymentId);
  if (payment.Status !== 'Captured')
    throw refused(`payment ${paymentId} is ${String(payment.Status)}; expected one that is Captured`);
  const [open] = await own.db.query<{ id: number }>(
    `select paymentrefundid as id from paymentrefund
     where paymentid = $1::bigint and status in ('Requested', 'Unknown')`,
    [paymentId],
  );
  if (open) throw refused(`the outcome of refund ${open.id} of payment ${paymentId} is not known yet; try again later`);
  const money = await refundAmount(own, payment, amount);
  if (payment.LedgerItemID !== null) assertMonthOpen(own, own.clock.now());
  const row = await insertRow(own, own.registry.recordType('PaymentRefund'), {
    Status: 'Requested',
    PaymentID: paymentId,
    Amount: money,
    Currency: payment.Currency,
    Reason: reason,
    RefundKey: attempt.key,
    RequestedDate: own.clock.now(),
    NextCheck: nextCheck(own.clock.milliseconds(), UNANSWERED_CHECKS),
    Checks: 0,
  });
  return { row, payment, gateway: await gatewayById(own, payment.PaymentProviderID) };
}

/**
 * Returns the amount of a refund: what was requested, or all that is left of the payment.
 *
 * @throws STATE_REFUSES if nothing is left, BAD_PARAMETER if more is requested
 */
export async function refundAmount(ctx: Context, payment: Payment, amount: string | undefined): Promise<string> {
  const left = await refundableUnits(ctx, payment);
  if (left <= 0n) throw refused(`payment ${payment.PaymentID} is already fully refunded`);
  const money = amount ?? moneyText(left);
  minorUnits({ amount: money, currency: payment.Currency ?? '' });
  if (moneyUnits(money) > left) throw bad('Amount', `at most ${moneyText(left)}, the amount not refunded yet`);
  return money;
}

/** Returns what can still be paid back, in ten-thousandths. Refunds may have been made at the gateway, too. */
async function refundableUnits(own: Context, { PaymentID, CapturedAmount, RefundedAmount }: Payment): Promise<bigint> {
  const here = await refundedUnits(own, PaymentID, ['Pending', 'Succeeded']);
  const there = moneyUnits(RefundedAmount ?? '0');
  return moneyUnits(CapturedAmount ?? '0') - (here > there ? here : there);
}

function refused(what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: ${what}.` });
}
