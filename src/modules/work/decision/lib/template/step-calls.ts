import type { ConfiguredCall } from '../../../../../kernel/declare/call-source.ts';
import { isConfiguration, type RecordType } from '../../../../../kernel/declare/record.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { decisionTemplate } from '../../../decisiontemplate/decisiontemplate.record.ts';
import type { decisionStepTemplate } from '../../../records/decisionsteptemplate.record.ts';
import { instanceKind } from './check-step.ts';

type StepRow = Row<typeof decisionStepTemplate>;

const filled = (text: string | null): text is string => text !== null && text.trim() !== '';

/** Returns the calls of a stored step: its operation or the save of what it creates, its Method, its statuses. */
export async function stepCalls(ctx: Context, row: StepRow): Promise<readonly ConfiguredCall[]> {
  const calls: ConfiguredCall[] = [];
  const work = workOf(ctx, row);
  if (work) calls.push(work);
  if (filled(row.Method)) calls.push({ field: 'Method', signature: row.Method });
  const statuses = (['OnStartParentStatus', 'OnCompleteParentStatus'] as const).filter((field) => filled(row[field]));
  if (statuses.length === 0) return calls;
  const [template] = await ctx.db.query<{ appliesTo: string | null }>(
    'select appliesto as "appliesTo" from decisiontemplate where decisiontemplateid = $1::bigint',
    [row.DecisionTemplateID],
  );
  return [
    ...calls,
    ...statuses.flatMap((field) => statusCalls(ctx, { field, status: row[field] ?? '' }, template?.appliesTo ?? null)),
  ];
}

function workOf(ctx: Context, row: StepRow): ConfiguredCall | undefined {
  const { Object: object, Operation: operation, ObjectID: templateId, ObjectMatrixID: matrixId } = row;
  if (!filled(object)) return undefined;
  const parameters = row.Parameters ?? '';
  if (filled(operation)) return { field: 'Operation', signature: `${object}/${operation}?${parameters}` };
  const kind = instanceKind(ctx, object);
  const basis = `${templateId ?? ''} ${matrixId ?? ''}`;
  return kind && { field: 'Object', signature: `${kind.instance.module}/save?${parameters}`, basis };
}

/**
 * Returns the saves by which a workflow or hold sets the status of its record: of the types that it applies to, of any
 * type with a status where it does not say.
 */
export function statusCalls(
  ctx: Context,
  { field, status }: { readonly field: string; readonly status: string },
  appliesTo: string | null,
): readonly ConfiguredCall[] {
  const record = filled(appliesTo) ? ctx.registry.record(appliesTo) : undefined;
  const all = record ? ctx.registry.family(record) : ctx.registry.records().filter((each) => !isConfiguration(each));
  return all
    .filter((each: RecordType) => each.valueColumns.has('Status') && ctx.registry.find(each.module, 'save'))
    .map(({ module }) => ({ field, signature: `${module}/save?Status=${encodeURIComponent(status)}` }));
}

/** Returns the saves by which the steps of a workflow template set statuses: what it applies to decides which. */
export async function templateStatusCalls(
  ctx: Context,
  row: Row<typeof decisionTemplate>,
): Promise<readonly ConfiguredCall[]> {
  const steps = await ctx.db.query<{ status: string }>(
    `select distinct s.status
     from decisionsteptemplate t, unnest(array[t.onstartparentstatus, t.oncompleteparentstatus]) s (status)
     where t.decisiontemplateid = $1::bigint and trim(s.status) <> ''
     order by 1`,
    [row.DecisionTemplateID],
  );
  return steps.flatMap(({ status }) => statusCalls(ctx, { field: 'AppliesTo', status }, row.AppliesTo));
}
