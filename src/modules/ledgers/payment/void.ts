import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { endAuthorization } from '../lib/payments/end-authorization.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'payment',
  name: 'Void',
  method: 'POST',
  summary: 'Voids an authorized payment, which releases the hold. A payment that is already voided is unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The payment.' })) },
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertOwnTransactions(ctx);
  return recordItem(ctx.record, await endAuthorization(ctx, ID, { action: 'Void' }));
});
