import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { notFound } from '../../../kernel/records/search/read.ts';
import { newSecret, sealSecret } from './lib/secret.ts';
import { webhookRotationHours } from './settings.ts';

export const operation = defineOperation({
  module: 'webhook',
  name: 'RotateSecret',
  method: 'POST',
  summary:
    'Creates a new secret for a webhook and returns it. The secret is shown only this once. The previous ' +
    'secret still signs as well for the time of the setting WebhookRotationHours.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: { own: 'The statement that locks the row also reads its sealed secret, which rows do not have.' },
  params: {
    ID: required(f.id({ doc: 'The webhook.' })),
    Immediately: f.boolean({
      doc: 'Whether to revoke the previous secret at once, because it was exposed.',
      default: false,
    }),
  },
  secretAnswer: true,
  returns: {
    WebhookID: required(f.id({ doc: 'The webhook.' })),
    Secret: required(f.text({ doc: 'The secret with which the receiver verifies signatures from now on.' })),
    PreviousSecretUntil: f.timestamp({ doc: 'Until when the previous secret still signs as well.' }),
  },
  errors: ['NOT_FOUND'],
  source: 'docs/guides/integrators/webhooks.md',
});

export const run = handle(operation, async (ctx, { ID, Immediately }) => {
  const [before] = await ctx.db.query<{ secret: string | null }>(
    'select secret from webhook where webhookid = $1::bigint for no key update',
    [ID],
  );
  if (!before) throw notFound(ctx.record, ID);
  const secret = newSecret();
  const until = new Date(ctx.clock.milliseconds() + ctx.settings.get(webhookRotationHours) * 3_600_000).toISOString();
  const PreviousSecretUntil = Immediately || before.secret === null ? null : until;
  await updateRow(ctx, ctx.record, ID, {
    Secret: sealSecret(ctx.cipher, secret),
    SecretDate: ctx.clock.now(),
    PreviousSecret: PreviousSecretUntil === null ? null : before.secret,
    PreviousSecretUntil,
  });
  await ctx.security({
    event: 'WebhookSecretRotated',
    object: 'Webhook',
    objectId: ID,
    detail: Immediately ? 'the previous secret was revoked at once' : '',
  });
  return item('Webhook', operation.returns, { WebhookID: ID, Secret: secret, PreviousSecretUntil });
});
