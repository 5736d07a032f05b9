import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { gatewayById } from '../gateways.ts';
import { settleEach } from '../settle-each.ts';
import { recordFailure, recordSubscription } from './subscription-state.ts';

/** Minutes after which a gateway that does not have a requested subscription will not get it any more. */
const LATE_MINUTES = 60;
const SETTLED_MAX = 200;

interface OpenSubscription {
  readonly id: number;
  readonly providerId: number;
  readonly key: string;
  readonly customer: string;
  readonly requested: string;
}

/**
 * Looks subscriptions of unknown outcome up at their gateways, and records what these have. Without IDs: those that
 * were requested a while ago. Requests nothing. Returns how many were settled. A gateway that cannot be queried does
 * not keep those of others from being settled.
 *
 * @throws UNAVAILABLE, UNKNOWN_PROVIDER the first failure, after all have been looked up
 */
export async function settleSubscriptions(
  ctx: Context,
  ids: readonly number[],
  requestedBefore: string,
): Promise<number> {
  const rows = await ctx.db.query<OpenSubscription>(
    `select s.paymentsubscriptionid as id, s.paymentproviderid as "providerId", s.subscriptionkey as key,
       c.gatewaycustomerid as customer, s.requesteddate as requested
     from paymentsubscription s
     join paymentmethod m on m.paymentmethodid = s.paymentmethodid
     join paymentcustomer c on c.paymentcustomerid = m.paymentcustomerid
     where s.status in ('Requested', 'Unknown') and s.gatewaysubscriptionid is null
       and (s.paymentsubscriptionid = any($1::bigint[]) or cardinality($1::bigint[]) = 0)
       and s.requesteddate <= $2::timestamptz
     order by s.paymentsubscriptionid limit ${SETTLED_MAX}`,
    [arrayLiteral(ids), requestedBefore],
  );
  const settled = await settleEach(rows, (row) => settle(ctx, row));
  return settled.filter((isSettled) => isSettled).length;
}

async function settle(ctx: Context, row: OpenSubscription): Promise<boolean> {
  const { id, providerId, key, customer, requested } = row;
  const { provider } = await ctx.inTransaction((own) => gatewayById(own, providerId));
  const theirs = await provider.findSubscription({ key, customer });
  if (theirs) {
    await ctx.inTransaction((own) => recordSubscription(own, id, theirs));
    return true;
  }
  if (ctx.clock.milliseconds() - Date.parse(requested) < LATE_MINUTES * 60_000) return false;
  const detail = 'The gateway has no record of it: it was not started.';
  await ctx.inTransaction((own) => recordFailure(own, id, { status: 'Canceled', detail }));
  return true;
}
