import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { chargeAnswer, chargeRow, expectedAmount } from '../lib/payments/charge-answer.ts';
import { chargeLedger } from '../lib/payments/charge-ledger.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'AuthorizeAndCapture',
  method: 'POST',
  summary:
    "Charges what a ledger owes to a payment method, which must be the active one of the ledger's parent record. " +
    'ledger/authorizeandcapture finds that method itself.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['ID', 'LedgerID'],
  params: {
    ID: required(f.id({ doc: 'The payment method.' })),
    LedgerID: required(f.id({ doc: 'The ledger.', to: 'Ledger' })),
    ExpectedAmount: expectedAmount,
  },
  transactions: 'own',
  returns: chargeAnswer,
  answerName: 'Charge',
  errors: [
    'NOT_FOUND',
    'LOCKED',
    'BAD_PARAMETER',
    'STATE_REFUSES',
    'PAYMENT_DECLINED',
    'UNAVAILABLE',
    'UNKNOWN_PROVIDER',
  ],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, LedgerID, ExpectedAmount }) => {
  assertOwnTransactions(ctx);
  const charged = await chargeLedger(ctx, LedgerID, { methodId: ID, expectedAmount: ExpectedAmount });
  return item('Charge', operation.returns, chargeRow(charged));
});
