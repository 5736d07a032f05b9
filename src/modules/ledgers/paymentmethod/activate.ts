import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { activateMethod } from '../lib/payments/methods/payment-methods.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'Activate',
  method: 'POST',
  summary: 'Makes a stored card or bank account the active one of its record, in place of the current one.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The payment method.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => recordItem(ctx.record, await activateMethod(ctx, ID)));
