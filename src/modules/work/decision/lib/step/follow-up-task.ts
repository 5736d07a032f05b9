import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { templateById } from '../../../../../kernel/records/save/template.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import type { Task } from '../../../importform/importform.record.ts';
import { missingFromTask } from '../../../importform/lib/missing-answers.ts';

/** The task that asks for the answers missing from a task that was reported complete. */
export interface FollowUp {
  readonly id: number;
  /** Whether it has been completed already, for another workflow. */
  readonly isComplete: boolean;
}

/** What happens to a step whose task was completed without required answers. */
export type RequiredAnswers =
  /** It waits for the follow-up task, or completes with it. */
  | { readonly kind: 'waits' | 'answered'; readonly task: number }
  | { readonly kind: 'failed'; readonly error: PlatformError };

/**
 * Asks people for the answers that a complete task does not have, if any: event files complete tasks without them.
 * Returns undefined if the step can complete with the task as it is.
 */
export async function requireAnswers(
  ctx: Context,
  taskId: number,
  stepId: number,
): Promise<RequiredAnswers | undefined> {
  const task = await readTask(ctx, taskId);
  const missing = await missingFromTask(ctx, task);
  if (missing.length === 0) return undefined;
  const follow = await followUpOf(ctx, task, stepId, missing);
  if (!follow) return { kind: 'failed', error: answersRequired(taskId, missing) };
  return { kind: follow.isComplete ? 'answered' : 'waits', task: follow.id };
}

/** Throws STATE_REFUSES if a complete task does not have all required answers. */
export async function assertHasAnswers(ctx: Context, taskId: number): Promise<void> {
  const missing = await missingFromTask(ctx, await readTask(ctx, taskId));
  if (missing.length > 0) throw answersRequired(taskId, missing);
}

/** The failure of a step whose task is the only one of its type that the case can have. */
export function answersRequired(taskId: number, missing: readonly string[]): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'ImportFormID',
    message:
      `Task ${taskId} was reported complete without required answers: ${missing.join(', ')}. A case can have only ` +
      'one task of this type: answer them in it, then retry the step.',
    details: { ImportFormID: taskId },
  });
}

/**
 * Returns the task that asks for the answers missing from a reported one, created unless another workflow has asked for
 * them. Undefined if the case can have only one task of the type. Call it as the user Workflow.
 */
export async function followUpOf(
  own: Context,
  task: Task,
  stepId: number,
  missing: readonly string[],
): Promise<FollowUp | undefined> {
  if (task.ImportFormTemplateID === null) return undefined;
  const templates = own.registry.recordType('ImportFormTemplate');
  const template = await templateById(own, templates, task.ImportFormTemplateID, 'ImportFormTemplateID');
  if (template.repeatable === 'One') return undefined;
  const [existing] = await own.db.query<FollowUp>(
    `select importformid as id, actualcompletion is not null as "isComplete"
     from importform
     where object = $1::text and objectid = $2::bigint and importformtemplateid = $3::bigint and isfollowup
       and importformid > $4::bigint and canceleddate is null
     order by 1
     limit 1`,
    [task.Object, task.ObjectID, task.ImportFormTemplateID, task.ImportFormID],
  );
  return existing ?? { id: await createFollowUp(own, task, stepId, missing), isComplete: false };
}

/** Creates the task with the open questions, and a note on it that says why it is there. Returns its id. */
async function createFollowUp(own: Context, task: Task, stepId: number, missing: readonly string[]): Promise<number> {
  const { row } = await own.call('importform/save', {
    ImportFormTemplateID: Number(task.ImportFormTemplateID),
    ...(task.ImportForm === null ? {} : { ImportForm: task.ImportForm }),
    Object: String(task.Object),
    ObjectID: Number(task.ObjectID),
    DecisionStepID: stepId,
    IsFollowUp: true,
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

function readTask(ctx: Context, taskId: number): Promise<Task> {
  return readRecord(ctx.db, ctx.registry.recordType('ImportForm'), taskId);
}
