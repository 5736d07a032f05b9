import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { notFound } from '../../../../kernel/records/search/read.ts';

/** The parameters of a new hold, split by record. */
export interface HoldParameters {
  /** Parameters of the hold. */
  readonly hold: Parameters;
  /** Parameters that a hold does not have, for its task. */
  readonly task: Parameters;
}

const TASK_PREFIX = 'importform_';

/** Splits parameters: those that a hold has are its own, unless prefixed for the task. */
export function splitParameters(ctx: Context, sent: Parameters): HoldParameters {
  const hold: Record<string, RawValue> = {};
  const task: Record<string, RawValue> = {};
  for (const [name, value] of Object.entries(sent)) (isOfHold(ctx, name, value) ? hold : task)[name] = value;
  return { hold, task };
}

function isOfHold(ctx: Context, name: string, value: RawValue): boolean {
  if (name.toLowerCase().startsWith(TASK_PREFIX)) return false;
  try {
    planSave(ctx.registry, ctx.registry.recordType('DecisionDelay'), { [name]: value }, planOptions(ctx));
    return true;
  } catch (error) {
    // An invalid value is reported when the hold is saved.
    return !(error instanceof PlatformError && error.code === 'UNKNOWN_PARAMETER');
  }
}

/** Adds the record of the workflow that a new hold names by DecisionID or as the parent of the route. */
export async function withWorkflow(ctx: Context, hold: Parameters): Promise<Parameters> {
  const { values } = planSave(ctx.registry, ctx.registry.recordType('DecisionDelay'), hold, planOptions(ctx));
  const isParent = values.Object?.toLowerCase() === 'decision';
  const id = isParent ? values.ObjectID : values.DecisionID;
  if (typeof id !== 'number') return hold;
  // With the caller's rights: a workflow that the caller cannot access does not exist.
  const [workflow] = await ctx.db.query<{ object: string | null; objectId: number | null }>(
    'select object, objectid as "objectId" from decision where decisionid = $1::bigint',
    [id],
  );
  if (!workflow) throw notFound({ name: 'Workflow' }, id, 'DecisionID');
  const place = (name: string): boolean => isParent && /^(?:decisiondelay_)?object(?:id)?$/i.test(name);
  const sent = Object.fromEntries(Object.entries(hold).filter(([name]) => !place(name)));
  return {
    ...sent,
    DecisionID: id,
    ...(workflow.object === null || workflow.objectId === null || (!isParent && values.Object !== undefined)
      ? {}
      : { Object: workflow.object, ObjectID: workflow.objectId }),
  };
}

/**
 * Resolves `DecisionDelay` of a new hold as its type's name, unless the type is given otherwise. Then it is the hold's
 * own name.
 */
export async function withTemplate(ctx: Context, hold: Parameters): Promise<Parameters> {
  const plan = planSave(ctx.registry, ctx.registry.recordType('DecisionDelay'), hold, planOptions(ctx));
  const { DecisionDelay: name, DecisionDelayTemplateID: templateId, Object: object } = plan.values;
  if (
    typeof name !== 'string' ||
    name.trim() === '' ||
    plan.templateName !== undefined ||
    typeof templateId === 'number'
  )
    return hold;
  const template = await findTemplate(ctx, ctx.registry.recordType('DecisionDelayTemplate'), {
    name: name.trim(),
    parentClass: typeof object === 'string' ? object : undefined,
    field: 'DecisionDelay',
  });
  const sent = Object.fromEntries(
    Object.entries(hold).filter(([key]) => !/^(?:decisiondelay_)?decisiondelay$/i.test(key)),
  );
  return { ...sent, DecisionDelayTemplateID: template.id };
}
