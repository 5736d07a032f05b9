import type { Context } from '../../../../../kernel/door/context.ts';
import { instanceKind } from './check-step.ts';

/**
 * Stores the template's type in the Object of a step that names a template, also if the type of its records was sent.
 * Object and ObjectID together identify the template.
 */
export async function normalizeStepObject(
  ctx: Context,
  values: Map<string, unknown>,
  id: number | undefined,
): Promise<void> {
  if (!values.has('object') && !values.has('objectid')) return;
  const [before] =
    id === undefined
      ? []
      : await ctx.db.query<{ object: string | null; objectid: number | null }>(
          'select object, objectid from decisionsteptemplate where decisionsteptemplateid = $1::bigint',
          [id],
        );
  const object = values.has('object') ? values.get('object') : before?.object;
  const objectId = values.has('objectid') ? values.get('objectid') : before?.objectid;
  const kind = typeof object === 'string' && typeof objectId === 'number' ? instanceKind(ctx, object) : undefined;
  if (kind) values.set('object', kind.of.name);
}
