import type { Context } from '../../../../../kernel/door/context.ts';
import { instanceKind } from './check-step.ts';
import { decisionStepTemplate } from '../../../records/decisionsteptemplate.record.ts';
import { valueAfter, type Values } from '../../../../../kernel/declare/values.ts';
import { readColumns } from '../../../../../kernel/records/search/read.ts';

/**
 * Stores the template's type in the Object of a step that names a template, also if the type of its records was sent.
 * Object and ObjectID together identify the template.
 */
export async function normalizeStepObject(
  ctx: Context,
  values: Values<typeof decisionStepTemplate>,
  id: number | undefined,
): Promise<void> {
  if (values.Object === undefined && values.ObjectID === undefined) return;
  const names = ['Object', 'ObjectID'] as const;
  const before = id === undefined ? undefined : await readColumns(ctx.db, decisionStepTemplate, id, names);
  const object = valueAfter(values, before, 'Object');
  const objectId = valueAfter(values, before, 'ObjectID');
  const kind = typeof object === 'string' && typeof objectId === 'number' ? instanceKind(ctx, object) : undefined;
  if (kind) values.Object = kind.of.name;
}
