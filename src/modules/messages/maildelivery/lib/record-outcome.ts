import type { RecipientOutcome } from '../../../../contracts/mail-outbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { noteForOperators } from '../../../../kernel/door/error-log.ts';
import { retryAfterMilliseconds, retryMilliseconds } from '../../../../lib/sending/backoff.ts';
import { mailLease, queueDelivery, type MailClaim } from './claim.ts';
import type { Recipient } from './mail-content.ts';

/** Latest attempts stored with a delivery. */
const ATTEMPTS_KEPT = 30;

/** The state of a mail after an attempt. */
export interface MailOutcome {
  readonly status: 'Waiting' | 'Sent' | 'Partly' | 'Failed' | 'Unknown';
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

/** Returns the status of a mail from those of its recipients. */
function mailStatusOf(recipients: readonly Recipient[]): MailOutcome['status'] {
  const statuses = new Set(recipients.map(({ Status }) => Status));
  if (statuses.has('Waiting')) return 'Waiting';
  if (statuses.has('Unknown')) return 'Unknown';
  if (!statuses.has('Refused')) return 'Sent';
  return statuses.has('Accepted') ? 'Partly' : 'Failed';
}

/**
 * Records the outcome of an attempt and queues the next one, if any. An outcome that arrives after the lease expired is
 * still recorded: it is the last known result.
 */
export function recordOutcome(
  ctx: Context,
  claim: MailClaim,
  server: string | undefined,
  outcomes: readonly RecipientOutcome[],
): Promise<MailOutcome> {
  const now = ctx.clock.now();
  const wait = retryMilliseconds(claim.attempt);
  const after = (milliseconds: number): string => new Date(ctx.clock.milliseconds() + milliseconds).toISOString();
  const settled = applyOutcomes(claim.recipients, outcomes, now, after(wait) > claim.retryUntil);
  // A long Retry-After postpones the last attempt and does not replace it.
  const notBefore = after(Math.max(wait, retryAfterMilliseconds(outcomes)));
  const next = notBefore > claim.retryUntil ? claim.retryUntil : notBefore;
  const count = (status: RecipientOutcome['status']): number =>
    outcomes.filter((outcome) => outcome.status === status).length;
  const entry = {
    At: now,
    Attempt: claim.attempt,
    Provider: server ?? null,
    Accepted: count('accepted'),
    Refused: count('refused'),
    Later: count('later'),
    Unknown: count('unknown'),
    Error: settled.error,
  };
  return ctx.inTransaction(async (own) => {
    const isOver = settled.status !== 'Waiting';
    const rows = await own.db.query(
      `update maildelivery
       set status = $3::text, recipients = $4::text::jsonb, ${mailLease.end()}, databegun = null,
         nextattempt = $5::timestamptz, sentdate = $6::timestamptz, lasterror = $7::text,
         updateddate = $8::timestamptz,
         content = case when $3::text = 'Sent' then null else content end,
         provider = case when $3::text = 'Sent' then coalesce(provider, $10::text) else provider end,
         attemptlog = (
           select jsonb_agg(a.entry order by a.n)
           from (
             select entry, n
             from jsonb_array_elements(coalesce(attemptlog, '[]') || $9::text::jsonb) with ordinality as e (entry, n)
             order by n desc
             limit ${ATTEMPTS_KEPT}) a)
       where maildeliveryid = $1::bigint
         and (${mailLease.isHeld('$2')} or (attempts = $2::integer and status = 'Unknown'))
       returning 1`,
      [
        claim.id,
        claim.attempt,
        settled.status,
        JSON.stringify(settled.recipients),
        isOver ? null : next,
        settled.status === 'Sent' ? now : null,
        settled.error,
        now,
        JSON.stringify([entry]),
        server ?? null,
      ],
    );
    if (rows.length > 0 && !isOver) await queueDelivery(own, claim.id, next);
    if (rows.length > 0 && settled.needsAttention) await reportForAttention(own, claim.id, settled);
    return settled;
  });
}

/**
 * Marks a mail as unknown whose process died while sending it; it is not resent automatically. Returns false if another
 * process did so.
 */
export function recordLost(ctx: Context, id: number): Promise<boolean> {
  return ctx.inTransaction(async (own) => {
    const now = own.clock.now();
    const error = "The process that transmitted the mail ended before the server's reply was recorded.";
    const [row] = await own.db.query<{ recipients: Recipient[] }>(
      `select recipients
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
  ctx.log.error('a mail needs attention', { mailDeliveryId: id, status });
  await noteForOperators(
    ctx,
    ctx.db,
    'maildelivery/deliver',
    `${what}: ${(error ?? 'no answer').replace(/\S+@\S+/g, '…')}`,
  );
}
