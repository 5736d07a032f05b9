import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';
import { checkWebhook } from './lib/check-webhook.ts';
import { webhook } from './webhook.record.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';

export const checks = [
  defineCheck({
    on: webhook,
    doc:
      'Refuses inserts except by webhook/create, which alone can show the secret. Requires a deliverable ' +
      'address, known events and columns, and valid headers.',
    async run(ctx, { values, id }) {
      if (id === undefined)
        throw new PlatformError('STATE_REFUSES', {
          message:
            'Create webhooks with webhook/create, which returns the secret once. save changes an existing webhook.',
        });
      const before = await readColumns(ctx.db, webhook, id, ['Events', 'Columns', 'Fields']);
      checkWebhook(ctx, values, before);
    },
  }),
  defineCheck({
    on: webhook,
    doc: 'Sets the status from IsActive, and clears the switch-off when a webhook is activated again.',
    run(_ctx, { values }) {
      if (values.IsActive === undefined) return;
      const isActive = values.IsActive === true;
      if (values.Status !== undefined)
        throw bad('Status', 'no value; set IsActive instead, which determines the status');
      values.Status = isActive ? 'Active' : 'Inactive';
      if (isActive) for (const name of ['DisabledDate', 'DisabledReason'] as const) values[name] = null;
    },
  }),
];

const eventNames = { insert: 'WebhookMade', update: 'WebhookChanged', delete: 'WebhookDeleted' } as const;

export const reactions = [
  defineReaction({
    on: webhook,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of webhooks to the security log.',
    async run(ctx, row, change, changed) {
      // Brought back from history, a webhook is inserted by no other way.
      const event = eventNames[change];
      await ctx.security({
        event,
        object: 'Webhook',
        objectId: row.WebhookID,
        detail: [...changed].sort().join(', ').slice(0, 400),
      });
    },
  }),
  defineReaction({
    on: webhook,
    after: ['update'],
    doc: 'Sends waiting events at once when a webhook is activated or its address changes.',
    async run(ctx, row, _change, changed) {
      if (row.IsActive !== true || !(['IsActive', 'URL', 'Headers'] as const).some((name) => changed.has(name))) return;
      await ctx.db.query(
        'update webhookstate set failures = 0, failingsince = null, helduntil = null where webhookid = $1::bigint',
        [row.WebhookID],
      );
      await enqueueAsSystem(ctx, {
        route: 'webhookdelivery/deliver',
        parameters: { WebhookID: row.WebhookID },
        queueName: 'Webhook',
      });
    },
  }),
  defineReaction({
    on: webhook,
    after: ['delete'],
    doc: 'Cancels the waiting events of a deleted webhook.',
    async run(ctx, row) {
      await ctx.db.query(
        `update webhookdelivery
         set status = 'Canceled', nextattempt = null, updateddate = $2::timestamptz
         where webhookid = $1::bigint and status = 'Waiting'`,
        [row.WebhookID, ctx.clock.now()],
      );
    },
  }),
];
