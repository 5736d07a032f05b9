import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { recipientsOf, settleRecipients, type DeliveryOfMessage } from '../lib/outcome/recipient-outcomes.ts';

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'Cancel',
  method: 'POST',
  summary: 'Cancels emails that wait to be sent. One that is being sent or has ended is skipped with a warning.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The deliveries.' })) },
  returns: { Canceled: required(f.integer({ doc: 'How many emails were canceled.' })) },
  answerName: 'Cancel',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'docs/guides/operators/mail.md',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const rows = await ctx.db.query<DeliveryOfMessage>(
    `update maildelivery
     set status = 'Canceled', nextattempt = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint
     where maildeliveryid = any($1::bigint[]) and status = 'Waiting'
     returning maildeliveryid as id, messageid as message, messagerecipientid as recipient`,
    [arrayLiteral(ID), ctx.clock.now(), ctx.user.personId],
  );
  const canceled = new Set(rows.map(({ id }) => id));
  for (const id of ID)
    if (!canceled.has(id))
      ctx.alert({ code: 'STATE_REFUSES', id, text: `MailDelivery ${id} is being sent or has ended; it was skipped.` });
  if (canceled.size === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: none of the emails is waiting to be sent.',
    });
  await settleRecipients(ctx, recipientsOf(rows, 'Canceled', 'Canceled before it was sent.'));
  return item('Cancel', operation.returns, { Canceled: canceled.size });
});
