import type { Context } from '../../../../../kernel/door/context.ts';
import { namesHint, PlatformError } from '../../../../../kernel/door/errors.ts';
import type { decisionDependency } from '../../../records/decisiondependency.record.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';

const BY_ID = 'decisionsteptemplateid = $2::bigint';
const BY_NAME = 'decisionsteptemplate = $2::text collate casewright_text';

/** Resolves the two steps of a dependency within their workflow, and stores their IDs and names. */
export async function checkDependency(
  ctx: Context,
  values: Values<typeof decisionDependency>,
  id: number | undefined,
): Promise<void> {
  const before =
    id === undefined
      ? undefined
      : (
          await ctx.db.query<{ template: number }>(
            'select decisiontemplateid as template from decisiondependency where decisiondependencyid = $1::bigint',
            [id],
          )
        )[0];
  const templateId = values.DecisionTemplateID ?? before?.template;
  if (typeof templateId !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'DecisionTemplateID',
      message: 'DecisionTemplateID is required: the workflow template of the dependency.',
    });
  const found = [
    await resolveStep(ctx, values, 'DecisionStepTemplate', { templateId, isRequired: id === undefined }),
    await resolveStep(ctx, values, 'DependencyStepTemplate', { templateId, isRequired: id === undefined }),
  ];
  if (found[0] !== undefined && found[0] === found[1])
    throw new PlatformError('BAD_PARAMETER', {
      field: 'DependencyStepTemplate',
      message: 'DependencyStepTemplate: a step cannot depend on itself.',
    });
  if (values.GroupNumber === undefined && id === undefined) values.GroupNumber = 0;
}

async function resolveStep(
  ctx: Context,
  values: Values<typeof decisionDependency>,
  field: 'DecisionStepTemplate' | 'DependencyStepTemplate',
  { templateId, isRequired }: { readonly templateId: number; readonly isRequired: boolean },
): Promise<number | undefined> {
  const name = values[field];
  const id = values[`${field}ID`];
  if (typeof id !== 'number' && (typeof name !== 'string' || name === '')) {
    if (!isRequired && name === undefined && id === undefined) return undefined;
    throw new PlatformError('MISSING_PARAMETER', { field, message: `${field} is required: a step of the workflow.` });
  }
  const [step] = await ctx.db.query<{ id: number; name: string }>(
    `select decisionsteptemplateid as id, decisionsteptemplate as name
     from decisionsteptemplate
     where decisiontemplateid = $1::bigint
       and ${typeof id === 'number' ? BY_ID : BY_NAME}`,
    [templateId, typeof id === 'number' ? id : name],
  );
  if (!step) throw await unknownStep(ctx, templateId, field, String(typeof id === 'number' ? id : name));
  values[field] = step.name;
  values[`${field}ID`] = step.id;
  return step.id;
}

async function unknownStep(ctx: Context, templateId: number, field: string, named: string): Promise<PlatformError> {
  const rows = await ctx.db.query<{ name: string }>(
    `select coalesce(decisionsteptemplate, '') as name
     from decisionsteptemplate
     where decisiontemplateid = $1::bigint
     order by decisionsteptemplateid
     limit 1000`,
    [templateId],
  );
  const names = rows.map(({ name }) => name);
  return new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: the workflow has no step "${named.slice(0, 100)}".` + namesHint(named, names),
  });
}
