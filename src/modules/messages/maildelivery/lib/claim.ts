import { leaseEnd, leaseSql } from '../../../../kernel/database/lease.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';
import { mailRetryHours } from '../settings.ts';
import type { Recipient } from './mail-content.ts';

/** Queue of mails. */
export const QUEUE = 'Mail';
/** Longest attempt. */
export const SEND_SECONDS_MAX = 300;
/** Seconds that a lease outlasts the longest attempt, before its process is presumed dead. */
const LEASE_MARGIN_SECONDS = 60;

/**
 * Leases of mails. A mail is sent at most once: from the moment at which transmission begins (`databegun`), an expired
 * lease means that the mail may have been sent, and it is recorded as lost instead of being claimed again.
 */
export const mailLease = leaseSql({
  token: { column: 'attempts', type: 'integer' },
  state: { column: 'status', leased: 'Sending' },
});

/** A mail claimed by this process. */
export interface MailClaim {
  readonly id: number;
  readonly provider: string | null;
  readonly messageId: string;
  readonly content: string | null;
  readonly recipients: readonly Recipient[];
  readonly attempt: number;
  readonly retryUntil: string;
  readonly createdDate: string;
}

/** Claims a mail that is due, or whose process died before any of it was transmitted. */
export function claimMail(ctx: Context, id: number): Promise<MailClaim | undefined> {
  const now = ctx.clock.now();
  const leasedUntil = leaseEnd(ctx.clock, SEND_SECONDS_MAX + LEASE_MARGIN_SECONDS);
  return ctx.inTransaction(async (own) => {
    const [row] = await own.db.query<MailClaim>(
      `update maildelivery
       set ${mailLease.start('$3')}, databegun = null, lastattempt = $2::timestamptz, updateddate = $2::timestamptz,
         retryuntil = coalesce(retryuntil, $2::timestamptz + make_interval(hours => $4::integer))
       where maildeliveryid = $1::bigint
         and ((status = 'Waiting' and nextattempt <= $2::timestamptz)
           or (${mailLease.isExpired('$2')} and databegun is null))
       returning maildeliveryid as id, provider, internetmessageid as "messageId", content, recipients,
         attempts as attempt, retryuntil as "retryUntil", createddate as "createdDate"`,
      [id, now, leasedUntil, own.settings.get(mailRetryHours)],
    );
    return row;
  });
}

/**
 * Records that transmission begins: from here on, an attempt whose process dies has an unknown outcome.
 * @throws CONCURRENT_CHANGE if the lease expired meanwhile; nothing is transmitted then
 */
export async function recordDataBegun(ctx: Context, { id, attempt }: MailClaim): Promise<void> {
  const rows = await ctx.inTransaction((own) =>
    own.db.query(
      `update maildelivery
       set databegun = $3::timestamptz
       where maildeliveryid = $1::bigint and ${mailLease.isHeld('$2')} and ${mailLease.isLeased('$3')}
       returning 1`,
      [id, attempt, own.clock.now()],
    ),
  );
  if (rows.length === 0) throw new PlatformError('CONCURRENT_CHANGE');
}

/** Returns the status of a mail, when to try again, and whether its process died while sending. */
export async function mailStatus(
  ctx: Context,
  id: number,
): Promise<{ readonly status: string; readonly at: string | null; readonly isLost: boolean } | undefined> {
  const [row] = await ctx.db.query<{ status: string; at: string | null; lost: boolean }>(
    `select status, case status when 'Waiting' then nextattempt when 'Sending' then leaseduntil end as at,
       ${mailLease.isExpired('$2')} and databegun is not null as lost
     from maildelivery
     where maildeliveryid = $1::bigint`,
    [id, ctx.clock.now()],
  );
  return row && { status: row.status, at: row.at, isLost: row.lost };
}

/** Queues the call that sends a mail, now or later. */
export function queueDelivery(ctx: Context, id: number, at?: string): Promise<void> {
  return enqueueAsSystem(ctx, {
    route: 'maildelivery/deliver',
    parameters: { ID: id },
    queueName: QUEUE,
    ...(at === undefined ? {} : { queuedDate: at }),
  });
}
