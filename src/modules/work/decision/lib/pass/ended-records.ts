import { isOpenStep } from '../../../lib/open.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import type { StepState } from './stored-steps.ts';

/** Whether a step may be waiting for a task or a workflow. */
export function waitsForRecord({ status, completion, canceled }: StepState): boolean {
  return status === 'Pending' && completion === null && !canceled;
}

/** SQL: whether the workflow that a step waits for is complete. `step` is the alias of the step. */
export const hasCompleteWorkflow = (step: string): string => `(
  exists (
    select 1
    from decision child
    where ${step}.object = 'Decision'
      and child.decisionid = ${step}.objectid
      and child.actualcompletion is not null
      and child.canceleddate is null
  )
  or exists (
    select 1
    from decision child
    where ${step}.object is distinct from 'Decision'
      and child.parentdecisionstepid = ${step}.decisionstepid
      and child.actualcompletion is not null
      and child.canceleddate is null
  )
)`;

/** A step that waits for a task or a workflow which is complete. */
export interface EndedStep {
  readonly id: number;
  /** The complete task; null for a workflow. */
  readonly task: number | null;
}

/**
 * Returns the unfinished steps of a workflow that wait for a task or a workflow which is complete. Bulk imports
 * complete tasks without the reaction of a save, and a workflow on hold takes no notice of what ends meanwhile. A step
 * that runs again has several tasks or workflows: it waits for the one that it created last.
 */
export async function stepsOfEndedRecords(db: Db, decisionId: number): Promise<readonly EndedStep[]> {
  return db.query<EndedStep>(
    `select s.decisionstepid as id, task.id as task
     from decisionstep s
     left join lateral (
       select f.importformid as id
       from importform f
       where s.object = 'ImportForm' and f.importformid = s.objectid and f.actualcompletion is not null
       union all
       select f.importformid
       from importform f
       where s.object is distinct from 'ImportForm'
         and f.decisionstepid = s.decisionstepid
         and f.actualcompletion is not null
       order by 1 desc
       limit 1
     ) task on true
     where s.decisionid = $1::bigint
       and s.status = 'Pending'
       and ${isOpenStep('s')}
       and (task.id is not null or ${hasCompleteWorkflow('s')})
     order by 1`,
    [decisionId],
  );
}
