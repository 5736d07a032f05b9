import { leaseEnd, leaseSql } from '../../../../kernel/database/lease.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';
import { webhookParallelMax, webhookRetryHours, webhookTimeoutSeconds } from '../settings.ts';
import { FAILURES_BEFORE_HOLD } from './backoff.ts';

/** Queue of deliveries. */
export const QUEUE = 'Webhook';
/** Seconds that a lease outlasts the longest attempt, before its process is presumed dead. */
const LEASE_MARGIN_SECONDS = 15;

/**
 * Leases of deliveries. A delivery is sent at least once: after a crash it is sent again, under the same event ID, by
 * which the receiver recognizes it.
 */
export const deliveryLease = leaseSql({
  token: { column: 'attempts', type: 'integer' },
  state: { column: 'status', leased: 'Sending' },
});

/** A delivery claimed by this process. */
export interface DeliveryClaim {
  readonly id: number;
  readonly webhookId: number;
  readonly isEvent: boolean;
  readonly event: string;
  readonly eventId: string;
  readonly eventDate: string;
  readonly data: string;
  readonly attempt: number;
  readonly retryUntil: string;
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly headers: string | null;
}

/**
 * Locks the delivery state of a webhook until the transaction ends and returns it; undefined if there is no such
 * webhook.
 */
async function lockState(
  ctx: Context,
  webhookId: number,
): Promise<{ readonly failures: number; readonly heldUntil: string | null } | undefined> {
  await ctx.db.query(
    `insert into webhookstate (webhookid)
     select webhookid from webhook where webhookid = $1::bigint
     on conflict do nothing`,
    [webhookId],
  );
  const [state] = await ctx.db.query<{ failures: number; helduntil: string | null }>(
    'select failures, helduntil from webhookstate where webhookid = $1::bigint for update',
    [webhookId],
  );
  return (
    state && {
      failures: state.failures,
      heldUntil: state.helduntil !== null && state.helduntil > ctx.clock.now() ? state.helduntil : null,
    }
  );
}

/**
 * Claims the webhook's next delivery: the oldest due one whose record has none in progress, so that the events of a
 * record arrive in order. Claims wait for one another on the state's row lock; the parallel limit counts rows, so it
 * holds over all processes.
 */
export function claimNext(ctx: Context, webhookId: number): Promise<DeliveryClaim | undefined> {
  return ctx.inTransaction(async (own) => {
    const state = await lockState(own, webhookId);
    if (state?.heldUntil !== null) return undefined;
    const parallel = state.failures >= FAILURES_BEFORE_HOLD ? 1 : own.settings.get(webhookParallelMax);
    const id = await nextDeliveryId(own, webhookId, parallel);
    return id === undefined ? undefined : claimDelivery(own, id);
  });
}

/** Claims one named delivery, whatever the webhook's state: a ping. */
export function claimOne(ctx: Context, deliveryId: number): Promise<DeliveryClaim | undefined> {
  return ctx.inTransaction((own) => claimDelivery(own, deliveryId));
}

async function nextDeliveryId(ctx: Context, webhookId: number, parallel: number): Promise<number | undefined> {
  const [row] = await ctx.db.query<{ id: number | null }>(
    `select case
       when (
         select count(*)
         from webhookdelivery s
         where s.webhookid = $1::bigint and ${deliveryLease.isLeased('$2', 's')}) < $3::integer
       then coalesce(
         (select d.webhookdeliveryid
          from webhookdelivery d
          where d.webhookid = $1::bigint and ${deliveryLease.isExpired('$2', 'd')}
          order by d.leaseduntil
          limit 1),
         (select d.webhookdeliveryid
          from webhookdelivery d
          where d.webhookid = $1::bigint and d.status = 'Waiting' and d.nextattempt <= $2::timestamptz
            and not exists (
              select from webhookdelivery s
              where s.webhookid = $1::bigint and ${deliveryLease.isLeased('$2', 's')}
                and s.object = d.object and s.objectid = d.objectid)
          order by d.nextattempt, d.webhookdeliveryid
          limit 1))
       end as id`,
    [webhookId, ctx.clock.now(), parallel],
  );
  return row?.id ?? undefined;
}

