import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { settleSubscriptions } from '../lib/payments/subscriptions/settle-subscriptions.ts';

export const operation = defineOperation({
  module: 'paymentsubscription',
  name: 'Settle',
  method: 'POST',
  summary:
    'Looks up subscriptions with an unknown outcome at their payment gateways and records the result. It never ' +
    'starts one. Without IDs: those requested more than five minutes ago.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: f.idList({ doc: 'The subscriptions.', max: 200 }) },
  transactions: 'own',
  returns: { Settled: required(f.integer({ doc: 'How many now have a known outcome.' })) },
  answerName: 'Settle',
  errors: ['NOT_FOUND', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

/** Minutes for which a request may still be under way. */
const UNDER_WAY_MINUTES = 5;

export const run = handle(operation, async (ctx, { ID }) => {
  const ids = ID ?? [];
  const minutes = ids.length > 0 ? 0 : UNDER_WAY_MINUTES;
  const before = new Date(ctx.clock.milliseconds() - minutes * 60_000).toISOString();
  return item('Settle', operation.returns, { Settled: await settleSubscriptions(ctx, ids, before) });
});
