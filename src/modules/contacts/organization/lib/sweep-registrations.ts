import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';

/** Housekeeping: queues the removal of registrations that were not confirmed in time. Returns their number. */
export const sweepExpiredRegistrations = {
  name: 'registrations past their time',
  everyMinutes: 60,
  async run(platform: Platform): Promise<number> {
    const { store, clock } = platform;
    const [{ n } = { n: 0 }] = await store.query<{ n: number }>(
      'select count(*)::integer as n from registration where expires <= $1::timestamptz',
      [clock.now()],
    );
    if (n > 0) await queueAsSystem(platform, [{ route: 'organization/expireregistrations', parameters: {} }]);
    return n;
  },
} as const;
