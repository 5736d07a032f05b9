import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { insertRow } from '../../../kernel/records/save/insert-row.ts';
import { checkWebhook } from './lib/check-webhook.ts';
import { newSecret, sealSecret } from './lib/secret.ts';
import { webhook } from './webhook.record.ts';
import type { Values } from '../../../kernel/declare/values.ts';

const { URL, Events, Columns, Fields, OrganizationID, Headers } = webhook.fields;

export const operation = defineOperation({
  module: 'webhook',
  name: 'Create',
  method: 'POST',
  summary: 'Creates a webhook and returns the secret that signs its events. The secret is shown only this once.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    URL,
    Events,
    Name: f.text({ doc: 'A display name for the webhook.', max: 255 }),
    Columns,
    Fields,
    OrganizationID,
    Headers,
    IsActive: f.boolean({ doc: 'Whether events are recorded and sent from now on.', default: true }),
  },
  secretAnswer: true,
  returns: {
    WebhookID: required(f.id({ doc: 'The ID of the webhook.' })),
    Secret: required(f.text({ doc: 'The secret with which the receiver verifies signatures.' })),
    Events: required(f.text({ doc: 'The subscribed events, in their declared spelling.' })),
    IsActive: required(f.boolean({ doc: 'Whether events are recorded and sent.' })),
  },
  errors: ['BAD_PARAMETER'],
  source: 'docs/guides/integrators/webhooks.md',
});

export const run = handle(
  operation,
  async (
    ctx,
    {
      URL: url,
      Events: events,
      Name,
      Columns: columns,
      Fields: fields,
      OrganizationID: organizationId,
      Headers: headers,
      IsActive,
    },
  ) => {
    const secret = newSecret();
    const values: Values<typeof webhook> = {
      Webhook: Name ?? `Webhook of ${ctx.clock.now().slice(0, 10)}`,
      Status: IsActive ? 'Active' : 'Inactive',
      URL: url,
      Events: events,
      Columns: columns ?? null,
      Fields: fields ?? null,
      OrganizationID: organizationId ?? null,
      IsActive,
      Headers: headers ?? null,
      SecretDate: ctx.clock.now(),
      Secret: sealSecret(ctx.cipher, secret),
    };
    checkWebhook(ctx, values);
    const row = await insertRow(ctx, ctx.record, values);
    const WebhookID = row.WebhookID;
    await ctx.security({
      event: 'WebhookMade',
      object: 'Webhook',
      objectId: WebhookID,
      detail: row.Events.slice(0, 400),
    });
    return item('Webhook', operation.returns, { WebhookID, Secret: secret, Events: row.Events, IsActive });
  },
);
