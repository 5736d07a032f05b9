import { recordItem } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockRecord } from '../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';
import type { PaymentMethod } from '../lib/payments/charge-ledger.ts';
import { assertNoSubscription } from '../lib/payments/active-payments.ts';
import { gatewayById, PAYMENTS_QUEUE, type Gateway } from '../lib/payments/gateways.ts';
import { otherWith } from '../lib/payments/methods/payment-methods.ts';
import { assertOwnTransactions, gatewayCustomerOf } from '../lib/payments/payment-rows.ts';
import { findStored, readPage } from '../lib/payments/methods/settle-methods.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'Remove',
  method: 'POST',
  summary:
    'Removes a card or bank account: it can no longer be charged, and the gateway deletes it. Payments still ' +
    'refer to the record. Its subscriptions are canceled first.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The payment method.' })) },
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertOwnTransactions(ctx);
  const { row, gateway, customer } = await ctx.inTransaction(async (own) => {
    const locked = await lockRecord(own, ctx.record, ID);
    await assertNoSubscription(own, 'payment method', ID);
    if (locked.Status !== 'Removed')
      // Repeats the removal, in case this process ends or the gateway is unavailable before it is removed there, or a
      // request that is in progress stores it afterwards.
      await enqueueAsSystem(own, {
        route: 'paymentmethod/remove',
        parameters: { ID: String(ID) },
        queueName: PAYMENTS_QUEUE,
        queuedDate: new Date(own.clock.milliseconds() + 60_000).toISOString(),
      });
    const removed = locked.Status === 'Removed' ? locked : await updateRow(own, ctx.record, ID, { Status: 'Removed' });
    return {
      row: removed,
      gateway: await gatewayById(own, locked.PaymentProviderID),
      customer: await gatewayCustomerOf(own, ID),
    };
  });
  const stored = row.GatewayMethodID ?? (await findUnrecorded(ctx, row, { gateway, customer }));
  if (stored !== undefined) await gateway.provider.removeMethod(stored);
  return recordItem(ctx.record, row);
});

/** Returns the gateway's ID of a method that it has stored without our record of it, unless it is that of another. */
async function findUnrecorded(
  ctx: Context,
  row: PaymentMethod,
  { gateway, customer }: { readonly gateway: Gateway; readonly customer: string | undefined },
): Promise<string | undefined> {
  const page = await readPage(row, gateway, true);
  const id = page?.status === 'stored' ? page.method.id : (await findStored(row, gateway, customer))?.id;
  if (id === undefined) return undefined;
  const other = await ctx.inTransaction((own) => otherWith(own, row, id));
  return other === undefined ? id : undefined;
}
