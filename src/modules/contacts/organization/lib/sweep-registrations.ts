import { randomUUID } from 'node:crypto';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Housekeeping: queues the removal of registrations that were not confirmed in time. Returns their number. */
export const sweepExpiredRegistrations = {
  name: 'registrations past their time',
  everyMinutes: 60,
  async run({ store, clock, configuration, identity, queue }: Platform): Promise<number> {
    const [{ n } = { n: 0 }] = await store.query<{ n: number }>(
      'select count(*)::integer as n from registration where expires <= $1::timestamptz',
      [clock.now()],
    );
    const personId = await identity.builtinPersonId(configuration, 'System');
    if (n === 0 || personId === undefined) return 0;
    await queue.send(store, [
      {
        route: 'organization/expireregistrations',
        parameters: {},
        messageId: randomUUID(),
        personId,
        correlationId: 'housekeeping',
        cause: [],
      },
    ]);
    return n;
  },
} as const;
