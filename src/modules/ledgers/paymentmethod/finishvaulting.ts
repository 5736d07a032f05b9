import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { finishPage } from '../lib/payments/methods/gateway-page.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'FinishVaulting',
  method: 'POST',
  summary:
    "Records what became of the payment gateway's page when the browser returns from it: the card or bank account is " +
    'Active, Failed with the reason, or still Requested if the gateway has not decided. Each return is accepted ' +
    'once, from the user and session that started the page.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'PaymentMethodVault',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The payment method.' })),
    State: required(f.text({ doc: 'The value of State in the URL of the return.', max: 100, exact: true })),
    Canceled: f.boolean({ doc: "Whether the user canceled the gateway's page.", default: false }),
  },
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, State, Canceled }) => {
  assertOwnTransactions(ctx);
  return recordItem(ctx.record, await finishPage(ctx, ID, { state: State, isCanceled: Canceled }));
});
