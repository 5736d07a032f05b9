import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { chargeLedger } from '../lib/payments/charge-ledger.ts';
import { chargeAnswer, chargeRow, expectedAmount } from '../lib/payments/charge-answer.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'ledger',
  name: 'AuthorizeAndCapture',
  method: 'GET',
  summary:
    "Charges what a ledger owes to the active payment method of the ledger's parent record, records the payment in " +
    'the ledger, and posts it. A ledger that owes nothing is only posted. A decline is an error with the code of the ' +
    'gateway. If the gateway does not answer, the payment is Unknown until its outcome is found; until then the ' +
    'ledger cannot be charged again.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The ledger.' })), ExpectedAmount: expectedAmount },
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
  source: '2-workflow-ledgers-worklists-ai §3, §4, Ledgers',
});

export const run = handle(operation, async (ctx, { ID, ExpectedAmount }) => {
  assertOwnTransactions(ctx);
  return item('Charge', operation.returns, chargeRow(await chargeLedger(ctx, ID, { expectedAmount: ExpectedAmount })));
});
