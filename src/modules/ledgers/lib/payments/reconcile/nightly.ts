import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import type { Platform } from '../../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../../kernel/security/system-user.ts';
import { calendarDay } from '../../../../../kernel/time/clock.ts';
import { endInterruptedRuns } from './run-reconciliation.ts';
import { paymentReconcileDays } from '../../../paymentreconciliation/settings.ts';

const DAY_MILLISECONDS = 86_400_000;
/** Minutes after which a run that has not ended is presumed dead, and one that failed is repeated. */
const REPEAT_MINUTES = 60;

/**
 * Housekeeping: queues the comparison of the last days with each gateway, once for each day. One that fails or is
 * interrupted is queued again after an hour, until it is complete; health reports it meanwhile.
 */
export const queueReconciliations = {
  name: 'reconciliation of payments',
  everyMinutes: 30,
  async run(platform: Platform): Promise<number> {
    const { store, clock, settings } = platform;
    const days = settings.get(paymentReconcileDays);
    if (days === 0) return 0;
    const day = (ago: number): string =>
      calendarDay(settings.get(timeZone), clock.milliseconds() - ago * DAY_MILLISECONDS);
    const [from, to] = [day(days), day(1)];
    const repeatBefore = new Date(clock.milliseconds() - REPEAT_MINUTES * 60_000).toISOString();
    await endInterruptedRuns(store, repeatBefore, clock.now());
    const rows = await store.query<{ id: number }>(
      `select p.paymentproviderid as id from paymentprovider p
       where exists (select from payment y where y.paymentproviderid = p.paymentproviderid)
         and not exists (select from paymentreconciliation r
           where r.paymentproviderid = p.paymentproviderid
             and (r.status = 'Complete' and r.today >= $1::date or r.createddate > $2::timestamptz))`,
      [to, repeatBefore],
    );
    return queueAsSystem(
      platform,
      rows.map(({ id }) => ({
        route: 'payment/reconcile',
        parameters: { PaymentProviderID: String(id), From: from, To: to },
        isRepeated: true,
      })),
    );
  },
} as const;
