import type { Context } from '../../../../kernel/door/context.ts';
import { scratch } from '../../../../kernel/door/scratch.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { saveFromConfiguration } from '../../../../kernel/records/save/save.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import type { Hold } from '../decisiondelay.record.ts';

/** Parameters for the task of the next hold that the transaction creates. A reaction to the hold creates the task. */
const nextTask = scratch('task of the next hold', (): { parameters: Parameters } => ({ parameters: {} }));

/** Creates a hold whose task gets the given parameters. */
export async function withTask<T>(ctx: Context, task: Parameters, make: () => Promise<T>): Promise<T> {
  const next = ctx.scratch(nextTask);
  next.parameters = task;
  try {
    return await make();
  } finally {
    next.parameters = {};
  }
}

/** Returns the parameters for the task of the hold that has just been created. A hold that follows it gets none. */
function takeTaskParameters(ctx: Context): Parameters {
  const next = ctx.scratch(nextTask);
  const { parameters } = next;
  next.parameters = {};
  return parameters;
}

/** Rejects unknown parameters of a hold whose type has no task to receive them, as any save does. */
export async function assertTaskAccepts(ctx: Context, hold: Parameters, task: Parameters): Promise<void> {
  if (Object.keys(task).length === 0) return;
  const plan = planSave(ctx.registry, ctx.registry.recordType('DecisionDelay'), hold, planOptions(ctx));
  const { Object: object, DecisionDelayTemplateID: sent, ActualCompletion: completion } = plan.values;
  const named =
    plan.templateName === undefined
      ? undefined
      : (
          await findTemplate(ctx, ctx.registry.recordType('DecisionDelayTemplate'), {
            name: plan.templateName,
            parentClass: typeof object === 'string' ? object : undefined,
            field: 'Template',
          })
        ).id;
  const templateId = named ?? (typeof sent === 'number' ? sent : undefined);
  const has =
    templateId !== undefined && (await taskTemplateOf(ctx, templateId)) !== null && (completion ?? null) === null;
  if (!has) planSave(ctx.registry, ctx.registry.recordType('DecisionDelay'), task, planOptions(ctx));
}

async function taskTemplateOf(ctx: Context, templateId: number): Promise<number | null> {
  const [row] = await ctx.db.query<{ task: number | null }>(
    'select importformtemplateid as task from decisiondelaytemplate where decisiondelaytemplateid = $1::bigint',
    [templateId],
  );
  return row?.task ?? null;
}

/** Creates the task of a hold below its case, with the parameters sent for it. */
export async function makeTask(ctx: Context, hold: Hold): Promise<void> {
  const parameters = takeTaskParameters(ctx);
  const { DecisionDelayTemplateID: templateId, Object: object, ObjectID: objectId } = hold;
  if (typeof templateId !== 'number' || typeof object !== 'string' || typeof objectId !== 'number') return;
  const task = await taskTemplateOf(ctx, templateId);
  if (task === null) return;
  await saveFromConfiguration(ctx, ctx.registry.recordType('ImportForm'), {
    ...parameters,
    ImportFormTemplateID: task,
    Object: object,
    ObjectID: objectId,
  });
}
