import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';
import { webhookDeliveryDays } from '../settings.ts';
import { deliveryLease, QUEUE } from './claim.ts';

/** Rows per delete statement, so that none holds its locks for long, and most statements of one run. */
const BATCH_ROWS = 5_000;
const BATCHES_MAX = 200;
/** Minutes after which a due delivery has no queued call that would send it. */
const LEFT_MINUTES = 5;
/** Most webhooks that one run queues calls for. */
const LEFT_WEBHOOKS_MAX = 1_000;

/** Housekeeping: deletes expired events with their attempts; returns how many. */
export const sweepWebhookDeliveries = {
  name: 'expired webhook deliveries',
  everyMinutes: 360,
  async run({ store, clock, settings }: Platform): Promise<number> {
    const days = settings.get(webhookDeliveryDays);
    if (days <= 0) return 0;
    const before = new Date(clock.milliseconds() - days * 86_400_000).toISOString();
    let deleted = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      // A replayed event may be older; it stays until its replay has ended.
      const rows = await store.query(
        `delete from webhookdelivery
         where ctid = any(array(
           select ctid
           from webhookdelivery
           where createddate < $1::timestamptz
             and greatest(createddate, replayeddate, retryuntil, leaseduntil) < $2::timestamptz
           limit ${BATCH_ROWS}))
         returning 1`,
        [before, clock.now()],
      );
      deleted += rows.length;
      if (rows.length < BATCH_ROWS) break;
    }
    return deleted;
  },
} as const;

/**
 * Housekeeping: queues calls for webhooks with due deliveries that no queued call sends. Each event queues its call,
 * and each call the next; one that was canceled by hand, or died too often, is replaced here.
 */
export const queueOverdueWebhooks = {
  name: 'overdue webhook deliveries',
  everyMinutes: LEFT_MINUTES,
  async run(platform: Platform): Promise<number> {
    const { store, clock } = platform;
    const before = new Date(clock.milliseconds() - LEFT_MINUTES * 60_000).toISOString();
    const rows = await store.query<{ id: number }>(
      `select w.webhookid as id
       from webhook w
       left join webhookstate s on s.webhookid = w.webhookid
       where w.isactive and w.secret is not null
         and coalesce(s.helduntil < $2::timestamptz, true) and coalesce(s.wakeat < $2::timestamptz, true)
         and (
           exists (
             select from webhookdelivery d
             where d.webhookid = w.webhookid and d.status = 'Waiting' and d.nextattempt < $1::timestamptz)
           or exists (
             select from webhookdelivery d
             where d.webhookid = w.webhookid and ${deliveryLease.isExpired('$1', 'd')}))
       limit ${LEFT_WEBHOOKS_MAX}`,
      [before, clock.now()],
    );
    return queueAsSystem(
      platform,
      rows.map(({ id }) => ({ route: 'webhookdelivery/deliver', parameters: { WebhookID: id }, queueName: QUEUE })),
    );
  },
} as const;
