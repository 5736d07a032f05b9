import { shapeOf } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';
import { settleEach } from '../lib/payments/settle-each.ts';
import { dueMethods, SETTLED_MAX, settleMethod } from '../lib/payments/methods/settle-methods.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'Settle',
  method: 'POST',
  summary:
    'Queries the gateway whether cards and bank accounts that are Requested were stored, and records it. Leaves ' +
    'pages of the gateway alone that can still be used. Without IDs, settles those that are due; the platform does ' +
    'this automatically.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'PaymentMethodVault',
  names: 'ID',
  params: { ID: f.idList({ doc: 'The payment methods. Defaults to those that are due.', max: SETTLED_MAX }) },
  transactions: 'own',
  returns: 'list',
  errors: ['NOT_FOUND', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertOwnTransactions(ctx);
  const rows = await settleEach(ID ?? (await dueMethods(ctx)), (id) => settleMethod(ctx, id));
  return { kind: 'list', name: ctx.record.name, shape: shapeOf(ctx.record), rows };
});
