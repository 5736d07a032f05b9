/** Requesting payments: recorded, committed, sent, and the outcome recorded. */
import type { GatewayPayment, Outcome, PaymentRequest } from '../../../../contracts/payment-provider.ts';
import { minorUnits } from '../../../../contracts/payment-money.ts';
import { hasCardNumber } from '../../../../contracts/payment-validation.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import type { payment } from '../../payment/payment.record.ts';
import type { Gateway } from './gateways.ts';
import { lockPayingRecord } from './active-payments.ts';
import { assertMethodReach } from './payer-reach.ts';
import { nextCheck, UNANSWERED_CHECKS } from './payment-state.ts';
import { assertNoOpenPayment, type Payment } from './payment-rows.ts';
import { recordNotCharged, recordPayment, recordUnknown } from './record-payment.ts';

/** Longest description that a customer reads, in characters. */
const DESCRIPTION_MAX = 200;
/** What is to be paid, with what. */
export interface PaymentOrder extends Pick<
  Values<typeof payment>,
  'Object' | 'ObjectID' | 'LedgerID' | 'PaymentMethodID' | 'Purpose'
> {
  /** The idempotency key; see `paymentAttempt`. */
  readonly key: string;
  readonly gateway: Gateway;
  readonly money: PaymentRequest['money'];
  readonly method: PaymentRequest['method'];
  readonly customer?: string | undefined;
  readonly description: string;
}

/** A payment that is recorded and can be sent, or the one that an earlier run of the call requested. */
export type PaymentToSend = RequestedPayment | { readonly earlier: Payment };

/** A payment that is recorded and can be sent. */
export interface RequestedPayment {
  readonly row: Payment;
  readonly gateway: Gateway;
  readonly request: PaymentRequest;
}

/**
 * Records a payment that is about to be sent. Needs a transaction; if it pays a ledger, that ledger is locked.
 *
 * @throws STATE_REFUSES if the ledger has a payment whose outcome is open, or the method's payer may not pay for its
 * record; BAD_PARAMETER
 */
export async function requestPayment(own: Context, order: PaymentOrder): Promise<RequestedPayment> {
  const { key, gateway, money, method, customer, description, ...values } = order;
  minorUnits(money);
  if (typeof values.LedgerID === 'number') await assertNoOpenPayment(own, values.LedgerID);
  else if (typeof values.Object === 'string' && typeof values.ObjectID === 'number')
    await lockPayingRecord(own, values.Object, values.ObjectID);
  if (typeof values.PaymentMethodID === 'number')
    await assertMethodReach(own, values.PaymentMethodID, 'PaymentMethodID');
  const row = await insertRow(own, own.registry.recordType('Payment'), {
    ...values,
    Payment: description,
    Status: 'Requested',
    PaymentProviderID: gateway.id,
    Amount: money.amount,
    Currency: money.currency,
    CapturedAmount: '0',
    RefundedAmount: '0',
    PaymentKey: key,
    RequestedDate: own.clock.now(),
    NextCheck: nextCheck(own.clock.milliseconds(), UNANSWERED_CHECKS),
    Checks: 0,
  });
  const request = { key, money, method, description, ...(customer === undefined ? {} : { customer }) };
  return { row, gateway, request };
}

/**
 * Sends a recorded payment, outside any transaction, and returns it with its outcome. One that an earlier run of the
 * call requested is not sent again.
 */
export async function sendPayment(ctx: Context, payment: PaymentToSend, how: 'charge' | 'authorize'): Promise<Payment> {
  if ('earlier' in payment) return payment.earlier;
  const {
    row,
    gateway: { provider },
    request,
  } = payment;
  let outcome: Outcome<GatewayPayment>;
  try {
    outcome = await provider[how](request);
  } catch (error) {
    // By contract the gateway has not carried it out. Any other error says nothing about that.
    if (error instanceof PlatformError)
      await ctx.inTransaction((own) => recordNotCharged(own, row.PaymentID, error.message));
    else await ctx.inTransaction((own) => recordUnknown(own, row.PaymentID, 'The call to the gateway failed.'));
    throw error;
  }
  const settled = outcome;
  return ctx.inTransaction((own) =>
    settled.status === 'done'
      ? recordPayment(own, row.PaymentID, settled.result)
      : recordUnknown(own, row.PaymentID, settled.detail),
  );
}

/**
 * Returns a payment that was taken, reserved, or is pending.
 *
 * @throws PAYMENT_DECLINED with the gateway's code, UNAVAILABLE if the outcome is not known
 */
export function assertAccepted(row: Payment): Payment {
  const details = { PaymentID: row.PaymentID, PaymentStatus: row.Status };
  if (row.Status === 'Declined')
    throw new PlatformError('PAYMENT_DECLINED', {
      message: `Payment ${row.PaymentID} was declined (${row.DeclineCode ?? 'no reason'}). ${row.Detail ?? ''}`.trim(),
      details: { ...details, DeclineCode: row.DeclineCode },
    });
  if (row.Status === 'Requested' || row.Status === 'Unknown')
    throw new PlatformError('UNAVAILABLE', {
      message:
        `The outcome of payment ${row.PaymentID} is unknown. Do not repeat it: Casewright queries the gateway until ` +
        'the outcome is known.',
      details,
    });
  return row;
}

/** Returns a text that a customer may read: one line, without a card number. */
export function customerText(text: string | null, otherwise: string): string {
  const line = (text ?? '').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line === '' || hasCardNumber(line) ? otherwise : line.slice(0, DESCRIPTION_MAX);
}
