import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { isOpenStep } from '../../../lib/open.ts';
import type { Task } from '../../../importform/importform.record.ts';
import { lockWorkflows } from '../pass/stored-steps.ts';
import { advance } from '../pass/advance.ts';
import { answersRequired, followUpOf } from './follow-up-task.ts';

interface WaitingStep {
  readonly id: number;
  readonly decision: number;
}

/**
 * Asks people for the answers that a reported task does not have: a second, open task of its type takes its place in
 * the workflows that wait for it, with the answers that it has. The reported task stays complete; the workflows
 * continue when the second one is complete, so no if/then step decides without an answer. Does nothing if no workflow
 * waits. Where the case can have only one task of the type, the steps fail, for people to answer that one.
 */
export async function askMissingAnswers(ctx: Context, task: Task, missing: readonly string[]): Promise<void> {
  const waiting = await ctx.transaction().elevated(async (db) => {
    const steps = (): Promise<WaitingStep[]> =>
      db.query<WaitingStep>(
        `select s.decisionstepid as id, s.decisionid as decision
         from decisionstep s
         where ((s.object = 'ImportForm' and s.objectid = $1::bigint)
             or s.decisionstepid = (select decisionstepid from importform where importformid = $1::bigint))
           and ${isOpenStep('s')}
         order by 1`,
        [task.ImportFormID],
      );
    const found = await steps();
    if (found.length === 0) return [];
    await lockWorkflows(db, [...new Set(found.map(({ decision }) => decision))]);
    return steps();
  });
  const [first] = waiting;
  if (!first || task.ImportFormTemplateID === null) return;
  const follow = await ctx.actingAs('Workflow', (own) => followUpOf(own, task, first.id, missing));
  if (!follow) {
    for (const { decision, ids } of byWorkflow(waiting))
      await advance(ctx, decision, [
        { kind: 'fail', ids, error: answersRequired(task.ImportFormID, missing), suppressNotification: true },
      ]);
    return;
  }
  await ctx.transaction().elevated(async (db) => {
    const values = [arrayLiteral(waiting.map(({ id }) => id)), follow.id, ctx.clock.now(), task.ImportFormID] as const;
    await db.query(
      `update decisionstep set object = 'ImportForm', objectid = $2::bigint, updateddate = $3::timestamptz,
         version = version + 1
       where decisionstepid = any($1::bigint[])
         and (object is null or (object = 'ImportForm' and objectid = $4::bigint))`,
      values,
    );
    await db.query(
      `update importform set decisionstepid = null, updateddate = $2::timestamptz, version = version + 1
       where importformid = $1::bigint and decisionstepid is not null`,
      [task.ImportFormID, ctx.clock.now()],
    );
  });
}

/** Groups steps by their workflow. */
function byWorkflow(steps: readonly WaitingStep[]): readonly { readonly decision: number; readonly ids: number[] }[] {
  return [...Map.groupBy(steps, ({ decision }) => decision)].map(([decision, of]) => ({
    decision,
    ids: of.map(({ id }) => id),
  }));
}
