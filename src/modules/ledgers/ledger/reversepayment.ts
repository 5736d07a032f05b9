import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertPaidBack } from '../lib/payments/assert-paid-back.ts';
import { reversePayment } from './lib/reverse-payment.ts';

export const operation = defineOperation({
  module: 'ledger',
  name: 'ReversePayment',
  method: 'POST',
  summary:
    'Reverses a payment: adds an offsetting line of the same amount, and makes the lines that it covered unpaid ' +
    'again. Returns that line; for a payment that is reversed already, the one that reversed it.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'LedgerItemID',
  params: {
    LedgerItemID: required(f.id({ doc: 'The payment.', to: 'LedgerItem' })),
    Description: f.text({ doc: 'Why it is reversed.', max: 4000 }),
  },
  returns: 'item',
  answerName: 'LedgerItem',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { LedgerItemID, Description }) => {
  await assertPaidBack(ctx, LedgerItemID);
  return recordItem(
    ctx.registry.recordType('LedgerItem'),
    await reversePayment(ctx, LedgerItemID, Description ?? null),
  );
});
