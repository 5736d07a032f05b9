import type { Period } from '../../../../../contracts/payment-provider.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { instantOfWallClock } from '../../../../../kernel/time/clock.ts';
import type { Gateway } from '../gateways.ts';
import { settleSubscriptionsOf } from '../subscriptions/settle-subscriptions.ts';
import { settlePayment } from '../settle-payments.ts';
import { comparePeriod, type ComparedCounts } from './compare-period.ts';
import { readOpenPayments } from './own-rows.ts';

const DAY_MILLISECONDS = 86_400_000;
const ERROR_MAX = 1_000;
/** Most payments of unknown outcome of a day that are settled; the others wait for their own settlement. */
const OPEN_MAX = 1_000;

/** Days in the installation's time zone, the last included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** What a run found. */
export interface ReconciliationResult extends ComparedCounts {
  readonly id: number;
  /** Open differences of the days. */
  readonly differences: number;
}

/**
 * Records that runs which began before an instant, and have not ended, were interrupted: their process ended. Returns
 * how many.
 */
export async function endInterruptedRuns(db: Db, startedBefore: string, now: string): Promise<number> {
  const rows = await db.query(
    `update paymentreconciliation set status = 'Failed', completeddate = $2::timestamptz, updateddate = $2::timestamptz,
       error = 'It was interrupted: the process that ran it ended.', version = version + 1
     where status = 'Running' and createddate < $1::timestamptz
     returning 1`,
    [startedBefore, now],
  );
  return rows.length;
}

/**
 * Compares some days with a gateway, one after the other, and records the run. What does not differ any more is
 * cleared. Two runs at once find the same differences, each of which is stored once.
 *
 * @throws UNAVAILABLE if the gateway cannot be reached
 */
export async function runReconciliation(ctx: Context, gateway: Gateway, days: Days): Promise<ReconciliationResult> {
  const started = ctx.clock.now();
  const id = await ctx.inTransaction((own) => insertRun(own, gateway, days));
  try {
    const settled = await settleSubscriptionsOf(ctx, gateway.id);
    const counts = { payments: 0, refunds: 0, disputes: 0, settled };
    for (const period of periodsOf(ctx, days)) {
      counts.settled += await settleOpen(ctx, gateway, period);
      const compared = await comparePeriod(ctx, gateway, period);
      for (const name of ['payments', 'refunds', 'disputes', 'settled'] as const) counts[name] += compared[name];
    }
    const differences = await ctx.inTransaction((own) => completeRun(own, gateway.id, { id, days, started, counts }));
    return { id, ...counts, differences };
  } catch (error) {
    const text = error instanceof PlatformError ? error.message : 'Unexpected error. The details are in the error log.';
    await ctx.inTransaction((own) => failRun(own, id, text));
    throw error;
  }
}

/** Settles the payments of a period whose outcome is not known. Returns how many are known now. */
async function settleOpen(ctx: Context, { id }: Gateway, period: Period): Promise<number> {
  let settled = 0;
  for (const paymentId of await readOpenPayments(ctx, id, period, OPEN_MAX)) {
    const { Status } = await settlePayment(ctx, paymentId);
    if (Status !== 'Unknown' && Status !== 'Requested') settled++;
  }
  return settled;
}

/** Returns the days as instants, each of its own: what is listed of a day is held in memory. */
function periodsOf(ctx: Context, { from, to }: Days): readonly Period[] {
  const zone = ctx.settings.get(timeZone);
  const first = Date.parse(from);
  const count = Math.round((Date.parse(to) - first) / DAY_MILLISECONDS) + 1;
  const start = (n: number): string => new Date(instantOfWallClock(zone, first + n * DAY_MILLISECONDS)).toISOString();
  return Array.from({ length: count }, (_, n) => ({ from: start(n), to: start(n + 1) }));
}

async function insertRun(own: Context, { id, name }: Gateway, { from, to }: Days): Promise<number> {
  const label = `${name}, ${from === to ? from : `${from} to ${to}`}`;
  const [row] = await own.db.query<{ id: number }>(
    `insert into paymentreconciliation (paymentproviderid, paymentreconciliation, fromday, today, status, createddate,
       createdpersonid, updateddate, updatedpersonid)
     values ($1::bigint, $2::text, $3::date, $4::date, 'Running', $5::timestamptz, $6::bigint, $5::timestamptz,
       $6::bigint)
     returning paymentreconciliationid as id`,
    [id, label, from, to, own.clock.now(), own.user.personId],
  );
  if (!row) throw new Error('the run was not inserted');
  return row.id;
}

interface CompletedRun {
  readonly id: number;
  readonly days: Days;
  readonly started: string;
  readonly counts: ComparedCounts;
}

/** Clears what the run did not find again, and records its end. Returns the open differences of its days. */
async function completeRun(
  own: Context,
  providerId: number,
  { id, days, started, counts }: CompletedRun,
): Promise<number> {
  await own.db.query(
    `update paymentdifference set status = 'Cleared', updateddate = $5::timestamptz, version = version + 1
     where paymentproviderid = $1::bigint and status = 'Open' and day between $2::date and $3::date
       and updateddate < $4::timestamptz`,
    [providerId, days.from, days.to, started, own.clock.now()],
  );
  const [row] = await own.db.query<{ differences: number }>(
    `update paymentreconciliation set status = 'Complete', completeddate = $2::timestamptz,
       updateddate = $2::timestamptz, error = null, version = version + 1, paymentcount = $3::integer,
       refundcount = $4::integer, disputecount = $5::integer, settledcount = $6::integer,
       differencecount = (select count(*) from paymentdifference d
         where d.paymentproviderid = paymentreconciliation.paymentproviderid and d.status = 'Open'
           and d.day between fromday and today)
     where paymentreconciliationid = $1::bigint
     returning differencecount as differences`,
    [id, own.clock.now(), counts.payments, counts.refunds, counts.disputes, counts.settled],
  );
  return row?.differences ?? 0;
}

async function failRun(own: Context, id: number, error: string): Promise<void> {
  await own.db.query(
    `update paymentreconciliation set status = 'Failed', error = $2::text, completeddate = $3::timestamptz,
       updateddate = $3::timestamptz, version = version + 1
     where paymentreconciliationid = $1::bigint`,
    [id, error.slice(0, ERROR_MAX), own.clock.now()],
  );
}
