import type { Context } from '../../../../kernel/door/context.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { webhookDisableHours } from '../settings.ts';
import { holdMilliseconds, retryMilliseconds } from './backoff.ts';
import { deliveryLease, type DeliveryClaim } from './claim.ts';
import type { SendResult } from './send.ts';

/** Latest attempts stored with a delivery. */
const ATTEMPTS_KEPT = 30;
const GONE = 410;

/**
 * Records the outcome of an attempt, unless its lease expired and another began: then the receiver got the event twice,
 * under one id. Disables a webhook whose receiver is gone or has failed for long.
 */
export async function recordOutcome(ctx: Context, claim: DeliveryClaim, sent: SendResult): Promise<void> {
  const isDelivered = sent.error === null;
  const isLast = sent.status === GONE || claim.retryUntil <= ctx.clock.now();
  const next = new Date(
    ctx.clock.milliseconds() + retryMilliseconds(claim.attempt, sent.retryAfterSeconds),
  ).toISOString();
  const failedStatus = isLast ? 'Failed' : 'Waiting';
  const isSwitchedOff = await ctx.inTransaction(async (own) => {
    const now = own.clock.now();
    // Claims lock the state before the delivery, and so does this.
    const reason = claim.isEvent ? await recordState(own, claim.webhookId, sent) : undefined;
    const rows = await own.db.query(
      `update webhookdelivery
       set status = $3::text, ${deliveryLease.end()}, nextattempt = $4::timestamptz, delivereddate = $5::timestamptz,
         responsecode = $6::integer, durationmilliseconds = $7::integer,
         lasterror = $8::text, responsestart = $9::text, updateddate = $10::timestamptz,
         attemptlog = (
           select jsonb_agg(a.entry order by a.n)
           from (
             select entry, n
             from jsonb_array_elements(coalesce(attemptlog, '[]') || $11::text::jsonb) with ordinality as e (entry, n)
             order by n desc
             limit ${ATTEMPTS_KEPT}) a)
       where webhookdeliveryid = $1::bigint and ${deliveryLease.isHeld('$2')}
       returning 1`,
      [
        claim.id,
        claim.attempt,
        isDelivered ? 'Delivered' : failedStatus,
        isDelivered || isLast ? null : next,
        isDelivered ? now : null,
        sent.status,
        sent.milliseconds,
        sent.error,
        sent.start,
        now,
        JSON.stringify([
          { At: now, Attempt: claim.attempt, Status: sent.status, Error: sent.error, Milliseconds: sent.milliseconds },
        ]),
      ],
    );
    return rows.length > 0 && reason !== undefined && disableWebhook(own, claim.webhookId, reason);
  });
  // Other processes see it within half a second.
  if (isSwitchedOff) ctx.configuration.expire();
}

/** Counts consecutive failures; returns why to disable the webhook, if so. */
async function recordState(ctx: Context, webhookId: number, sent: SendResult): Promise<string | undefined> {
  if (sent.error === null) {
    await ctx.db.query(
      `update webhookstate
       set failures = 0, failingsince = null, helduntil = null
       where webhookid = $1::bigint and failures > 0`,
      [webhookId],
    );
    return undefined;
  }
  const now = ctx.clock.now();
  const [state] = await ctx.db.query<{ failures: number; failingsince: string }>(
    `update webhookstate
     set failures = failures + 1, failingsince = coalesce(failingsince, $2::timestamptz)
     where webhookid = $1::bigint
     returning failures, failingsince`,
    [webhookId, now],
  );
  if (sent.status === GONE) return 'the receiver answered 410 Gone';
  if (!state) return undefined;
  const hold = holdMilliseconds(state.failures);
  if (hold > 0)
    await ctx.db.query('update webhookstate set helduntil = $2::timestamptz where webhookid = $1::bigint', [
      webhookId,
      new Date(ctx.clock.milliseconds() + hold).toISOString(),
    ]);
  const hours = ctx.settings.get(webhookDisableHours);
  const isLong = hours > 0 && ctx.clock.milliseconds() - Date.parse(state.failingsince) >= hours * 3_600_000;
  return isLong ? `no delivery succeeded for ${hours} hours; last error: ${sent.error}` : undefined;
}

/** Disables a webhook; returns whether it was active. */
async function disableWebhook(ctx: Context, webhookId: number, reason: string): Promise<boolean> {
  const [row] = await ctx.db.query('select 1 from webhook where webhookid = $1::bigint and isactive for update', [
    webhookId,
  ]);
  if (!row) return false;
  await updateRow(ctx, ctx.registry.recordType('Webhook'), webhookId, {
    IsActive: false,
    Status: 'Disabled',
    DisabledDate: ctx.clock.now(),
    DisabledReason: reason,
  });
  await ctx.security({ event: 'WebhookDisabled', object: 'Webhook', objectId: webhookId, detail: reason });
  ctx.log.warn('webhook switched off', { webhookId, reason });
  return true;
}
