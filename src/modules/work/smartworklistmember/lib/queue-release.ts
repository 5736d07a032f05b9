import { randomUUID } from 'node:crypto';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Housekeeping: queues the release of work items whose claim has expired. Returns 1 if there are any. */
export const queueExpiredClaims = {
  name: 'work items whose claim expired',
  everyMinutes: 1,
  async run({ store, clock, queue, configuration, identity }: Platform): Promise<number> {
    const personId = await identity.builtinPersonId(configuration, 'Workflow');
    if (personId === undefined) return 0;
    return store.transaction({ personId: null, firm: null, callId: 'housekeeping' }, async (transaction) => {
      const expired = await transaction.query('select 1 from workclaim where expires <= $1::timestamptz limit 1', [
        clock.now(),
      ]);
      if (expired.length === 0) return 0;
      await queue.send(transaction, [
        {
          messageId: randomUUID(),
          route: 'smartworklistmember/releaseexpired',
          parameters: {},
          personId,
          correlationId: 'housekeeping-claims',
          cause: [],
          label: 'Expired claims',
          queueName: queue.queueOf(undefined),
        },
      ]);
      return 1;
    });
  },
} as const;
