import { isOpenStep } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import { advanceAndReport } from '../pass/advance.ts';
import type { PassCommand } from '../pass/pass-command.ts';
import { lockWorkflows } from '../pass/stored-steps.ts';

/** Most workflows that can wait for one record. */
const WAITING_MAX = 100;

/**
 * Completes the steps that wait for a record and returns whether one is on hold. The caller need not have access to the
 * workflow. With `isNotice`, steps of a workflow on hold complete when the hold ends; otherwise the hold refuses it.
 * @throws STATE_REFUSES if a workflow is on hold or canceled
 */
export async function completeWaitingSteps(
  ctx: Context,
  object: string,
  objectId: number,
  isNotice = false,
): Promise<boolean> {
  const waiting = await ctx.transaction().elevated((db) => lockWaitingSteps(db, object, objectId));
  let isHeld = false;
  for (const { decision, steps: ids } of waiting) {
    const command: PassCommand = { kind: 'complete', ids, ...(isNotice && { isNotice }) };
    const { result } = await advanceAndReport(ctx, decision, [command]);
    isHeld ||= result === 'held';
  }
  return isHeld;
}

interface WaitingSteps {
  readonly decision: number;
  readonly steps: number[];
}

/** The open steps that a task belongs to. */
const STEPS_OF_TASK = `union
       select s.decisionid, s.decisionstepid
       from importform i
       join decisionstep s on s.decisionstepid = i.decisionstepid
       where i.importformid = $2::bigint and ${isOpenStep('s')}`;

/**
 * Returns the open steps that wait for a record, by workflow. Locks all those workflows before the first one advances.
 */
async function lockWaitingSteps(db: Db, object: string, objectId: number): Promise<readonly WaitingSteps[]> {
  const waiting = await db.query<WaitingSteps>(
    `select decisionid as decision, json_agg(decisionstepid order by decisionstepid) as steps
     from (
       select decisionid, decisionstepid
       from decisionstep
       where object = $1::text
         and objectid = $2::bigint
         and ${isOpenStep()}
       ${object === 'ImportForm' ? STEPS_OF_TASK : ''}
     ) waiting
     group by decisionid
     order by decisionid desc
     limit ${WAITING_MAX}`,
    [object, objectId],
  );
  if (waiting.length > 1)
    await lockWorkflows(
      db,
      waiting.map(({ decision }) => decision),
    );
  return waiting;
}
