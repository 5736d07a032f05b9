import type { PaymentEvent } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError, unlessMissing } from '../../../../../kernel/door/errors.ts';
import type { Gateway } from '../gateways.ts';
import { comparePayment, compareRefund } from '../reconcile/differences.ts';
import { storeDifferences } from '../reconcile/store-differences.ts';
import { detailText } from '../payment-state.ts';
import { settleMethodNow } from '../methods/settle-methods.ts';
import { recordSubscription } from '../subscriptions/subscription-state.ts';
import { applyDispute } from './apply-dispute.ts';
import { applyMethod } from './apply-method.ts';
import { applyPayments, paymentFinder } from './apply-payments.ts';
import { applyRefund } from './apply-refund.ts';

/** What became of an event. */
type EventStatus = 'Processed' | 'Ignored';

/**
 * Processes an event of a gateway, as the user System: records it, reads the present state of what it names, and
 * records that. An event that is delivered again changes nothing. One that fails is processed when the gateway
 * delivers it again.
 *
 * @throws UNAVAILABLE if the gateway cannot be queried, so that it delivers the event again
 */
export async function processEvent(ctx: Context, gateway: Gateway, event: PaymentEvent): Promise<EventStatus> {
  const stored = await ctx.inTransaction((own) => insertEvent(own, gateway.id, event));
  if (stored.status === 'Processed' || stored.status === 'Ignored') return stored.status;
  try {
    const { isOurs, paymentId } = await applyEvent(ctx, gateway, event);
    const status = isOurs ? 'Processed' : 'Ignored';
    const reason = isOurs ? null : 'It concerns nothing that Casewright has recorded.';
    await ctx.inTransaction((own) => endEvent(own, stored.id, { status, reason, paymentId }));
    return status;
  } catch (error) {
    const reason =
      error instanceof PlatformError ? error.message : 'Unexpected error. The details are in the error log.';
    await ctx.inTransaction((own) => endEvent(own, stored.id, { status: 'Failed', reason, paymentId: null }));
    throw error;
  }
}

interface StoredEvent {
  readonly id: number;
  readonly status: string;
}

/** Inserts an event; returns the stored one if it was delivered before. */
async function insertEvent(own: Context, providerId: number, event: PaymentEvent): Promise<StoredEvent> {
  const kinds = ['payment', 'refund', 'subscription', 'dispute', 'method', 'vaulting'] as const;
  // A refund or dispute names its payment, too; what the event is about comes last.
  const kind = kinds.toReversed().find((each) => event[each] !== undefined);
  const [row] = await own.db.query<StoredEvent>(
    `insert into paymentevent as e (paymentproviderid, gatewayeventid, paymentevent, status, objectkind,
       gatewayobjectid, created, receiveddate, createddate, createdpersonid, updateddate, updatedpersonid)
     values ($1::bigint, $2::text, $3::text, 'Received', $4::text, $5::text, $6::timestamptz, $7::timestamptz,
       $7::timestamptz, $8::bigint, $7::timestamptz, $8::bigint)
     on conflict (paymentproviderid, gatewayeventid) do update set version = e.version + 1
     returning paymenteventid as id, status`,
    [
      providerId,
      event.id,
      event.type,
      kind === undefined ? null : kind.charAt(0).toUpperCase() + kind.slice(1),
      kind === undefined ? null : (event[kind] ?? null),
      event.created,
      own.clock.now(),
      own.user.personId,
    ],
  );
  if (!row) throw new Error('the event was not inserted');
  return row;
}

async function endEvent(
  own: Context,
  id: number,
  of: {
    readonly status: EventStatus | 'Failed';
    readonly reason: string | null;
    readonly paymentId: number | null;
  },
): Promise<void> {
  await own.db.query(
    `update paymentevent set status = $2::text, reason = $3::text, paymentid = $4::bigint,
       updateddate = $5::timestamptz, version = version + 1
     where paymenteventid = $1::bigint and status in ('Received', 'Failed')`,
    [id, of.status, of.reason === null ? null : detailText(of.reason), of.paymentId, own.clock.now()],
  );
}

