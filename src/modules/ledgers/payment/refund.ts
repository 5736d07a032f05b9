import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertNoCardNumber } from '../lib/payments/card-numbers.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';
import { refundPayment } from '../lib/payments/refunds/refund-payment.ts';

export const operation = defineOperation({
  module: 'payment',
  name: 'Refund',
  method: 'POST',
  summary:
    'Refunds all or part of a captured payment. A full refund reverses the payment in its ledger. A partial refund ' +
    'reduces unapplied funds first; the rest is owed again.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The payment.' })),
    Amount: f.money({ doc: 'The amount to refund. Defaults to everything not refunded yet.' }),
    Reason: f.body({ doc: 'Why it is refunded. Not sent to the gateway.', max: 4000 }),
  },
  checkQueued: (_ctx, { Reason }) => assertNoCardNumber({ Reason }),
  transactions: 'own',
  returns: 'item',
  answerName: 'PaymentRefund',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, Amount, Reason }) => {
  assertOwnTransactions(ctx);
  assertNoCardNumber({ Reason });
  const row = await refundPayment(ctx, ID, { amount: Amount ?? undefined, reason: Reason ?? null });
  return recordItem(ctx.registry.recordType('PaymentRefund'), row);
});
