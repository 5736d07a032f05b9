import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';
import { checkWebhook, type EventSelection } from './lib/check-webhook.ts';

export const checks = defineChecks([
  {
    on: 'Webhook',
    doc:
      'Refuses inserts except by webhook/create, which alone can show the secret. Requires a deliverable ' +
      'address, known events and columns, and valid headers.',
    async run(ctx, _record, values, id) {
      if (id === undefined)
        throw new PlatformError('STATE_REFUSES', {
          message:
            'Create webhooks with webhook/create, which returns the secret once. save changes an existing webhook.',
        });
      const [before] = await ctx.db.query<{ events: string; columns: string | null; fields: string | null }>(
        'select events, columns, fields from webhook where webhookid = $1::bigint',
        [id],
      );
      checkWebhook(ctx, values, before satisfies EventSelection | undefined);
    },
  },
  {
    on: 'Webhook',
    doc: 'Sets the status from IsActive, and clears the switch-off when a webhook is activated again.',
    run(_ctx, _record, values) {
      if (!values.has('isactive')) return;
      const isActive = values.get('isactive') === true;
      if (values.has('status')) throw bad('Status', 'IsActive only: the status of a webhook follows from it');
      values.set('status', isActive ? 'Active' : 'Inactive');
      if (isActive) values.set('disableddate', null).set('disabledreason', null);
    },
  },
]);

const eventNames = { insert: 'WebhookMade', update: 'WebhookChanged', delete: 'WebhookDeleted' } as const;

export const reactions = defineReactions([
  {
    on: 'Webhook',
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of webhooks to the security log.',
    async run(ctx, row, change, changed) {
      // Brought back from history, a webhook is inserted by no other way.
      const event = eventNames[change];
      await ctx.security({
        event,
        object: 'Webhook',
        objectId: Number(row['WebhookID']),
        detail: [...changed].sort().join(', ').slice(0, 400),
      });
    },
  },
  {
    on: 'Webhook',
    after: ['update'],
    doc: 'Sends waiting events at once when a webhook is activated or its address changes.',
    async run(ctx, row, _change, changed) {
      if (row['IsActive'] !== true || !['isactive', 'url', 'headers'].some((name) => changed.has(name))) return;
      await ctx.db.query(
        'update webhookstate set failures = 0, failingsince = null, helduntil = null where webhookid = $1::bigint',
        [row['WebhookID']],
      );
      await enqueueAsSystem(ctx, {
        route: 'webhookdelivery/deliver',
        parameters: { WebhookID: Number(row['WebhookID']) },
        queueName: 'Webhook',
      });
    },
  },
  {
    on: 'Webhook',
    after: ['delete'],
    doc: 'Cancels the waiting events of a deleted webhook.',
    async run(ctx, row) {
      await ctx.db.query(
        `update webhookdelivery
         set status = 'Canceled', nextattempt = null, updateddate = $2::timestamptz
         where webhookid = $1::bigint and status = 'Waiting'`,
        [row['WebhookID'], ctx.clock.now()],
      );
    },
  },
]);
