import { isOpenStep, isOpenWorkflow } from '../../lib/open.ts';
import { randomUUID } from 'node:crypto';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { hasCompleteWorkflow } from '../../decision/lib/pass/ended-records.ts';

/** Minutes after which a queued step counts as stalled. Normally it starts within seconds. */
const STALLED_MINUTES = 60;

/**
 * SQL: the kinds of steps that a call must start, poll or complete; if that call is lost, nothing else does. Whether a
 * batch has ended is checked later. Each kind has a partial index on `updateddate`, whose condition is repeated here.
 * Tasks are not among them: what completes a task completes its step in the same transaction.
 */
const kinds = [
  "(s.status is null or s.status = 'Queued')",
  "s.status = 'Started' and s.queuemessageid is not null",
  `s.status = 'Pending' and s.object is distinct from 'ImportForm' and (
    (s.objectid is null and lower(s.decisionsteptype) = 'polling')
    or ${hasCompleteWorkflow('s')}
    or s.object = 'ImportFile'
  )`,
] as const;

/**
 * Returns SQL for the steps that may be stalled, with their queued message: a page of those not changed since `$1`,
 * after the time `$2` and the ID `$3`, at most `$4`.
 */
export function stalledStepsQuery(): string {
  const pages = kinds.map(
    (kind) => `(
      select s.decisionstepid as id, s.updateddate::text as at, s.updateddate, s.queuemessageid as message
      from decisionstep s
      join decision d using (decisionid)
      where ${isOpenStep('s')}
        and ${kind}
        and s.updateddate <= $1::timestamptz
        and (s.updateddate, s.decisionstepid) > ($2::timestamptz, $3::bigint)
        and ${isOpenWorkflow('d')}
        and d.delayed is not true
      order by s.updateddate, s.decisionstepid
      limit $4::integer
    )`,
  );
  return `select id, at, message
    from (${pages.join(' union all ')}) stalled
    order by updateddate, id
    limit $4::integer`;
}

/** Housekeeping: requeues steps whose call was lost. Returns 1 if there may be any. */
export const requeueStalledSteps = {
  name: 'workflow steps that wait for a call',
  everyMinutes: 30,
  async run({ store, clock, queue, configuration, identity }: Platform): Promise<number> {
    const before = new Date(clock.milliseconds() - STALLED_MINUTES * 60_000).toISOString();
    const personId = await identity.builtinPersonId(configuration, 'Workflow');
    if (personId === undefined) return 0;
    return store.transaction({ personId: null, firm: null, callId: 'housekeeping' }, async (transaction) => {
      const [waiting] = await transaction.query(stalledStepsQuery(), [before, '0001-01-01T00:00:00Z', 0, 1]);
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
