import { shapeOf } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { duePayments, SETTLED_MAX, settlePayment } from '../lib/payments/settle-payments.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';
import { settleEach } from '../lib/payments/settle-each.ts';

export const operation = defineOperation({
  module: 'payment',
  name: 'Settle',
  method: 'POST',
  summary:
    'Queries the gateway for the outcome of payments and their refunds, and records it. It never charges. Without ' +
    'IDs, settles those that are due; the platform does this automatically.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: f.idList({ doc: 'The payments. Defaults to those that are due.', max: SETTLED_MAX }) },
  transactions: 'own',
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNKNOWN_PROVIDER'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertOwnTransactions(ctx);
  const rows = await settleEach(ID ?? (await duePayments(ctx)), (id) => settlePayment(ctx, id));
  return { kind: 'list', name: ctx.record.name, shape: shapeOf(ctx.record), rows };
});
