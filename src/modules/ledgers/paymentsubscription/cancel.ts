import { recordItem } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { gatewayById } from '../lib/payments/gateways.ts';
import { recordSubscription } from '../lib/payments/subscriptions/subscription-state.ts';

export const operation = defineOperation({
  module: 'paymentsubscription',
  name: 'Cancel',
  method: 'POST',
  summary:
    'Cancels a subscription immediately. Earlier charges are unaffected. A subscription that has ended is unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The subscription.' })) },
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = namedRow(ctx, ctx.record);
  if (row.Status === 'Canceled') return recordItem(ctx.record, row);
  if (row.GatewaySubscriptionID === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: it is not known yet whether subscription ${ID} was started. Cancel it once its outcome is known.`,
    });
  const { provider } = await ctx.inTransaction((own) => gatewayById(own, row.PaymentProviderID));
  const theirs = await provider.cancelSubscription(row.GatewaySubscriptionID);
  return recordItem(ctx.record, await ctx.inTransaction((own) => recordSubscription(own, ID, theirs)));
});
