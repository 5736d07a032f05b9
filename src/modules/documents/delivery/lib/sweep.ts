import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';
import { letterTrackDays, letterTrackHours } from '../settings.ts';
import { mailingLease, QUEUE } from './claim.ts';

/** Minutes after which a due mailing has no queued call that would submit it. */
const LEFT_MINUTES = 5;
/** Most mailings that one run queues calls for. */
const MAILINGS_MAX = 200;
/** Days for which the IDs of notices are kept: far longer than a notice is accepted. */
const NOTICE_DAYS = 30;

/** Housekeeping: queues calls for mailings that are overdue, or whose process died: these within two minutes. */
export const queueOverdueMailings = {
  name: 'overdue mailings',
  everyMinutes: 1,
  async run(platform: Platform): Promise<number> {
    const { store, clock } = platform;
    const before = new Date(clock.milliseconds() - LEFT_MINUTES * 60_000).toISOString();
    const rows = await store.query<{ id: number }>(
      `select deliverybatchid as id
       from deliverybatch
       where (status = 'Waiting' and nextattempt < $1::timestamptz) or ${mailingLease.isExpired('$2')}
       order by nextattempt limit ${MAILINGS_MAX}`,
      [before, clock.now()],
    );
    return queueAsSystem(
      platform,
      rows.map(({ id }) => ({ route: 'delivery/send', parameters: { DeliveryBatchID: id }, queueName: QUEUE })),
    );
  },
} as const;

/** Housekeeping: checks letters with their mail houses that were not checked for a while. */
export const queueTracking = {
  name: 'letters on their way',
  everyMinutes: 30,
  async run(platform: Platform): Promise<number> {
    const { store, clock, settings } = platform;
    const hours = settings.get(letterTrackHours);
    if (hours === 0) return 0;
    const at = (milliseconds: number): string => new Date(clock.milliseconds() - milliseconds).toISOString();
    const [due] = await store.query(
      `select 1 from delivery
       where status in ('Unknown', 'Submitted', 'Mailed') and coalesce(trackeddate, begundate) < $1::timestamptz
         and begundate > $2::timestamptz limit 1`,
      [at(hours * 3_600_000), at(settings.get(letterTrackDays) * 86_400_000)],
    );
    return due ? queueAsSystem(platform, [{ route: 'delivery/track', parameters: {}, queueName: QUEUE }]) : 0;
  },
} as const;

/** Housekeeping: deletes the IDs of old notices; returns how many. */
export const sweepNotices = {
  name: 'notices of mail houses',
  everyMinutes: 1_440,
  async run({ store, clock }: Platform): Promise<number> {
    const rows = await store.query('delete from deliverynotice where receiveddate < $1::timestamptz returning 1', [
      new Date(clock.milliseconds() - NOTICE_DAYS * 86_400_000).toISOString(),
    ]);
    return rows.length;
  },
} as const;
