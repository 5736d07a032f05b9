import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import {
  SETTLED_MAX,
  settleDueSubscriptions,
  settleSubscriptions,
} from '../lib/payments/subscriptions/settle-subscriptions.ts';

export const operation = defineOperation({
  module: 'paymentsubscription',
  name: 'Settle',
  method: 'POST',
  summary:
    'Looks up subscriptions with an unknown outcome at their payment gateways and records the result. It never ' +
    'starts one. Without IDs, settles those that are due; the platform does this automatically.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: f.idList({ doc: 'The subscriptions. Defaults to those that are due.', max: SETTLED_MAX }) },
  transactions: 'own',
  returns: { Settled: required(f.integer({ doc: 'How many now have a known outcome.' })) },
  answerName: 'Settle',
  errors: ['NOT_FOUND', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const Settled = await (ID ? settleSubscriptions(ctx, ID) : settleDueSubscriptions(ctx));
  return item('Settle', operation.returns, { Settled });
});
