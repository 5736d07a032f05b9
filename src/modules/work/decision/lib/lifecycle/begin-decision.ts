import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { templateById } from '../../../../../kernel/records/save/template.ts';
import { currentVersion } from '../template/versions.ts';

/** What a workflow that is made knows from the beginning: the version that it goes by, and that it has started. */
export async function beginDecision(ctx: Context, values: Map<string, unknown>): Promise<void> {
  const templateId = values.get('decisiontemplateid');
  if (typeof templateId !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Template',
      message: 'Template: a workflow is made from a template; send its name as Template, or DecisionTemplateID.',
    });
  const of = ctx.registry.requireRecord('DecisionTemplate', 'DecisionTemplateID');
  const template = await templateById(ctx, of, templateId, 'DecisionTemplateID');
  assertApplies(ctx, template.appliesTo, values.get('object'));
  values.set('decisiontemplateversionid', await currentVersion(ctx, templateId));
  const now = ctx.clock.now();
  const start = (values.get('actualstart') as string | null | undefined) ?? now;
  values.set('actualstart', start);
  if ((values.get('estimatedstart') ?? null) === null) values.set('estimatedstart', start);
  if ((values.get('status') ?? null) === null) values.set('status', 'In Progress');
  values.set('stepsequence', 0);
}

function assertApplies(ctx: Context, appliesTo: string | null, object: unknown): void {
  if (appliesTo === null) return;
  const wanted = ctx.registry.record(appliesTo);
  const parent = typeof object === 'string' ? ctx.registry.record(object) : undefined;
  for (let at = parent; at; at = at.base) if (at === wanted) return;
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Object',
    message: `Object: the workflow is for ${appliesTo} records${parent ? `, not for ${parent.name}` : ''}.`,
  });
}

/** Statuses that end a workflow: they come with what ends it, or its steps would go on behind a status that says otherwise. */
const finalStatuses = new Set(['canceled', 'cancelled', 'complete', 'completed', 'closed', 'rejected', 'restart']);

/** Refuses a status that only the end of a workflow brings. */
export function assertNoFinalStatus(values: ReadonlyMap<string, unknown>): void {
  const status = values.get('status');
  if (typeof status !== 'string' || !finalStatuses.has(status.trim().toLowerCase())) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'Status',
    message: `Status: a workflow is not ${status.trim()} by a save. decision/cancel ends it with any Status, skipforward and its steps complete it.`,
  });
}