type ClaimedRow = { readonly [K in keyof Omit<DeliveryClaim, 'isEvent'>]: DeliveryClaim[K] } & {
  readonly type: string;
  readonly active: boolean | null;
  readonly previousUntil: string | null;
};

async function claimDelivery(ctx: Context, id: number): Promise<DeliveryClaim | undefined> {
  const now = ctx.clock.now();
  const leasedUntil = leaseEnd(ctx.clock, ctx.settings.get(webhookTimeoutSeconds) + LEASE_MARGIN_SECONDS);
  const [row] = await ctx.db.query<ClaimedRow>(
    `update webhookdelivery d
     set ${deliveryLease.start('$3', { alias: 'd' })}, lastattempt = $2::timestamptz, updateddate = $2::timestamptz,
       retryuntil = coalesce(
         d.retryuntil, greatest(d.createddate, d.replayeddate) + make_interval(hours => $4::integer))
     from webhook w
     where d.webhookdeliveryid = $1::bigint and w.webhookid = d.webhookid and w.secret is not null
       and (w.isactive or d.webhookdeliverytype = 'Ping')
       and (d.status = 'Waiting' or ${deliveryLease.isExpired('$2', 'd')})
     returning d.webhookdeliveryid as id, d.webhookid as "webhookId", d.webhookdeliverytype as type,
       d.webhookdelivery as event, d.eventid as "eventId", d.eventdate as "eventDate", d.data, d.attempts as attempt,
       d.retryuntil as "retryUntil", w.url, w.secret, w.previoussecret as "previousSecret",
       w.previoussecretuntil as "previousUntil", w.headers`,
    [id, now, leasedUntil, ctx.settings.get(webhookRetryHours)],
  );
  if (!row) return undefined;
  const { type, previousUntil, ...claim } = row;
  return {
    ...claim,
    isEvent: type !== 'Ping',
    previousSecret: previousUntil !== null && previousUntil > now ? claim.previousSecret : null,
  };
}

/** Returns when something can be claimed next: a delivery becomes due, or a lease expires. */
async function nextDueDate(ctx: Context, webhookId: number): Promise<string | null> {
  const [row] = await ctx.db.query<{ at: string | null }>(
    `select least(
       (select min(nextattempt)
        from webhookdelivery
        where webhookid = $1::bigint and status = 'Waiting' and nextattempt > $2::timestamptz),
       (select min(leaseduntil)
        from webhookdelivery
        where webhookid = $1::bigint and ${deliveryLease.isLeased('$2')})) as at
     from webhook
     where webhookid = $1::bigint and isactive and secret is not null`,
    [webhookId, ctx.clock.now()],
  );
  return row?.at ?? null;
}

/**
 * Queues the call that continues with a webhook's deliveries: when the next attempt is due, a lease expires, or a pause
 * ends. Does nothing if an early enough call is queued.
 */
export function queueNextRun(ctx: Context, webhookId: number): Promise<void> {
  return ctx.inTransaction(async (own) => {
    const state = await lockState(own, webhookId);
    if (!state) return;
    const at = state.heldUntil ?? (await nextDueDate(own, webhookId));
    if (!at) return;
    const rows = await own.db.query(
      `update webhookstate
       set wakeat = $2::timestamptz
       where webhookid = $1::bigint
         and (wakeat is null or wakeat <= $3::timestamptz or wakeat > $2::timestamptz)
       returning 1`,
      [webhookId, at, own.clock.now()],
    );
    if (rows.length > 0) await queueDelivery(own, webhookId, at);
  });
}

/** Queues a call that sends a webhook's due deliveries, now or later. */
export function queueDelivery(ctx: Context, webhookId: number, at?: string): Promise<void> {
  return enqueueAsSystem(ctx, {
    route: 'webhookdelivery/deliver',
    parameters: { WebhookID: webhookId },
    queueName: QUEUE,
    ...(at === undefined ? {} : { queuedDate: at }),
  });
}
