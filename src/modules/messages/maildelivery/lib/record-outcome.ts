import type { RecipientOutcome } from '../../../../contracts/mail-outbound.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { noteForOperators } from '../../../../kernel/door/error-log.ts';
import { retryAfterMilliseconds, retryMilliseconds } from '../../../../lib/sending/backoff.ts';
import {
  settleRecipients,
  writeRecipientOutcomes,
  type RecipientOutcomeRow,
} from '../../lib/outcome/recipient-outcomes.ts';
import { blockAddress, saysNoMailbox } from '../../lib/outcome/suppressions.ts';
import type { MailClaim } from './claim.ts';
import { mailLease } from './mail-lease.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import type { Recipient } from './mail-content.ts';
import { mailStatusOf, type MailStatus } from './mail-status.ts';

/** Latest attempts stored with a delivery. */
const ATTEMPTS_KEPT = 30;

/** The state of a mail after an attempt. */
export interface MailOutcome {
  readonly status: MailStatus;
  readonly recipients: readonly Recipient[];
  readonly error: string | null;
  /** It was given up, or its outcome is unknown: someone should look. */
  readonly needsAttention: boolean;
}

/** Applies the outcomes of an attempt to a mail's recipients. With `isLast`, deferred recipients are given up. */
export function applyOutcomes(
  before: readonly Recipient[],
  outcomes: readonly RecipientOutcome[],
  now: string,
  isLast: boolean,
): MailOutcome {
  const outcomeByAddress = new Map(outcomes.map((outcome) => [outcome.address.toLowerCase(), outcome]));
  const recipients = before.map((recipient): Recipient => {
    const outcome = recipient.Status === 'Waiting' ? outcomeByAddress.get(recipient.Address.toLowerCase()) : undefined;
    if (!outcome) return recipient;
    const { detail, reference } = outcome;
    return {
      ...recipient,
      Status: recipientStatus(outcome, isLast),
      Detail: detail,
      Date: now,
      ...(reference === undefined ? {} : { Reference: reference }),
    };
  });
  const error = outcomes.find(({ detail }) => detail !== null)?.detail ?? null;
  const isGivenUp = isLast && outcomes.some(({ status }) => status === 'later');
  const needsAttention = outcomes.some((one) => one.status === 'unknown') || isGivenUp;
  return { status: mailStatusOf(recipients), recipients, error, needsAttention };
}

/** Returns a recipient's status after an outcome; at the last attempt a deferral counts as a refusal. */
function recipientStatus({ status }: RecipientOutcome, isLast: boolean): Recipient['Status'] {
  if (status === 'accepted') return 'Accepted';
  if (status === 'unknown') return 'Unknown';
  return status === 'refused' || isLast ? 'Refused' : 'Waiting';
}

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly claim: MailClaim;
  /** The mail server's name. */
  readonly server: string | undefined;
  readonly outcomes: readonly RecipientOutcome[];
  /** Nothing was sent, because the recipient is blocked. */
  readonly isSuppressed?: boolean;
  /** Other deliveries share the content, which is then removed later. */
  readonly isShared?: boolean;
}

/** The values that an ended attempt is recorded with. */
interface OutcomeRow {
  readonly id: number;
  readonly attempt: number;
  readonly status: MailOutcome['status'];
  readonly recipients: readonly Recipient[];
  readonly next: string | null;
  readonly sent: string | null;
  readonly error: string | null;
  readonly entry: object;
  readonly server: string | null;
}

/**
 * Records the outcomes of attempts, in the deliveries and at the recipients of messages, and queues the next attempts,
 * if any. The messages are summed up at the end of the call. An outcome that arrives after the lease expired is still
 * recorded: it is the last known result.
 */
