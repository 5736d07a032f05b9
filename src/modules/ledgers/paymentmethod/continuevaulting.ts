import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { continuePage } from '../lib/payments/methods/gateway-page.ts';
import { pageAnswer, pageRow } from '../lib/payments/methods/page-answer.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'ContinueVaulting',
  method: 'POST',
  summary:
    "Returns the address of the payment gateway's page that the user opened for a card or bank account, while it can " +
    'be used.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'PaymentMethodVault',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The payment method.' })) },
  transactions: 'own',
  returns: pageAnswer,
  answerName: 'PaymentMethod',
  errors: ['NOT_FOUND', 'NO_PERMISSION', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx) => {
  assertOwnTransactions(ctx);
  return item('PaymentMethod', operation.returns, pageRow(await continuePage(ctx, namedRow(ctx, ctx.record))));
});
