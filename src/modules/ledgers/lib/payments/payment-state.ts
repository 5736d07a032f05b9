/** What a gateway's report changes in a payment, as pure functions. */
import type { GatewayPayment } from '../../../../contracts/payment-provider.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { payment } from '../../payment/payment.record.ts';
import type { Payment } from './payment-rows.ts';

/** Minutes after which the gateway is queried, by how often it was queried before; from then on the last. */
const CHECK_MINUTES = [1, 2, 5, 10, 20, 30, 60];
/** The same for payments that the gateway decides later, such as those from bank accounts. */
const PENDING_CHECK_MINUTES = [60, 240, 720, 1_440];
/** Checks that {@link nextCheck} counts for a new request: ten minutes, longer than a gateway takes to answer. */
export const UNANSWERED_CHECKS = 3;
/** Minutes after which a request that the gateway does not have was not carried out. */
const GIVE_UP_MINUTES = 60;
/** Longest detail, in characters. */
const DETAIL_MAX = 300;

export type PaymentStatus = NonNullable<Payment['Status']>;

/** Statuses never move to a lower rank: reports may arrive in any order. */
const ranks: Readonly<Record<PaymentStatus, number>> = {
  Requested: 0,
  Unknown: 0,
  NotCarriedOut: 0,
  Pending: 1,
  Authorized: 2,
  Declined: 3,
  Voided: 3,
  Captured: 4,
};

const statuses = {
  authorized: 'Authorized',
  captured: 'Captured',
  pending: 'Pending',
  declined: 'Declined',
  voided: 'Voided',
} as const satisfies Record<GatewayPayment['status'], PaymentStatus>;

/** Returns one line without numbers that could be those of a card or person. */
export function detailText(text: string): string {
  return maskNumbers(text).replace(/\s+/g, ' ').trim().slice(0, DETAIL_MAX);
}

/** Returns when the gateway is queried next, ISO 8601. */
export function nextCheck(now: number, checks: number, minutes: readonly number[] = CHECK_MINUTES): string {
  return new Date(now + (minutes[Math.min(checks, minutes.length - 1)] ?? 60) * 60_000).toISOString();
}

/** Whether a request is so old that the gateway, which does not have it, will never have it. */
export function isGivenUp(now: number, requested: string | null): boolean {
  return requested !== null && now - Date.parse(requested) >= GIVE_UP_MINUTES * 60_000;
}

/** Returns the columns that a report changes. A report of an earlier state changes nothing. */
export function reportedValues(row: Payment, report: GatewayPayment, now: number): Values<typeof payment> {
  const status = statuses[report.status];
  const before = row.Status ?? 'Requested';
  if (ranks[status] < ranks[before] || (ranks[status] === ranks[before] && status !== before)) return {};
  const isSettled = status !== 'Pending' && status !== 'Authorized';
  const checks = (row.Checks ?? 0) + 1;
  return {
    Status: status,
    GatewayPaymentID: report.id,
    CapturedAmount: report.captured,
    DeclineCode: report.decline?.code.slice(0, 100) ?? null,
    Detail: report.decline ? detailText(report.decline.message) : null,
    ...(isSettled ? { PendingAction: null, PendingAmount: null } : {}),
    ...(isSettled && row.SettledDate === null ? { SettledDate: new Date(now).toISOString() } : {}),
    NextCheck: status === 'Pending' ? nextCheck(now, checks, PENDING_CHECK_MINUTES) : null,
    Checks: checks,
  };
}
