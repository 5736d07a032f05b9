import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { endAuthorization } from '../lib/payments/end-authorization.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'payment',
  name: 'Capture',
  method: 'POST',
  summary: 'Captures all or part of an authorized payment and records it in the ledger. The rest is released.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The payment.' })),
    Amount: f.money({ doc: 'The amount to capture. Defaults to the authorized amount.' }),
  },
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, Amount }) => {
  assertOwnTransactions(ctx);
  const row = await endAuthorization(ctx, ID, { action: 'Capture', amount: Amount ?? undefined });
  return recordItem(ctx.record, row);
});
