import { randomUUID } from 'node:crypto';
import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

export const operation = defineOperation({
  module: 'webhook',
  name: 'Test',
  method: 'POST',
  summary:
    'Sends the event `ping` to a webhook once, immediately, whether it is active or not, and returns the result.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The webhook.' })) },
  transactions: 'own',
  returns: {
    WebhookDeliveryID: required(f.id({ doc: 'The delivery, which is stored like any other.' })),
    Status: required(f.text({ doc: 'Delivered or Failed.' })),
    ResponseCode: f.integer({ doc: 'The HTTP status of the response.' }),
    DurationMilliseconds: f.integer({ doc: 'How long the request took.' }),
    LastError: f.text({ doc: 'Why it failed.' }),
    ResponseStart: f.text({ doc: 'The first characters of the response.' }),
  },
  answerName: 'Test',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'docs/guides/integrators/webhooks.md',
});

interface PingOutcome {
  readonly WebhookDeliveryID: number;
}

export const run = handle(operation, async (ctx, { ID }) => {
  const eventId = `evt_${randomUUID()}`;
  // Without a next attempt only the call below claims it, and without time to retry it is sent once.
  const id = await ctx.inTransaction(async (own) => {
    const [row] = await own.db.query<{ id: number }>(
      `insert into webhookdelivery (webhookdelivery, status, webhookdeliverytype, webhookid, eventid, eventdate, data,
         correlationid, attempts, retryuntil, createddate, createdpersonid, updateddate, updatedpersonid)
       select 'ping', 'Waiting', 'Ping', webhookid, $2::text, $3::timestamptz, '{}',
         $4::text, 0, $3::timestamptz, $3::timestamptz, $5::bigint, $3::timestamptz, $5::bigint
       from webhook
       where webhookid = $1::bigint and secret is not null
       returning webhookdeliveryid as id`,
      [ID, eventId, ctx.clock.now(), ctx.correlationId.slice(0, 64), ctx.user.personId],
    );
    if (row) return row.id;
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: the webhook has no secret, because it was deleted and restored; webhook/rotatesecret creates one.',
    });
  });
  await ctx.call('webhookdelivery/deliver', { WebhookID: ID, WebhookDeliveryID: id });
  const [outcome] = await ctx.db.query<PingOutcome>(
    `select webhookdeliveryid as "WebhookDeliveryID", status as "Status", responsecode as "ResponseCode",
       durationmilliseconds as "DurationMilliseconds", lasterror as "LastError", responsestart as "ResponseStart"
     from webhookdelivery
     where webhookdeliveryid = $1::bigint`,
    [id],
  );
  return item('Test', operation.returns, outcome ?? { WebhookDeliveryID: id });
});
