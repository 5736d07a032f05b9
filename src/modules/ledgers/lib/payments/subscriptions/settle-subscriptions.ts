/** Settling subscriptions of unknown outcome, by querying their gateway. Nothing is ever started here. */
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { unlessMissing } from '../../../../../kernel/door/errors.ts';
import { gatewayById } from '../gateways.ts';
import { isGivenUp } from '../payment-state.ts';
import { settleEach } from '../settle-each.ts';
import { settlingFailure } from '../settling-failure.ts';
import { postponeSubscription, recordFailure, recordSubscription } from './subscription-state.ts';

/** Most subscriptions that one call settles. */
export const SETTLED_MAX = 200;

interface OpenSubscription {
  readonly id: number;
  readonly providerId: number;
  readonly key: string;
  readonly customer: string | null;
  readonly requested: string;
}

/** SQL of the open subscriptions; conditions follow. */
const OPEN = `select s.paymentsubscriptionid as id, s.paymentproviderid as "providerId", s.subscriptionkey as key,
    c.gatewaycustomerid as customer, s.requesteddate as requested
  from paymentsubscription s
  join paymentmethod m on m.paymentmethodid = s.paymentmethodid
  join paymentcustomer c on c.paymentcustomerid = m.paymentcustomerid
  where s.status in ('Requested', 'Unknown') and s.gatewaysubscriptionid is null`;

/**
 * Looks up subscriptions of unknown outcome at their gateways and records what these have. Returns how many were
 * settled. A gateway that cannot be queried does not keep those of others from being settled.
 *
 * @throws UNAVAILABLE, UNKNOWN_PROVIDER the first failure, after all have been looked up
 */
export async function settleSubscriptions(ctx: Context, ids: readonly number[]): Promise<number> {
  const rows = await ctx.db.query<OpenSubscription>(
    `${OPEN} and s.paymentsubscriptionid = any($1::bigint[]) order by id`,
    [arrayLiteral(ids)],
  );
  return countOf(await settleEach(rows, (row) => settle(ctx, row)));
}

/** Settles the subscriptions that are due. Those that cannot be settled now are queried again later. */
export async function settleDueSubscriptions(ctx: Context): Promise<number> {
  const rows = await ctx.db.query<OpenSubscription>(
    `${OPEN} and s.nextcheck <= $1::timestamptz order by s.nextcheck, id limit ${SETTLED_MAX}`,
    [ctx.clock.now()],
  );
  return settleOrPostpone(ctx, rows);
}

/** Settles the subscriptions of a gateway that have no known outcome, whether they are due or not. */
export async function settleSubscriptionsOf(ctx: Context, providerId: number): Promise<number> {
  const rows = await ctx.db.query<OpenSubscription>(
    `${OPEN} and s.paymentproviderid = $1::bigint order by id limit ${SETTLED_MAX}`,
    [providerId],
  );
  return settleOrPostpone(ctx, rows);
}

async function settleOrPostpone(ctx: Context, rows: readonly OpenSubscription[]): Promise<number> {
  const settled: boolean[] = [];
  for (const row of rows)
    try {
      settled.push(await settle(ctx, row));
    } catch (error) {
      const { code, reason } = settlingFailure(error);
      ctx.log.error('a subscription could not be settled', { paymentSubscriptionId: row.id, code });
      await ctx.inTransaction((own) => postponeSubscription(own, row.id, reason));
    }
  return countOf(settled);
}

async function settle(ctx: Context, { id, providerId, key, customer, requested }: OpenSubscription): Promise<boolean> {
  const { provider } = await ctx.inTransaction((own) => gatewayById(own, providerId));
  const theirs =
    customer === null ? undefined : await provider.findSubscription({ key, customer }).catch(unlessMissing);
  if (theirs) {
    await ctx.inTransaction((own) => recordSubscription(own, id, theirs));
    return true;
  }
  if (isGivenUp(ctx.clock.milliseconds(), requested)) {
    const detail = 'The gateway has no record of it: it was not started.';
    await ctx.inTransaction((own) => recordFailure(own, id, { status: 'Canceled', detail }));
    return true;
  }
  await ctx.inTransaction((own) => postponeSubscription(own, id, null));
  return false;
}

function countOf(settled: readonly boolean[]): number {
  return settled.filter((isSettled) => isSettled).length;
}
