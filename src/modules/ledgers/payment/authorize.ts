import { recordItem } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertNoCardSent, oneTimeParams, requestOneTime } from '../lib/payments/one-time.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';
import { assertAccepted, sendPayment } from '../lib/payments/send-payment.ts';

export const operation = defineOperation({
  module: 'payment',
  name: 'Authorize',
  method: 'POST',
  summary:
    'Authorizes an amount on a card. payment/capture collects it, payment/void releases it. It is recorded in ' +
    'the ledger once it is captured.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['LedgerID', 'PaymentMethodID', { object: 'Object', id: 'ObjectID' }],
  params: oneTimeParams,
  checkQueued: (_ctx, params) => assertNoCardSent(params),
  transactions: 'own',
  returns: 'item',
  errors: [
    'NOT_FOUND',
    'BAD_PARAMETER',
    'MISSING_PARAMETER',
    'STATE_REFUSES',
    'PAYMENT_DECLINED',
    'UNAVAILABLE',
    'UNKNOWN_PROVIDER',
  ],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, params) => {
  assertOwnTransactions(ctx);
  const requested = await ctx.inTransaction((own) => requestOneTime(own, params, 'Authorize'));
  return recordItem(ctx.record, assertAccepted(await sendPayment(ctx, requested, 'authorize')));
});
