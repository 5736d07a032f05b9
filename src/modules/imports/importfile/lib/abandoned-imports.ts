import { randomUUID } from 'node:crypto';
import { isAllQueued } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueIfKnown } from '../../../../kernel/security/system-user.ts';

/**
 * A run saves something every few seconds, and its queue redelivers it within half a minute. A run that is idle for
 * longer has no process any more.
 */
const ABANDONED_AFTER_MINUTES = 10;

/** Seconds without a saved row after which the process of a run must have died. */
const DEAD_AFTER_SECONDS = 60;

/**
 * Whether a run has saved nothing for so long that its process must have died: it saves something every few seconds.
 */
export function isAbandoned({ clock }: Pick<Context, 'clock'>, active: string): boolean {
  return active < new Date(clock.milliseconds() - DEAD_AFTER_SECONDS * 1_000).toISOString();
}

/** Most runs requeued at once. */
const RUNS_MAX = 100;

/** Housekeeping: requeues imports that ran outside the queue when their process died. Returns how many were queued. */
export const requeueAbandonedImports = {
  name: 'imports whose process died',
  everyMinutes: 5,
  async run({ store, clock, queue, settings }: Platform): Promise<number> {
    const before = new Date(clock.milliseconds() - ABANDONED_AFTER_MINUTES * 60_000).toISOString();
    return store.transaction({ personId: null, firm: null, callId: 'housekeeping' }, async (transaction) => {
      // A long piece keeps its run locked: that run is alive.
      const runs = await transaction.query<{ id: number; personid: number; state: string | null }>(
        `with abandoned as materialized (
           select r.importfileid from importrun r join importfile f on f.importfileid = r.importfileid
           where r.activedate < $1::timestamptz and f.status = 'Importing' and f.createdpersonid is not null
             -- Rows of a batch that wait in their queues do not belong to a dead process.
             and not exists (select from importfilequeue q where q.importfileid = r.importfileid
             and q.successdate is null and q.failuredate is null)
           order by 1 limit ${RUNS_MAX} for update of r skip locked)
         update importrun r set activedate = $2::timestamptz from importfile f
         where f.importfileid = r.importfileid and r.importfileid in (table abandoned)
         returning r.importfileid as id, f.createdpersonid as personid, r.state`,
        [before, clock.now()],
      );
      await queue.send(
        transaction,
        runs.map(({ id, personid, state }) => ({
          messageId: randomUUID(),
          route: isAllQueued(state) ? 'importfile/endbatch' : 'importfile/import',
          parameters: { ID: id },
          personId: personid,
          correlationId: `housekeeping-${id}`,
          cause: [],
          label: `Import file ${id}`,
          ...queueIfKnown(settings, 'Import'),
        })),
      );
      return runs.length;
    });
  },
} as const;
