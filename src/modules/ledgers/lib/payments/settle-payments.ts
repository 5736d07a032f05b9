/** Settling payments whose outcome is open, by querying their gateway. Nothing is ever charged here. */
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import type { GatewayPayment } from '../../../../contracts/payment-provider.ts';
import { gatewayById, type Gateway } from './gateways.ts';
import { detailText, isGivenUp, nextCheck } from './payment-state.ts';
import { gatewayCustomerOf, lockPayment, type Payment } from './payment-rows.ts';
import { recordNotCharged, recordPayment, recordUnknown } from './record-payment.ts';
import { settlingFailure } from './settling-failure.ts';
import { postponeRefunds, settleRefunds } from './refunds/settle-refunds.ts';

/** Most payments that one call settles. */
export const SETTLED_MAX = 200;
/** Checks after which a capture or void that the gateway has not carried out is given up: about two hours. */
const ACTION_CHECKS_MAX = 7;
/** Minutes before the recorded request from which the gateway searches: its clock may differ. */
const CLOCK_MINUTES = 10;

/** Returns the payments that are due to be settled, those that have waited longest first. */
export async function duePayments(ctx: Context): Promise<readonly number[]> {
  const rows = await ctx.db.query<{ id: number }>(
    `select id from (
       select paymentid as id, nextcheck from payment where nextcheck <= $1::timestamptz
       union all
       select paymentid, nextcheck from paymentrefund where nextcheck <= $1::timestamptz) due
     group by id order by min(nextcheck) limit ${SETTLED_MAX}`,
    [ctx.clock.now()],
  );
  return rows.map(({ id }) => id);
}

/**
 * Queries the gateway for a payment and its refunds, and records what it reports. Returns the payment. One that cannot
 * be settled now is postponed, so that it does not keep others from being settled.
 */
export async function settlePayment(ctx: Context, id: number): Promise<Payment> {
  try {
    return await settleNow(ctx, id);
  } catch (error) {
    const { code, reason } = settlingFailure(error);
    ctx.log.error('a payment could not be settled', { paymentId: id, code });
    return ctx.inTransaction(async (own) => {
      const row = await postpone(own, id, reason);
      await postponeRefunds(own, id, reason);
      return row;
    });
  }
}

async function settleNow(ctx: Context, id: number): Promise<Payment> {
  const { row, gateway, customer } = await ctx.inTransaction(async (own) => {
    const stored = await readRecord(own.db, own.registry.recordType('Payment'), id);
    return {
      row: stored,
      gateway: await gatewayById(own, stored.PaymentProviderID),
      customer: await gatewayCustomerOf(own, stored.PaymentMethodID),
    };
  });
  const settled = await settleOne(ctx, row, { gateway, customer });
  await settleRefunds(ctx, settled, gateway);
  return settled;
}

async function settleOne(
  ctx: Context,
  row: Payment,
  { gateway, customer }: { readonly gateway: Gateway; readonly customer: string | undefined },
): Promise<Payment> {
  const { PaymentID: id } = row;
  let report: GatewayPayment | undefined;
  try {
    report = await findReport(row, gateway, customer);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return ctx.inTransaction((own) => postpone(own, id, `The gateway could not be queried. ${error.message}`));
  }
  return ctx.inTransaction(async (own) => {
    if (report) return settleAction(own, await recordPayment(own, id, report));
    if (isGivenUp(own.clock.milliseconds(), row.RequestedDate))
      return recordNotCharged(own, id, 'The gateway has no record of it.');
    return recordUnknown(own, id, 'The gateway has no record of it yet.');
  });
}

/** Returns what the gateway reports of a payment; undefined if it does not have it. */
function findReport(
  { GatewayPaymentID, PaymentKey, RequestedDate }: Payment,
  { provider }: Gateway,
  customer: string | undefined,
): Promise<GatewayPayment | undefined> {
  if (GatewayPaymentID !== null) return provider.readPayment(GatewayPaymentID);
  return provider.findPayment({
    key: PaymentKey ?? '',
    from: new Date(Date.parse(RequestedDate ?? '') - CLOCK_MINUTES * 60_000).toISOString(),
    ...(customer === undefined ? {} : { customer }),
  });
}

/** Ends a capture or void that was requested long ago and that the gateway has not carried out. */
async function settleAction(own: Context, row: Payment): Promise<Payment> {
  if (row.PendingAction === null) return row;
  const now = own.clock.milliseconds();
  const isOver = (row.Checks ?? 0) > ACTION_CHECKS_MAX;
  return updateRow(
    own,
    own.registry.recordType('Payment'),
    row.PaymentID,
    isOver
      ? { PendingAction: null, PendingAmount: null, NextCheck: null }
      : { NextCheck: nextCheck(now, row.Checks ?? 0) },
  );
}

/** Queries again later. */
async function postpone(own: Context, id: number, detail: string): Promise<Payment> {
  const row = await lockPayment(own, id);
  if (row.NextCheck === null) return row;
  const checks = (row.Checks ?? 0) + 1;
  return updateRow(own, own.registry.recordType('Payment'), id, {
    Detail: detailText(detail),
    Checks: checks,
    NextCheck: nextCheck(own.clock.milliseconds(), checks),
  });
}
