import { loggableMessage } from '../../../../kernel/database/database-error.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { deleteBefore, hoursAgo } from '../../../../kernel/database/delete-by-age.ts';
import { writeNotifications } from './write-notifications.ts';

/** How often changes are looked at. */
const POLL_MILLISECONDS = 1_500;
/** How often while it fails. */
const RETRY_MILLISECONDS = 15_000;
/** How long notifications are stored. */
const KEPT_DAYS = 90;

/** Writes notifications while a process runs jobs; of several processes, one does at a time. */
export function startNotifier(platform: Platform): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const pass = async (): Promise<number> => {
    try {
      await platform.settings.fresh();
      await writeNotifications(platform);
      return POLL_MILLISECONDS;
    } catch (error) {
      platform.log.warn('notifications cannot be written', { error: loggableMessage(error) });
      return RETRY_MILLISECONDS;
    }
  };
  const schedule = (milliseconds: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = pass().then(schedule);
    }, milliseconds);
  };
  schedule(POLL_MILLISECONDS);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Housekeeping: deletes old notifications. */
export const sweepNotifications = {
  name: 'notifications past their time',
  everyMinutes: 6 * 60,
  run: (platform: Platform): Promise<number> =>
    deleteBefore(platform, 'notification', 'createddate', hoursAgo(platform, KEPT_DAYS * 24)),
} as const;
