import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { queueDelivery } from './lib/claim.ts';

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'SendAgain',
  method: 'POST',
  summary:
    'Decides to send mails once more to those receivers who have not surely got them, under their Message-ID. One that waits, or that all have, is left alone with an alert.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The deliveries.' })) },
  returns: { SentAgain: required(f.integer({ doc: 'How many are sent again.' })) },
  answerName: 'SendAgain',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'docs/guides/operators/mail.md',
});

export const run = handle(operation, async (ctx, { ID }) => {
  await reachAll(ctx, ctx.record, ID);
  const rows = await ctx.db.query<{ id: number }>(
    `update maildelivery set status = 'Waiting', nextattempt = $2::timestamptz, retryuntil = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       recipients = (select jsonb_agg(case when r ->> 'Status' = 'Accepted' then r else r || '{"Status": "Waiting"}' end order by n) from jsonb_array_elements(recipients) with ordinality as e (r, n))
     where maildeliveryid = any($1::bigint[]) and status in ('Failed', 'Partly', 'Unknown', 'Canceled') and content is not null returning maildeliveryid as id`,
    [arrayLiteral(ID), ctx.clock.now(), ctx.user.personId],
  );
  const again = new Set(rows.map(({ id }) => id));
  for (const id of ID)
    if (!again.has(id))
      ctx.alert({
        code: 'STATE_REFUSES',
        id,
        text: `MailDelivery ${id} waits, is being sent, or was sent; it was left alone.`,
      });
  if (again.size === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: none of the mails can be sent again; each waits, is being sent, or was sent.',
    });
  for (const id of again) await queueDelivery(ctx, id);
  return item('SendAgain', operation.returns, { SentAgain: again.size });
});
