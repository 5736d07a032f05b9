import { activeCondition } from '../../../../kernel/records/save/final-status.ts';
import { mailDelivery } from '../maildelivery.record.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';
import { mailDeliveryDays } from '../settings.ts';
import { mailLease } from './mail-lease.ts';
import { MAILS_PER_CALL_MAX, QUEUE } from './queue-deliveries.ts';

/** Rows per delete statement, so that none holds its locks for long, and most statements of one run. */
const BATCH_ROWS = 5_000;
const BATCHES_MAX = 200;
/** Minutes after which a due mail has no queued call that would send it. */
const LEFT_MINUTES = 5;
/** Most mails that one run queues calls for. */
const LEFT_MAILS_MAX = 1_000;

/** Housekeeping: deletes expired mail deliveries; returns how many. */
export const sweepMailDeliveries = {
  name: 'expired mails',
  everyMinutes: 360,
  async run({ store, clock, settings }: Platform): Promise<number> {
    const days = settings.get(mailDeliveryDays);
    if (days <= 0) return 0;
    const before = new Date(clock.milliseconds() - days * 86_400_000).toISOString();
    let deleted = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      const rows = await store.query(
        `delete from maildelivery
         where maildeliveryid = any(array(
           select maildeliveryid
           from maildelivery
           where createddate < $1::timestamptz and updateddate < $1::timestamptz
             and not (${activeCondition(mailDelivery)})
           limit ${BATCH_ROWS}))
         returning 1`,
        [before],
      );
      deleted += rows.length;
      if (rows.length < BATCH_ROWS) break;
    }
    return deleted;
  },
} as const;

/**
 * Housekeeping: queues calls for mails that are overdue or whose process died. Each is queued when posted and again for
 * each attempt; a call that was canceled by hand, or died too often, is replaced here.
 */
export const queueOverdueMails = {
  name: 'overdue mails',
  everyMinutes: LEFT_MINUTES,
  async run(platform: Platform): Promise<number> {
    const { store, clock } = platform;
    const before = new Date(clock.milliseconds() - LEFT_MINUTES * 60_000).toISOString();
    const rows = await store.query<{ id: number }>(
      `select maildeliveryid as id
       from maildelivery
       where (status = 'Waiting' and nextattempt < $1::timestamptz)
         or ${mailLease.isExpired('$1')}
       order by nextattempt
       limit ${LEFT_MAILS_MAX}`,
      [before],
    );
    return queueAsSystem(
      platform,
      Array.from({ length: Math.ceil(rows.length / MAILS_PER_CALL_MAX) }, (_, n) => ({
        route: 'maildelivery/deliver',
        parameters: {
          ID: rows
            .slice(n * MAILS_PER_CALL_MAX, (n + 1) * MAILS_PER_CALL_MAX)
            .map(({ id }) => id)
            .join(','),
        },
        queueName: QUEUE,
      })),
    );
  },
} as const;

/** Housekeeping: deletes the contents of mails that were sent, or whose deliveries were deleted. */
export const sweepMailContents = {
  name: 'contents of sent mails',
  everyMinutes: 10,
  async run({ store, clock }: Platform): Promise<number> {
    // The deliveries of a new content commit together with it.
    const rows = await store.query(
      `delete from mailcontent c
       where c.createddate < $1::timestamptz
         and not exists (select from maildelivery d where d.mailcontentid = c.mailcontentid)
       returning 1`,
      [clock.now()],
    );
    return rows.length;
  },
} as const;