export function recordOutcomes(ctx: Context, attempts: readonly EndedAttempt[]): Promise<readonly MailOutcome[]> {
  const settled = attempts.map((attempt) => settle(ctx, attempt));
  return ctx.inTransaction(async (own) => {
    const recorded = await writeOutcomes(
      own,
      settled.map(({ row }) => row),
    );
    const written = settled.filter(({ row }) => recorded.has(row.id));
    await writeRecipientOutcomes(
      own,
      written.flatMap(({ attempt, outcome }) => recipientRows(attempt, outcome)),
    );
    await blockMissingMailboxes(own, written);
    await removeContents(own, written);
    for (const [next, members] of Map.groupBy(written, ({ row }) => row.next))
      if (next !== null)
        await queueDeliveries(
          own,
          members.map(({ row }) => row.id),
          next,
        );
    for (const { row, outcome } of written) if (outcome.needsAttention) await reportForAttention(own, row.id, outcome);
    return settled.map(({ outcome }) => outcome);
  });
}

interface SettledAttempt {
  readonly attempt: EndedAttempt;
  readonly outcome: MailOutcome;
  readonly row: OutcomeRow;
}

function settle(ctx: Context, attempt: EndedAttempt): SettledAttempt {
  const { claim, server, outcomes } = attempt;
  const now = ctx.clock.now();
  const wait = retryMilliseconds(claim.attempt);
  const after = (milliseconds: number): string => new Date(ctx.clock.milliseconds() + milliseconds).toISOString();
  const outcome = applyOutcomes(claim.recipients, outcomes, now, after(wait) > claim.retryUntil);
  // A long Retry-After postpones the last attempt and does not replace it.
  const notBefore = after(Math.max(wait, retryAfterMilliseconds(outcomes)));
  const next = notBefore > claim.retryUntil ? claim.retryUntil : notBefore;
  const count = (status: RecipientOutcome['status']): number => outcomes.filter((one) => one.status === status).length;
  const entry = {
    At: now,
    Attempt: claim.attempt,
    Provider: server ?? null,
    Accepted: count('accepted'),
    Refused: count('refused'),
    Later: count('later'),
    Unknown: count('unknown'),
    Error: outcome.error,
  };
  const row: OutcomeRow = {
    id: claim.id,
    attempt: claim.attempt,
    status: outcome.status,
    recipients: outcome.recipients,
    next: outcome.status === 'Waiting' ? next : null,
    sent: outcome.status === 'Sent' ? now : null,
    error: outcome.error,
    entry,
    server: server ?? null,
  };
  return { attempt, outcome, row };
}

/** Writes outcomes to their deliveries; returns the ids of those that still expected one. */
async function writeOutcomes(own: Context, rows: readonly OutcomeRow[]): Promise<ReadonlySet<number>> {
  const written = await own.db.query<{ id: number }>(
    `update maildelivery d
     set status = o.status, recipients = o.recipients, ${mailLease.end()}, databegun = null, nextattempt = o.next,
       sentdate = o.sent, lasterror = o.error, updateddate = $2::timestamptz,
       mailcontentid = case when o.status = 'Sent' then null else d.mailcontentid end,
       provider = case when o.status = 'Sent' then coalesce(d.provider, o.server) else d.provider end,
       attemptlog = (
         select jsonb_agg(a.entry order by a.n)
         from (
           select entry, n
           from jsonb_array_elements(coalesce(d.attemptlog, '[]') || jsonb_build_array(o.entry))
             with ordinality as e (entry, n)
           order by n desc
           limit ${ATTEMPTS_KEPT}) a)
     from jsonb_to_recordset($1::text::jsonb) as o (id bigint, attempt integer, status text, recipients jsonb,
       next timestamptz, sent timestamptz, error text, entry jsonb, server text)
     where d.maildeliveryid = o.id
       and (${mailLease.isHeld('o.attempt', 'd')} or (d.attempts = o.attempt and d.status = 'Unknown'))
     returning d.maildeliveryid as id`,
    [JSON.stringify(rows), own.clock.now()],
  );
  return new Set(written.map(({ id }) => id));
}

