import { assertGatewayId } from '../../../contracts/payment-validation.ts';
import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { vaultMethod } from '../lib/payments/methods/payment-methods.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'Vault',
  method: 'POST',
  summary:
    'Stores a card or bank account at the payment gateway of a customer, and makes it the active one of a record. ' +
    "The token comes from the gateway's own form, so card and account numbers never reach Casewright.",
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['PaymentCustomerID', { object: 'Object', id: 'ObjectID' }],
  params: {
    Object: required(f.text({ doc: 'The record type that it pays for.', max: 60, exact: true })),
    ObjectID: required(f.id({ doc: 'The record that it pays for.' })),
    PaymentCustomerID: required(f.id({ doc: 'The payer.', to: 'PaymentCustomer' })),
    Token: required(f.secret({ doc: "A token from the gateway's form.", max: 255 })),
  },
  checkQueued: (_ctx, { Token }) => assertGatewayId('Token', String(Token)),
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'PAYMENT_DECLINED', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { Object, ObjectID, PaymentCustomerID, Token }) => {
  assertOwnTransactions(ctx);
  assertGatewayId('Token', Token);
  const of = { customerId: PaymentCustomerID, object: Object, objectId: ObjectID };
  return recordItem(ctx.record, await vaultMethod(ctx, of, Token));
});
