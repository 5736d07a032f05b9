import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { synchronizeCustomer } from '../lib/payments/customers.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'paymentcustomer',
  name: 'Synchronize',
  method: 'POST',
  summary:
    'Sends the changed details of a customer to its payment gateway, or removes it there. Queued by the platform; ' +
    'extra calls are harmless.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The customer.' })) },
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertOwnTransactions(ctx);
  return recordItem(ctx.record, await synchronizeCustomer(ctx, ID));
});
