import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';

export const operation = defineOperation({
  module: 'securelink',
  name: 'Revoke',
  method: 'POST',
  summary: 'Revokes secure links: the given ones, or all of a message. They can then no longer be used.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'MessageSave',
  names: 'MessageID',
  params: {
    MessageID: required(f.id({ doc: 'The message.', to: 'Message' })),
    ID: f.idList({ doc: 'Only these links of the message.', max: 1_000 }),
  },
  returns: { Revoked: required(f.integer({ doc: 'How many links worked until now.' })) },
  answerName: 'RevokedLinks',
  errors: ['NOT_FOUND'],
  source: 'decisions, SecureDelivery',
});

export const run = handle(operation, async (ctx, { MessageID, ID }) => {
  return item('RevokedLinks', operation.returns, { Revoked: await revoke(ctx, MessageID, ID ?? []) });
});

/** Revokes links of a message, all without `ids`, and returns how many worked. Throws NOT_FOUND. */
async function revoke(ctx: Context, messageId: number, ids: readonly number[]): Promise<number> {
  const links = await ctx.db.query<{ id: number }>(
    'select securelinkid as id from securelink where messageid = $1::bigint for update',
    [messageId],
  );
  const missing = ids.find((id) => !links.some((link) => link.id === id));
  if (missing !== undefined)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `ID: the message has no secure link ${missing}.` });
  const revoked = await ctx.db.query(
    `update securelink set revokeddate = $2::timestamptz, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = version + 1
     where securelinkid = any($1::bigint[]) and revokeddate is null
     returning securelinkid`,
    [arrayLiteral(ids.length > 0 ? ids : links.map(({ id }) => id)), ctx.clock.now(), ctx.user.personId],
  );
  return revoked.length;
}
