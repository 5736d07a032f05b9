import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

/** Most deliveries of a message that one call stops; it can be called again. */
const DELIVERIES_MAX = 1_000;

export const operation = defineOperation({
  module: 'message',
  name: 'StopSending',
  method: 'POST',
  summary: 'Stops a message that waits to be sent: emails that have not left yet are canceled.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'MessageSend',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The message.' })) },
  returns: { Canceled: required(f.integer({ doc: 'How many emails were canceled.' })) },
  answerName: 'StopSending',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'checklist MSG-02',
});

export const run = handle(operation, async (ctx, { ID: id }) => {
  const rows = await ctx.db.query<{ id: number }>(
    `select r.maildeliveryid as id
     from messagerecipient r
     where r.messageid = $1::bigint and r.status = 'Waiting' and r.maildeliveryid is not null
     order by r.messagerecipientid
     limit ${DELIVERIES_MAX}`,
    [id],
  );
  if (rows.length === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: the message is not waiting to be sent, so it cannot be stopped.',
    });
  const { row } = await ctx.call('maildelivery/cancel', { ID: rows.map((each) => each.id) });
  return item('StopSending', operation.returns, { Canceled: row.Canceled });
});
