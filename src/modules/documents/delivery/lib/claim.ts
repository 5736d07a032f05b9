import { extendLeaseDuring, leaseEnd, leaseSql } from '../../../../kernel/database/lease.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';
import { letterRetryHours } from '../settings.ts';
import { publishMailings } from './publish-letters.ts';

/** Queue of mailings; without it they go to the default queue. */
export const QUEUE = 'Mail';
/** Longest transfer of one submission. */
export const SUBMIT_SECONDS_MAX = 300;
/**
 * Seconds without a sign of life after which the process of a mailing is presumed dead. It extends its lease while it
 * works, however long a transfer takes.
 */
const LEASE_SECONDS = 60;

/** Leases of mailings: one process at a time submits the letters of a mailing. */
export const mailingLease = leaseSql({
  token: { column: 'attempts', type: 'integer' },
  state: { column: 'status', leased: 'Sending' },
});

/** A mailing claimed by this process. */
export interface MailingClaim {
  readonly id: number;
  readonly name: string;
  readonly mailHouse: string;
  readonly attempt: number;
  readonly retryUntil: string;
  readonly requestedDate: string;
}

/** Claims a mailing that is due, or whose process died. */
export function claimMailing(ctx: Context, id: number): Promise<MailingClaim | undefined> {
  return ctx.inTransaction(async (own) => {
    const [row] = await own.db.query<MailingClaim>(
      `update deliverybatch
       set ${mailingLease.start('$3')}, nextattempt = null, updateddate = $2::timestamptz, version = version + 1,
         retryuntil = coalesce(retryuntil, $2::timestamptz + make_interval(hours => $4::integer))
       where deliverybatchid = $1::bigint
         and ((status = 'Waiting' and nextattempt <= $2::timestamptz) or ${mailingLease.isExpired('$2')})
       returning deliverybatchid as id, coalesce(deliverybatch, '') as name, mailhouse as "mailHouse",
         attempts as attempt, retryuntil as "retryUntil", requesteddate as "requestedDate"`,
      [id, own.clock.now(), leaseUntil(own), own.settings.get(letterRetryHours)],
    );
    if (row) await publishMailings(own, [id], ['Status', 'Attempts', 'NextAttempt', 'LeasedUntil', 'RetryUntil']);
    return row;
  });
}

function leaseUntil({ clock }: Pick<Context, 'clock'>): string {
  return leaseEnd(clock, LEASE_SECONDS);
}

/**
 * Proves that the claim still holds, and extends its lease, in the call's transaction.
 * @throws CONCURRENT_CHANGE if the lease has expired; nothing may be transmitted or recorded then
 */
export async function holdClaim(own: Context, { id, attempt }: Pick<MailingClaim, 'id' | 'attempt'>): Promise<void> {
  const rows = await own.db.query(
    `update deliverybatch
     set ${mailingLease.extend('$3')}
     where deliverybatchid = $1::bigint and ${mailingLease.isHeld('$2')} and ${mailingLease.isLeased('$4')}
     returning 1`,
    [id, attempt, leaseUntil(own), own.clock.now()],
  );
  if (rows.length === 0) throw new PlatformError('CONCURRENT_CHANGE');
}

/** Runs the work of a claim, and extends its lease meanwhile. A claim that is lost shows when the work is recorded. */
export function keepClaimDuring(ctx: Context, claim: MailingClaim, work: () => Promise<void>): Promise<void> {
  const extend = (): void => void ctx.inTransaction((own) => holdClaim(own, claim)).catch(() => undefined);
  return extendLeaseDuring(LEASE_SECONDS, extend, work);
}

/** Ends a claim: with letters left, the mailing waits for the next attempt. */
export async function releaseMailing(
  own: Context,
  { id, attempt }: MailingClaim,
  { next, error }: { readonly next: string | null; readonly error: string | null },
): Promise<void> {
  const rows = await own.db.query(
    `update deliverybatch
     set status = case when $3::timestamptz is null then 'Submitted' else 'Waiting' end, ${mailingLease.end()},
       nextattempt = $3::timestamptz, lasterror = left($4::text, 300), updateddate = $5::timestamptz,
       version = version + 1
     where deliverybatchid = $1::bigint and ${mailingLease.isHeld('$2')}
     returning 1`,
    [id, attempt, next, error, own.clock.now()],
  );
  if (rows.length === 0) return;
  await publishMailings(own, [id], ['Status', 'NextAttempt', 'LeasedUntil', 'LastError']);
  if (next !== null) await queueMailing(own, id, next);
}

/** Queues the call that submits a mailing, now or later. */
export function queueMailing(ctx: Context, id: number, at?: string): Promise<void> {
  return enqueueAsSystem(ctx, {
    route: 'delivery/send',
    parameters: { DeliveryBatchID: id },
    queueName: QUEUE,
    ...(at === undefined ? {} : { queuedDate: at }),
  });
}
