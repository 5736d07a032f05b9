import { item, shapeOf } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { mayUnmask } from '../../../kernel/security/identity.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { openText } from '../../../kernel/security/sealed-text.ts';

export const operation = defineOperation({
  module: 'scoreitem',
  name: 'Select',
  method: 'GET',
  summary:
    'Returns one value of a score. A value with a mask is returned masked; returning it in the clear ' +
    'requires the permission that its template names, and is written to the security log.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The value.' })),
    Unmask: f.boolean({ doc: 'Whether a masked value is returned in the clear, as Value.', default: false }),
  },
  secretAnswer: 'Unmask',
  returns: 'item',
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: '1-core §2, §4',
});

const more = { Value: f.text({ doc: 'For a value with a mask: the value in the clear.' }) };

export const run = handle(operation, async (ctx, { ID, Unmask }) => {
  const row = namedRow(ctx, ctx.record);
  const Value = Unmask ? await clearValue(ctx, ID) : undefined;
  const { shape } = item(ctx.record.name, more, {});
  return {
    kind: 'item',
    name: ctx.record.name,
    shape: Value === undefined ? shapeOf(ctx.record) : [...shapeOf(ctx.record), ...shape],
    row: Value === undefined ? row : { ...row, Value },
  };
});

/** Returns the unmasked value; undefined for an item without a mask, whose value is in its column. */
async function clearValue(ctx: Context, id: number): Promise<string | null | undefined> {
  const [stored] = await ctx.db.query<{ sealed: string | null; mask: string | null; permission: string | null }>(
    `select i.scoresealed as sealed, t.mask, t.unmaskpermission as permission
     from scoreitem i
     join scoreitemtemplate t using (scoreitemtemplateid)
     where i.scoreitemid = $1::bigint`,
    [id],
  );
  if (typeof stored?.mask !== 'string') return undefined;
  const permission = stored.permission?.trim() ?? '';
  if (!mayUnmask(ctx.user, permission))
    throw new PlatformError('NO_PERMISSION', {
      field: 'Unmask',
      message:
        permission === ''
          ? `Unmask: the value of ScoreItem ${id} cannot be unmasked: its template names no UnmaskPermission.`
          : `Unmask: the value of ScoreItem ${id} is unmasked only with the permission ${permission}.`,
    });
  await ctx.security({ event: 'ScoresUnmasked', object: 'ScoreItem', objectId: id });
  return stored.sealed === null ? null : openText(ctx.cipher, 'scoreitem', 'scoresealed', stored.sealed);
}
