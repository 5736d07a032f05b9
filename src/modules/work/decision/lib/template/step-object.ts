import type { Context } from '../../../../../kernel/door/context.ts';
import { instanceKind } from './check-step.ts';
import type { decisionStepTemplate } from '../../../records/decisionsteptemplate.record.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';

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
  const [before] =
    id === undefined
      ? []
      : await ctx.db.query<{ object: string | null; objectid: number | null }>(
          'select object, objectid from decisionsteptemplate where decisionsteptemplateid = $1::bigint',
          [id],
        );
  const object = values.Object !== undefined ? values.Object : before?.object;
  const objectId = values.ObjectID !== undefined ? values.ObjectID : before?.objectid;
  const kind = typeof object === 'string' && typeof objectId === 'number' ? instanceKind(ctx, object) : undefined;
  if (kind) values.Object = kind.of.name;
}
