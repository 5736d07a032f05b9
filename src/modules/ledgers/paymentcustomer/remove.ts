import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';
import { PAYMENTS_QUEUE } from '../lib/payments/gateways.ts';
import { assertNoSubscription } from '../lib/payments/active-payments.ts';
import { removeMethodsOf } from '../lib/payments/methods/payment-methods.ts';

export const operation = defineOperation({
  module: 'paymentcustomer',
  name: 'Remove',
  method: 'POST',
  summary:
    'Removes a customer, with its cards and bank accounts, from its payment gateway. The records are kept because ' +
    'payments refer to them. Subscriptions are canceled first.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The customer.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = namedRow(ctx, ctx.record);
  if (row.Status === 'Removing' || row.Status === 'Removed') return recordItem(ctx.record, row);
  await assertNoSubscription(ctx, 'customer', ID);
  await removeMethodsOf(ctx, ID);
  if (row.GatewayCustomerID === null)
    return recordItem(ctx.record, await updateRow(ctx, ctx.record, ID, { Status: 'Removed' }));
  await enqueueAsSystem(ctx, {
    route: 'paymentcustomer/synchronize',
    parameters: { ID: String(ID) },
    queueName: PAYMENTS_QUEUE,
  });
  return recordItem(ctx.record, await updateRow(ctx, ctx.record, ID, { Status: 'Removing' }));
});
