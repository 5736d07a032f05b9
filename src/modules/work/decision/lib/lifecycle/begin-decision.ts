import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { templateById } from '../../../../../kernel/records/save/template.ts';
import { currentVersion } from '../template/versions.ts';
import type { decision } from '../../decision.record.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';

/** Sets what a new workflow starts with: its template version, its start and its status. */
export async function beginDecision(ctx: Context, values: Values<typeof decision>): Promise<void> {
  const templateId = values.DecisionTemplateID;
  if (typeof templateId !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Template',
      message: 'Template is required: the name of the workflow template, or DecisionTemplateID.',
    });
  const of = ctx.registry.recordType('DecisionTemplate');
  const template = await templateById(ctx, of, templateId, 'DecisionTemplateID');
  assertApplies(ctx, template.appliesTo, values.Object);
  values.DecisionTemplateVersionID = await currentVersion(ctx, templateId);
  const now = ctx.clock.now();
  const start = values.ActualStart ?? now;
  values.ActualStart = start;
  if ((values.EstimatedStart ?? null) === null) values.EstimatedStart = start;
  if ((values.Status ?? null) === null) values.Status = 'In Progress';
  values.StepSequence = 0;
}

function assertApplies(ctx: Context, appliesTo: string | null, object: unknown): void {
  if (appliesTo === null) return;
  const required = ctx.registry.record(appliesTo);
  const parent = typeof object === 'string' ? ctx.registry.record(object) : undefined;
  for (let at = parent; at; at = at.base) if (at === required) return;
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Object',
    message: `Object: the workflow is for ${appliesTo} records${parent ? `, not for ${parent.name}` : ''}.`,
  });
}

/** Statuses that end a workflow. Only the operations that end one may set them, or its steps would continue. */
const finalStatuses = new Set(['canceled', 'cancelled', 'complete', 'completed', 'closed', 'rejected', 'restart']);

/** Throws STATE_REFUSES for a Status that a save cannot set. */
export function assertNoFinalStatus(values: Values<typeof decision>): void {
  const status = values.Status;
  if (typeof status !== 'string' || !finalStatuses.has(status.trim().toLowerCase())) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'Status',
    message:
      `Status: a save cannot set ${status.trim()}. Use decision/cancel, which takes any Status, or ` +
      'decision/skipforward.',
  });
}
