import type { Db } from '../../../../kernel/database/store.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';

/** Most steps returned for each task. */
const STEPS_MAX = 10;

/**
 * Returns by task the names of the steps of its workflow that depend on its step and have not started. One statement
 * for a page of items.
 */
export async function stepsWaitingForTasks(
  db: Db,
  taskIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (taskIds.length === 0) return new Map();
  const rows = await db.query<{ id: number; steps: readonly string[] }>(
    `select t.importformid as id, waiting.steps
     from importform t
     join decisionstep s on s.decisionstepid = t.decisionstepid
     cross join lateral (
       select coalesce(array_to_json(array(
         select next.decisionsteptemplate
         from decisiondependency d
         join decisionsteptemplate next on next.decisionsteptemplateid = d.decisionsteptemplateid
         where d.dependencysteptemplateid = s.decisionsteptemplateid
           and next.decisionsteptemplate is not null
           and not exists (
             select from decisionstep started
             where started.decisionid = s.decisionid and started.decisionsteptemplateid = d.decisionsteptemplateid
           )
         order by next.sequence nulls last, next.decisionsteptemplateid
         limit ${STEPS_MAX}
       )), '[]') as steps
     ) waiting
     where t.importformid = any($1::bigint[])`,
    [arrayLiteral(taskIds)],
  );
  return new Map(rows.map(({ id, steps }) => [id, [...new Set(steps)]]));
}
