import { isOpenStep } from '../../../lib/open.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import type { StepState } from './stored-steps.ts';

/** Whether a step may be waiting for a task. */
export function waitsForTask({ status, completion, canceled }: StepState): boolean {
  return status === 'Pending' && completion === null && !canceled;
}

/**
 * Returns the unfinished steps of a workflow whose task is complete. Bulk imports complete tasks without the reaction
 * of a save, and a workflow on hold ignores it.
 */
export async function stepsOfCompletedTasks(db: Db, decisionId: number): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(
    `select s.decisionstepid as id
     from decisionstep s
     where s.decisionid = $1::bigint
       and s.status = 'Pending'
       and ${isOpenStep('s')}
       and (
         exists (
           select 1
           from importform f
           where s.object = 'ImportForm' and f.importformid = s.objectid and f.actualcompletion is not null
         )
         or exists (
           select 1
           from importform f
           where f.decisionstepid = s.decisionstepid and f.actualcompletion is not null
         )
       )
     order by 1`,
    [decisionId],
  );
  return rows.map(({ id }) => id);
}
