import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';

/** What a new hold is sent with, taken apart. */
export interface HoldParameters {
  /** The hold's own. */
  readonly hold: Parameters;
  /** What a hold does not know, for the task that comes with it. */
  readonly task: Parameters;
}

const TASK_PREFIX = 'importform_';

/** A parameter is the hold's where the hold knows it, unless it says by its prefix that it is the task's. */
export function splitParameters(ctx: Context, sent: Parameters): HoldParameters {
  const hold: Record<string, RawValue> = {};
  const task: Record<string, RawValue> = {};
  for (const [name, value] of Object.entries(sent)) (isOfHold(ctx, name, value) ? hold : task)[name] = value;
  return { hold, task };
}

function isOfHold(ctx: Context, name: string, value: RawValue): boolean {
  if (name.toLowerCase().startsWith(TASK_PREFIX)) return false;
  try {
    planSave(ctx.registry, ctx.record, { [name]: value }, planOptions(ctx));
    return true;
  } catch (error) {
    // A value that a column does not take is told when the hold is saved.
    return !(error instanceof PlatformError && error.code === 'UNKNOWN_PARAMETER');
  }
}

/** The workflow that a new hold names, by DecisionID or as the parent of the route; as the hold's own parameters say it then. */
export async function withWorkflow(ctx: Context, hold: Parameters): Promise<Parameters> {
  const plan = planSave(ctx.registry, ctx.record, hold, planOptions(ctx));
  const isParent =
    typeof plan.values.get('object') === 'string' && String(plan.values.get('object')).toLowerCase() === 'decision';
  const id = plan.values.get(isParent ? 'objectid' : 'decisionid');
  if (typeof id !== 'number') return hold;
  // As the caller: a workflow that he does not reach is not there.
  const [workflow] = await ctx.db.query<{ object: string | null; objectId: number | null }>(
    'select object, objectid as "objectId" from decision where decisionid = $1::bigint',
    [id],
  );
  if (!workflow)
    throw new PlatformError('NOT_FOUND', {
      field: 'DecisionID',
      message: `DecisionID: there is no Decision ${id} within reach.`,
    });
  const place = (name: string): boolean => isParent && /^(?:decisiondelay_)?object(?:id)?$/i.test(name);
  const sent = Object.fromEntries(Object.entries(hold).filter(([name]) => !place(name)));
  return {
    ...sent,
    DecisionID: id,
    ...(workflow.object === null || workflow.objectId === null || (!isParent && plan.values.has('object'))
      ? {}
      : { Object: workflow.object, ObjectID: workflow.objectId }),
  };
}

/** `DecisionDelay` of a new hold names its template, unless the template is named otherwise: then it is the hold's own name. */
export async function withTemplate(ctx: Context, hold: Parameters): Promise<Parameters> {
  const plan = planSave(ctx.registry, ctx.record, hold, planOptions(ctx));
  const name = plan.values.get('decisiondelay');
  if (
    typeof name !== 'string' ||
    name.trim() === '' ||
    plan.templateName !== undefined ||
    typeof plan.values.get('decisiondelaytemplateid') === 'number'
  )
    return hold;
  const object = plan.values.get('object');
  const template = await findTemplate(ctx, ctx.registry.requireRecord('DecisionDelayTemplate', 'DecisionDelay'), {
    name: name.trim(),
    parentClass: typeof object === 'string' ? object : undefined,
    field: 'DecisionDelay',
  });
  const sent = Object.fromEntries(
    Object.entries(hold).filter(([key]) => !/^(?:decisiondelay_)?decisiondelay$/i.test(key)),
  );
  return { ...sent, DecisionDelayTemplateID: template.id };
}