/** Returns what an attempt means for the recipient of a message; nothing for system mail. */
function recipientRows(
  {
    claim,
    isSuppressed = false,
  }: { readonly claim: Pick<MailClaim, 'id' | 'message' | 'messageRecipient'>; readonly isSuppressed?: boolean },
  { recipients }: Pick<MailOutcome, 'recipients'>,
): RecipientOutcomeRow[] {
  const [recipient] = recipients;
  if (claim.message === null || claim.messageRecipient === null || !recipient) return [];
  const status = isSuppressed ? 'Suppressed' : messageStatuses[recipient.Status];
  return [
    {
      messageRecipientId: claim.messageRecipient,
      messageId: claim.message,
      deliveryId: claim.id,
      status,
      detail: recipient.Detail ?? null,
    },
  ];
}

/** The status of a message's recipient, by that of its delivery after an attempt. */
const messageStatuses = {
  Waiting: 'Waiting',
  Accepted: 'Sent',
  Delivered: 'Sent',
  Refused: 'Refused',
  Bounced: 'Refused',
  Unknown: 'Unknown',
} as const;

/** Blocks addresses of messages of which the server says that there is no such mailbox. */
async function blockMissingMailboxes(own: Context, settled: readonly SettledAttempt[]): Promise<void> {
  for (const { attempt, outcome } of settled) {
    const { claim, isSuppressed } = attempt;
    if (claim.message === null || claim.type === 'Text' || isSuppressed) continue;
    for (const { Address, Status, Detail = null } of outcome.recipients)
      if (Status === 'Refused' && saysNoMailbox(Detail))
        await blockAddress(own, {
          address: Address,
          reason: 'Bounced',
          scope: 'All',
          messageId: claim.message,
          detail: Detail,
        });
  }
}

/** Removes the content of mails that were sent; housekeeping removes what deliveries shared. */
async function removeContents(own: Context, settled: readonly SettledAttempt[]): Promise<void> {
  const ids = settled.flatMap(({ attempt: { claim, isShared }, row }) =>
    row.status === 'Sent' && claim.contentId !== null && !isShared ? [claim.contentId] : [],
  );
  if (ids.length === 0) return;
  await own.db.query(
    `delete from mailcontent c
     where c.mailcontentid = any($1::bigint[])
       and not exists (select from maildelivery d where d.mailcontentid = c.mailcontentid)`,
    [arrayLiteral(ids)],
  );
}

/**
 * Marks a mail as unknown whose process died while sending it; it is not resent automatically. Returns false if another
 * process did so.
 */
export function recordLost(ctx: Context, id: number): Promise<boolean> {
  return ctx.inTransaction(async (own) => {
    const now = own.clock.now();
    const error = "The process that transmitted the mail ended before the server's reply was recorded.";
    const [row] = await own.db.query<{
      recipients: Recipient[];
      message: number | null;
      messageRecipient: number | null;
    }>(
      `select recipients, messageid as message, messagerecipientid as "messageRecipient"
       from maildelivery
       where maildeliveryid = $1::bigint and ${mailLease.isExpired('$2')} and databegun is not null
       for update`,
      [id, now],
    );
    if (!row) return false;
    const recipients = row.recipients.map((one) =>
      one.Status === 'Waiting' ? { ...one, Status: 'Unknown' as const, Detail: error, Date: now } : one,
    );
    await own.db.query(
      `update maildelivery
       set status = 'Unknown', recipients = $2::text::jsonb, ${mailLease.end()}, databegun = null,
         lasterror = $3::text, updateddate = $4::timestamptz
       where maildeliveryid = $1::bigint`,
      [id, JSON.stringify(recipients), error, now],
    );
    await settleRecipients(own, recipientRows({ claim: { ...row, id } }, { recipients }));
    await reportForAttention(own, id, { status: 'Unknown', error });
    return true;
  });
}

/** Writes a mail that needs attention to the error log, without addresses and text. */
async function reportForAttention(
  ctx: Context,
  id: number,
  { status, error }: Pick<MailOutcome, 'status' | 'error'>,
): Promise<void> {
  const what = status === 'Unknown' ? `Mail ${id} may have been sent or not` : `Mail ${id} was given up`;
  ctx.log.error('an email needs attention', { mailDeliveryId: id, status });
  await noteForOperators(
    ctx,
    ctx.db,
    'maildelivery/deliver',
    `${what}: ${(error ?? 'no answer').replace(/\S+@\S+/g, '…')}`,
  );
}
