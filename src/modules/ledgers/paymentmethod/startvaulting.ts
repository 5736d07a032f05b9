import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { startPage } from '../lib/payments/methods/gateway-page.ts';
import { pageAnswer, pageRow } from '../lib/payments/methods/page-answer.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'StartVaulting',
  method: 'POST',
  summary:
    "Starts the payment gateway's own page, on which a card or bank account is entered and stored. The browser goes " +
    'to the URL and returns to the installation (`PublicAddress`), where the same user and session must finish it. ' +
    'The page can be used for an hour.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'PaymentMethodVault',
  names: ['PaymentCustomerID', { object: 'Object', id: 'ObjectID' }],
  params: {
    Object: required(f.text({ doc: 'The record type that it pays for.', max: 60, exact: true })),
    ObjectID: required(f.id({ doc: 'The record that it pays for.' })),
    PaymentCustomerID: required(f.id({ doc: 'The payer.', to: 'PaymentCustomer' })),
  },
  transactions: 'own',
  returns: pageAnswer,
  answerName: 'PaymentMethod',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { Object, ObjectID, PaymentCustomerID }) => {
  assertOwnTransactions(ctx);
  const of = { customerId: PaymentCustomerID, object: Object, objectId: ObjectID };
  return item('PaymentMethod', operation.returns, pageRow(await startPage(ctx, of)));
});
