import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';

export const operation = defineOperation({
  module: 'securelink',
  name: 'Revoke',
  method: 'POST',
  summary: 'Revokes secure links: the given ones, or all of a message. From then on nobody can read by them.',
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
  const ids = ID === undefined || ID === null || ID.length === 0 ? null : ID;
  const links = await ctx.transaction().elevated((db) =>
    db.query<{ id: number; revoked: boolean }>(
      `update securelink set revokeddate = coalesce(revokeddate, $3::timestamptz), updateddate = $3::timestamptz,
         updatedpersonid = $4::bigint, version = version + 1
       where messageid = $1::bigint and ($2::bigint[] is null or securelinkid = any($2::bigint[]))
       returning securelinkid as id, revokeddate = $3::timestamptz as revoked`,
      [MessageID, ids === null ? null : arrayLiteral(ids), ctx.clock.now(), ctx.user.personId],
    ),
  );
  const missing = ids?.find((id) => !links.some((link) => link.id === id));
  if (missing !== undefined)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `ID: the message has no secure link ${missing}.` });
  return item('RevokedLinks', operation.returns, { Revoked: links.filter(({ revoked }) => revoked).length });
});
