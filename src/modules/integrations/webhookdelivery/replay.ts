import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { activeCondition } from '../../../kernel/records/save/final-status.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { deliveryLease, queueDelivery } from './lib/claim.ts';
import { webhookDelivery } from './webhookdelivery.record.ts';

export const operation = defineOperation({
  module: 'webhookdelivery',
  name: 'Replay',
  method: 'POST',
  summary:
    'Sends events again, each under its ID, so that the receiver can recognize duplicates. An event that ' +
    'is waiting or being sent is skipped with a warning.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The deliveries.' })) },
  returns: { Replayed: required(f.integer({ doc: 'How many events are sent again.' })) },
  answerName: 'Replay',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'docs/guides/integrators/webhooks.md',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const rows = await ctx.db.query<{ id: number; webhookid: number }>(
    `update webhookdelivery
     set status = 'Waiting', nextattempt = $2::timestamptz, replayeddate = $2::timestamptz, retryuntil = null,
       ${deliveryLease.end()}, delivereddate = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint
     where webhookdeliveryid = any($1::bigint[]) and not (${activeCondition(webhookDelivery)})
       and webhookdeliverytype = 'Event'
     returning webhookdeliveryid as id, webhookid`,
    [arrayLiteral(ID), ctx.clock.now(), ctx.user.personId],
  );
  const replayed = new Set(rows.map(({ id }) => id));
  for (const id of ID)
    if (!replayed.has(id))
      ctx.alert({
        code: 'STATE_REFUSES',
        id,
        text: `WebhookDelivery ${id} is waiting, being sent, or a ping; it was skipped.`,
      });
  if (replayed.size === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: none of the deliveries can be sent again; each is waiting, being sent, or a ping.',
    });
  for (const webhookId of new Set(rows.map(({ webhookid }) => webhookid))) await queueDelivery(ctx, webhookId);
  return item('Replay', operation.returns, { Replayed: replayed.size });
});
