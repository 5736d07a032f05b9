import { isOpenStep, isOpenWorkflow } from '../../lib/open.ts';
import { randomUUID } from 'node:crypto';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Minutes after which a queued step counts as stalled. Normally it starts within seconds. */
const STALLED_MINUTES = 60;

/** Housekeeping: requeues steps whose queued start was lost. Returns 1 if there were any. */
export const requeueStalledSteps = {
  name: 'workflow steps that wait for a call',
  everyMinutes: 30,
  async run({ store, clock, queue, configuration, identity }: Platform): Promise<number> {
    const before = new Date(clock.milliseconds() - STALLED_MINUTES * 60_000).toISOString();
    const personId = await identity.builtinPersonId(configuration, 'Workflow');
    if (personId === undefined) return 0;
    return store.transaction({ personId: null, firm: null, callId: 'housekeeping' }, async (transaction) => {
      const [waiting] = await transaction.query(
        `select 1
         from decisionstep s
         join decision d using (decisionid)
         where ${isOpenStep('s')}
           and (s.status is null or s.status = 'Queued')
           and s.updateddate <= $1::timestamptz
           and ${isOpenWorkflow('d')}
           and d.delayed is not true
         limit 1`,
        [before],
      );
      if (!waiting) return 0;
      await queue.send(transaction, [
        {
          messageId: randomUUID(),
          route: 'decisionstep/stalledstepsrequeue',
          parameters: { AgeMinutes: STALLED_MINUTES },
          personId,
          correlationId: 'housekeeping-steps',
          cause: [],
          label: 'Stalled steps',
          queueName: queue.queueOf(undefined),
        },
      ]);
      return 1;
    });
  },
} as const;
