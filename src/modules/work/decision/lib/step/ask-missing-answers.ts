import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { isOpenStep } from '../../../lib/open.ts';
import type { Task } from '../../../importform/importform.record.ts';
import { templateById } from '../../../../../kernel/records/save/template.ts';
import { lockWorkflows } from '../pass/stored-steps.ts';
import { completeWaitingSteps } from './complete-waiting-steps.ts';

interface WaitingStep {
  readonly id: number;
  readonly decision: number;
}

/**
 * Asks people for the answers that a reported task does not have: a second, open task of its type takes its place in
 * the workflows that wait for it, with the answers that it has. The reported task stays complete; the workflows
 * continue when the second one is complete, so no if/then step decides without an answer. Does nothing if no workflow
 * waits. Where the case can have only one task of the type, the workflows continue at once.
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
  const templates = ctx.registry.recordType('ImportFormTemplate');
  const template = await templateById(ctx, templates, task.ImportFormTemplateID, 'ImportFormTemplateID');
  if (template.repeatable === 'One') return completeWaitingSteps(ctx, 'ImportForm', task.ImportFormID);
  const follow = await ctx.actingAs('Workflow', (own) => createFollowUp(own, task, first.id, missing));
  await ctx.transaction().elevated(async (db) => {
    const values = [arrayLiteral(waiting.map(({ id }) => id)), follow, ctx.clock.now(), task.ImportFormID] as const;
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

/** Creates the task with the open questions, and a note on it that says why it is there. Returns its id. */
async function createFollowUp(own: Context, task: Task, stepId: number, missing: readonly string[]): Promise<number> {
  const { row } = await own.call('importform/save', {
    ImportFormTemplateID: Number(task.ImportFormTemplateID),
    ...(task.ImportForm === null ? {} : { ImportForm: task.ImportForm }),
    Object: String(task.Object),
    ObjectID: Number(task.ObjectID),
    DecisionStepID: stepId,
    ...(task.XmlData === null ? {} : { XmlData: task.XmlData }),
    ...(task.EstimatedStart === null ? {} : { EstimatedStart: task.EstimatedStart }),
    ...(task.EstimatedCompletion === null ? {} : { EstimatedCompletion: task.EstimatedCompletion }),
    ...(task.AssignedCollectionID === null ? {} : { AssignedCollectionID: task.AssignedCollectionID }),
  });
  await own.call('message/save', {
    Object: 'ImportForm',
    ObjectID: row.ImportFormID,
    Message: `Reported complete on ${String(task.ActualCompletion).slice(0, 10)}; answers are missing`,
    BodyText:
      `The law firm reported task ${task.ImportFormID} complete without the required answers: ${missing.join(', ')}. ` +
      'Answer them here and complete this task; the workflow then continues.',
  });
  return row.ImportFormID;
}
