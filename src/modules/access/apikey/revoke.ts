import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';

export const operation = defineOperation({
  module: 'apikey',
  name: 'Revoke',
  method: 'POST',
  summary:
    'Revokes an API key. All processes refuse it within a second. A key that is already revoked is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The key.' })) },
  returns: 'item',
  errors: ['NOT_FOUND'],
  source: '1-core §5',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const before = namedRow(ctx, ctx.record);
  if (before.RevokedDate !== null) return recordItem(ctx.record, before);
  const row = await updateRow(ctx, ctx.record, ID, { Status: 'Revoked', RevokedDate: ctx.clock.now() });
  await ctx.security({ event: 'KeyRevoked', object: 'ApiKey', objectId: ID });
  return recordItem(ctx.record, row);
});
