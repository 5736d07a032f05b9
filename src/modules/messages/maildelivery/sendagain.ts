import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { recipientsOf, settleRecipients, type DeliveryOfMessage } from '../lib/outcome/recipient-outcomes.ts';
import { queueDeliveries } from './lib/queue-deliveries.ts';

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'SendAgain',
  method: 'POST',
  summary:
    'Sends emails once more to those recipients who may not have received them, under the same ' +
    'Message-ID. An email that is waiting, or that all recipients have received, is skipped with a warning.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The deliveries.' })) },
  returns: { SentAgain: required(f.integer({ doc: 'How many emails are sent again.' })) },
  answerName: 'SendAgain',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'docs/guides/operators/mail.md',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const rows = await ctx.db.query<DeliveryOfMessage>(
    `update maildelivery
     set status = 'Waiting', nextattempt = $2::timestamptz, slotdate = null, retryuntil = null,
       updateddate = $2::timestamptz,
       updatedpersonid = $3::bigint,
       recipients = (
         select jsonb_agg(
           case when r ->> 'Status' in ('Accepted', 'Delivered') then r else r || '{"Status": "Waiting"}' end
           order by n)
         from jsonb_array_elements(recipients) with ordinality as e (r, n))
     where maildeliveryid = any($1::bigint[]) and status in ('Failed', 'Partly', 'Unknown', 'Canceled')
       and mailcontentid is not null
     returning maildeliveryid as id, messageid as message, messagerecipientid as recipient`,
    [arrayLiteral(ID), ctx.clock.now(), ctx.user.personId],
  );
  const again = new Set(rows.map(({ id }) => id));
  for (const id of ID)
    if (!again.has(id))
      ctx.alert({
        code: 'STATE_REFUSES',
        id,
        text: `MailDelivery ${id} is waiting, being sent, or sent; it was skipped.`,
      });
  if (again.size === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: none of the emails can be sent again; each is waiting, being sent, or sent.',
    });
  await settleRecipients(ctx, recipientsOf(rows, 'Waiting', null));
  await queueDeliveries(ctx, [...again]);
  return item('SendAgain', operation.returns, { SentAgain: again.size });
});
