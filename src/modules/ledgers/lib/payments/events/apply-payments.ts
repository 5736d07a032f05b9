/** Brings payments up to date with what a gateway reports. */
import { randomUUID } from 'node:crypto';
import type { GatewayPayment } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { insertRow } from '../../../../../kernel/records/save/insert-row.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { moneyUnits } from '../../money.ts';
import type { Gateway } from '../gateways.ts';
import { readOwnPayments, type KeyedPayment } from '../reconcile/own-rows.ts';
import { recordPayment } from '../record-payment.ts';

/** Finds our payment of one at the gateway. */
export type PaymentFinder = (theirs: GatewayPayment) => KeyedPayment | undefined;

/** Returns a function that finds our payments by the gateway's ID, or by the key of the request that created them. */
export async function paymentFinder(
  ctx: Pick<Context, 'db'>,
  providerId: number,
  items: readonly GatewayPayment[],
): Promise<PaymentFinder> {
  const keys = items.flatMap(({ key }) => key ?? []);
  const rows = await readOwnPayments(ctx, providerId, { ids: items.map(({ id }) => id), keys });
  const byId = new Map(rows.map((row) => [row.gatewayId, row]));
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return ({ id, key }) => byId.get(id) ?? (key === undefined ? undefined : byKey.get(key));
}

/**
 * Records payments as their gateway reports them now, each in a transaction of its own, and new payments of our
 * subscriptions. Returns how many were not up to date.
 */
export async function applyPayments(ctx: Context, gateway: Gateway, items: readonly GatewayPayment[]): Promise<number> {
  const find = await paymentFinder(ctx, gateway.id, items);
  let changed = 0;
  for (const theirs of items) {
    const row = find(theirs);
    if (row && isCurrent(row, theirs)) continue;
    if (row) await ctx.inTransaction((own) => recordPayment(own, row.id, theirs));
    const isNew = !row && (await ctx.inTransaction((own) => recordSubscriptionPayment(own, gateway.id, theirs)));
    if (row || isNew) changed++;
  }
  return changed;
}

/** Whether nothing is left to be recorded of a payment. */
function isCurrent(row: KeyedPayment, theirs: GatewayPayment): boolean {
  const isApplied = theirs.status !== 'captured' || row.ledgerId === null || row.lineId !== null;
  return (
    isApplied &&
    row.gatewayId === theirs.id &&
    (row.status ?? '').toLowerCase() === theirs.status &&
    moneyUnits(row.captured ?? '0') === moneyUnits(theirs.captured) &&
    moneyUnits(row.refunded ?? '0') === moneyUnits(theirs.refunded)
  );
}

/**
 * Records a payment that a gateway made for one of our subscriptions, and adds its line to the ledger. One that is not
 * decided yet is recorded once it is. Returns whether it is one of ours, and new.
 */
async function recordSubscriptionPayment(own: Context, providerId: number, theirs: GatewayPayment): Promise<boolean> {
  if (theirs.subscription === undefined || theirs.status === 'pending' || theirs.status === 'authorized') return false;
  const [found] = await own.db.query<{ id: number }>(
    `select paymentsubscriptionid as id from paymentsubscription
     where paymentproviderid = $1::bigint and gatewaysubscriptionid = $2::text`,
    [providerId, theirs.subscription],
  );
  if (!found) return false;
  // Two reports of the same payment at once wait here for each other.
  const subscription = await lockRecord(own, own.registry.recordType('PaymentSubscription'), found.id);
  const [known] = await readOwnPayments(own, providerId, { ids: [theirs.id], keys: [] });
  if (known) return false;
  const method =
    subscription.PaymentMethodID === null
      ? undefined
      : await readRecord(own.db, own.registry.recordType('PaymentMethod'), subscription.PaymentMethodID);
  const row = await insertRow(own, own.registry.recordType('Payment'), {
    Payment: subscription.PaymentSubscription,
    Status: theirs.status === 'captured' ? 'Captured' : 'Declined',
    Purpose: 'Subscription',
    Object: method?.Object ?? null,
    ObjectID: method?.ObjectID ?? null,
    LedgerID: subscription.LedgerID,
    PaymentMethodID: subscription.PaymentMethodID,
    PaymentSubscriptionID: found.id,
    PaymentProviderID: providerId,
    Amount: theirs.money.amount,
    Currency: theirs.money.currency,
    CapturedAmount: '0',
    RefundedAmount: '0',
    PaymentKey: randomUUID(),
    GatewayPaymentID: theirs.id,
    RequestedDate: theirs.created,
    Checks: 0,
  });
  await recordPayment(own, row.PaymentID, theirs);
  return true;
}
