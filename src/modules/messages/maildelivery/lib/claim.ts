import { leaseEnd } from '../../../../kernel/database/lease.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { mailRetryHours } from '../settings.ts';
import type { Recipient } from './mail-content.ts';
import { mailLease } from './mail-lease.ts';
import { takeTurns } from './pace.ts';

/** Longest attempt. */
export const SEND_SECONDS_MAX = 300;
/** Seconds that a lease outlasts the longest attempt, before its process is presumed dead. */
const LEASE_MARGIN_SECONDS = 60;

/** A mail claimed by this process. */
export interface MailClaim {
  readonly id: number;
  /** `Text` for a text message; otherwise a mail. */
  readonly type: string | null;
  readonly provider: string | null;
  /** The Message-ID. */
  readonly messageId: string;
  readonly contentId: number | null;
  /** The Message that it sends and the recipient; null for system mail. */
  readonly message: number | null;
  readonly messageRecipient: number | null;
  readonly recipients: readonly Recipient[];
  /** Why the address of a message's recipient is blocked, by scope; null if it is not, or for system mail. */
  readonly blocked: Readonly<Record<string, string>> | null;
  readonly attempt: number;
  readonly retryUntil: string;
  readonly createdDate: string;
}

/**
 * Claims those mails that are due, or whose process died before any of them was transmitted. Returns a claim, or
 * undefined, for each. A mail whose server has a limit per minute gets its turn instead, and is queued for it.
 */
export function claimMails(ctx: Context, ids: readonly number[]): Promise<readonly (MailClaim | undefined)[]> {
  const now = ctx.clock.now();
  const leasedUntil = leaseEnd(ctx.clock, SEND_SECONDS_MAX + LEASE_MARGIN_SECONDS);
  return ctx.inTransaction(async (own) => {
    const due = await takeTurns(own, ids, isDue('$2'));
    const rows = await own.db.query<MailClaim>(
      `with due as (
         select maildeliveryid as id
         from maildelivery
         where maildeliveryid = any($1::bigint[]) and ${isDue('$2')}
         order by maildeliveryid
         for update)
       update maildelivery
       set ${mailLease.start('$3')}, databegun = null, lastattempt = $2::timestamptz, updateddate = $2::timestamptz,
         retryuntil = coalesce(retryuntil, $2::timestamptz + make_interval(hours => $4::integer)), slotdate = null
       from due
       where maildeliveryid = due.id
       returning maildeliveryid as id, maildeliverytype as "type", provider, internetmessageid as "messageId",
         mailcontentid as "contentId", messageid as "message", messagerecipientid as "messageRecipient", recipients,
         case when messageid is not null then ${BLOCKED} end as blocked,
         attempts as attempt, retryuntil as "retryUntil", createddate as "createdDate"`,
      [arrayLiteral(due), now, leasedUntil, own.settings.get(mailRetryHours)],
    );
    const claims = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => claims.get(id));
  });
}

/** Why a mail's first recipient is blocked, by scope; null if the address is not. */
const BLOCKED = `(
           select jsonb_object_agg(coalesce(s.scope, 'All'), coalesce(s.reason, 'Person'))
           from mailsuppression s
           where s.mailsuppression = lower(recipients -> 0 ->> 'Address'))`;

/** Condition on a mail that can be claimed. */
function isDue(now: string): string {
  return `((status = 'Waiting' and nextattempt <= ${now}::timestamptz)
           or (${mailLease.isExpired(now)} and databegun is null))`;
}

/** The lease of a mail that is about to be transmitted. */
export type HeldMail = Pick<MailClaim, 'id' | 'attempt'>;

/**
 * Records that transmission of mails begins: from here on, an attempt whose process dies has an unknown outcome.
 * Returns for each whether its lease is still held; otherwise nothing may be transmitted.
 */
export async function recordDataBegun(ctx: Context, mails: readonly HeldMail[]): Promise<readonly boolean[]> {
  // One statement outside a transaction: mails wait for it with an open connection to their server.
  const rows = await ctx.db.query<{ id: number }>(
    `with held as (
         select maildeliveryid as id
         from maildelivery
         join unnest($1::bigint[], $2::integer[]) as h (id, attempt) on maildeliveryid = h.id
         where ${mailLease.isHeld('h.attempt')} and ${mailLease.isLeased('$3')}
         order by maildeliveryid
         for update of maildelivery)
       update maildelivery
       set databegun = $3::timestamptz
       from held
       where maildeliveryid = held.id
       returning maildeliveryid as id`,
    [arrayLiteral(mails.map(({ id }) => id)), arrayLiteral(mails.map(({ attempt }) => attempt)), ctx.clock.now()],
  );
  const begun = new Set(rows.map(({ id }) => id));
  return mails.map(({ id }) => begun.has(id));
}

/** The state of a mail. */
export interface MailState {
  readonly status: string;
  /** When to try again; null if it has ended. */
  readonly at: string | null;
  /** Whether its process died while sending. */
  readonly isLost: boolean;
  /** The Message that it sends. */
  readonly message: number | null;
}

/** Returns the state of a mail. */
export async function mailStatus(ctx: Context, id: number): Promise<MailState | undefined> {
  const [row] = await ctx.db.query<MailState>(
    `select status, case status when 'Waiting' then nextattempt when 'Sending' then leaseduntil end as at,
       ${mailLease.isExpired('$2')} and databegun is not null as "isLost", messageid as message
     from maildelivery
     where maildeliveryid = $1::bigint`,
    [id, ctx.clock.now()],
  );
  return row;
}

/** Returns the sealed contents of mails by their ids. */
export async function readContents(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query<{ id: number; content: string }>(
    'select mailcontentid as id, content from mailcontent where mailcontentid = any($1::bigint[])',
    [arrayLiteral(ids)],
  );
  return new Map(rows.map(({ id, content }) => [id, content]));
}