/** What an event was about. */
interface AppliedEvent {
  readonly isOurs: boolean;
  readonly paymentId: number | null;
}

/** Reads everything that an event names as it is now, and records it. */
async function applyEvent(ctx: Context, gateway: Gateway, event: PaymentEvent): Promise<AppliedEvent> {
  const { provider } = gateway;
  const results: boolean[] = [];
  if (event.vaulting !== undefined) results.push(await applyPageEvent(ctx, gateway, event.vaulting));
  if (event.method !== undefined) results.push(await applyMethodEvent(ctx, gateway, event.method));
  if (event.subscription !== undefined) results.push(await applySubscription(ctx, gateway, event.subscription));
  // Refunds before their payment: what it was refunded in all is then as the gateway says.
  if (event.refund !== undefined) results.push(await applyRefundEvent(ctx, gateway, event.refund));
  const dispute =
    event.dispute === undefined ? undefined : await provider.readDispute(event.dispute).catch(unlessMissing);
  if (dispute) results.push((await applyDispute(ctx, gateway, dispute)) !== undefined);
  const paymentId = event.payment === undefined ? null : await applyPaymentEvent(ctx, gateway, event.payment);
  if (paymentId !== null) results.push(true);
  return { isOurs: results.includes(true), paymentId };
}

/** Records a payment. Returns its ID here; null for one that is not recorded here, which is a difference. */
async function applyPaymentEvent(ctx: Context, gateway: Gateway, id: string): Promise<number | null> {
  const theirs = await gateway.provider.readPayment(id).catch(unlessMissing);
  if (!theirs) return null;
  await applyPayments(ctx, gateway, [theirs]);
  return ctx.inTransaction(async (own) => {
    const row = (await paymentFinder(own, gateway.id, [theirs]))(theirs);
    await storeDifferences(own, gateway.id, comparePayment(row, theirs));
    return row?.id ?? null;
  });
}

async function applyRefundEvent(ctx: Context, gateway: Gateway, id: string): Promise<boolean> {
  const theirs = await gateway.provider.readRefund(id).catch(unlessMissing);
  if (!theirs) return false;
  if ((await applyRefund(ctx, gateway, theirs)) !== 'unknown') return true;
  await ctx.inTransaction((own) => storeDifferences(own, gateway.id, compareRefund(undefined, theirs, null)));
  return false;
}

async function applySubscription(ctx: Context, gateway: Gateway, id: string): Promise<boolean> {
  const theirs = await gateway.provider.readSubscription(id).catch(unlessMissing);
  if (!theirs) return false;
  return ctx.inTransaction(async (own) => {
    const [row] = await own.db.query<{ id: number }>(
      `select paymentsubscriptionid as id from paymentsubscription
       where paymentproviderid = $1::bigint and (gatewaysubscriptionid = $2::text or subscriptionkey = $3::text)`,
      [gateway.id, theirs.id, theirs.key ?? null],
    );
    if (row) await recordSubscription(own, row.id, theirs);
    return row !== undefined;
  });
}

async function applyMethodEvent(ctx: Context, gateway: Gateway, id: string): Promise<boolean> {
  return applyMethod(ctx, gateway, id, await gateway.provider.readMethod(id).catch(unlessMissing));
}

/** Records what became of the gateway's page for a card or bank account. Returns whether it is one of ours. */
async function applyPageEvent(ctx: Context, gateway: Gateway, reference: string): Promise<boolean> {
  const [row] = await ctx.db.query<{ id: number }>(
    `select paymentmethodid as id from paymentmethod
     where paymentproviderid = $1::bigint and gatewayreference = $2::text`,
    [gateway.id, reference],
  );
  if (row) await settleMethodNow(ctx, row.id);
  return row !== undefined;
}
