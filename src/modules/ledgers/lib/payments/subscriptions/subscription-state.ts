import type { GatewaySubscription } from '../../../../../contracts/payment-provider.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import type { paymentSubscription } from '../../../paymentsubscription/paymentsubscription.record.ts';
import { detailText, nextCheck } from '../payment-state.ts';

/** A stored subscription. */
export type StoredSubscription = Row<typeof paymentSubscription>;

const statuses = { active: 'Active', late: 'Late', canceled: 'Canceled' } as const;

/**
 * Records the state of a subscription as a gateway reports it, in the caller's transaction. One that was canceled stays
 * so: an earlier state can arrive later.
 */
export async function recordSubscription(
  own: Context,
  id: number,
  theirs: GatewaySubscription,
): Promise<StoredSubscription> {
  const record = own.registry.recordType('PaymentSubscription');
  const row = await lockRecord(own, record, id);
  const isCanceled = row.Status === 'Canceled' && row.GatewaySubscriptionID !== null;
  const status = isCanceled ? 'Canceled' : statuses[theirs.status];
  const nextCharge = status === 'Canceled' ? null : (theirs.nextCharge ?? null);
  const isSame =
    row.Status === status && row.GatewaySubscriptionID === theirs.id && sameInstant(row.NextCharge, nextCharge);
  if (isSame) return row;
  return updateRow(own, record, id, {
    Status: status,
    GatewaySubscriptionID: theirs.id,
    NextCharge: nextCharge,
    ...(status === 'Canceled' && row.CanceledDate === null && { CanceledDate: own.clock.now() }),
    ...(row.NextCheck !== null && { NextCheck: null, Detail: null }),
  });
}

function sameInstant(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : Date.parse(a) === Date.parse(b);
}

/** Records that a subscription was not created, or that no answer says whether it was. */
export async function recordFailure(
  own: Context,
  id: number,
  { status, detail }: { readonly status: 'Canceled' | 'Unknown'; readonly detail: string },
): Promise<StoredSubscription> {
  const record = own.registry.recordType('PaymentSubscription');
  const row = await lockRecord(own, record, id);
  if (row.GatewaySubscriptionID !== null || row.Status === 'Canceled') return row;
  return updateRow(own, record, id, {
    Status: status,
    Detail: detailText(detail),
    ...(status === 'Canceled'
      ? { CanceledDate: own.clock.now(), NextCheck: null }
      : { NextCheck: nextCheck(own.clock.milliseconds(), row.Checks ?? 0) }),
  });
}

/** Queries the gateway again later whether a subscription was started. Needs a transaction. */
export async function postponeSubscription(
  own: Context,
  id: number,
  detail: string | null,
): Promise<StoredSubscription> {
  const record = own.registry.recordType('PaymentSubscription');
  const row = await lockRecord(own, record, id);
  if (row.GatewaySubscriptionID !== null || row.Status === 'Canceled') return row;
  const checks = (row.Checks ?? 0) + 1;
  return updateRow(own, record, id, {
    ...(detail !== null && { Detail: detailText(detail) }),
    Checks: checks,
    NextCheck: nextCheck(own.clock.milliseconds(), checks),
  });
}
