import type { VaultedMethod } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';
import type { paymentMethod } from '../../../paymentmethod/paymentmethod.record.ts';
import type { PaymentMethod } from '../charge-ledger.ts';
import type { Gateway } from '../gateways.ts';
import { methodValues } from '../methods/payment-methods.ts';

/**
 * Records what a gateway says of a stored card or bank account: a renewed card has another date, and one that was
 * removed there cannot be charged. `theirs`: undefined once it was removed. Returns whether it is one of ours.
 */
export function applyMethod(
  ctx: Context,
  gateway: Gateway,
  gatewayId: string,
  theirs: VaultedMethod | undefined,
): Promise<boolean> {
  return ctx.inTransaction(async (own) => {
    const record = own.registry.recordType('PaymentMethod');
    const [found] = await own.db.query<{ id: number }>(
      `select paymentmethodid as id from paymentmethod
       where paymentproviderid = $1::bigint and gatewaymethodid = $2::text`,
      [gateway.id, gatewayId],
    );
    if (!found) return false;
    const row = await lockRecord(own, record, found.id);
    if (row.Status === 'Removed') return true;
    const values = theirs?.customer === undefined ? ({ Status: 'Removed' } as const) : renewedValues(row, theirs);
    if (values) await updateRow(own, record, found.id, values);
    return true;
  });
}

/** Returns what a renewed card changes; undefined if nothing. One that had expired can be activated again. */
function renewedValues(row: PaymentMethod, theirs: VaultedMethod): Values<typeof paymentMethod> | undefined {
  const values = methodValues(theirs);
  const isSame =
    row.Brand === values.Brand &&
    row.LastFour === values.LastFour &&
    row.ExpiryMonth === values.ExpiryMonth &&
    row.ExpiryYear === values.ExpiryYear;
  if (isSame) return undefined;
  return row.Status === 'Expired' ? { ...values, Status: 'Inactive' } : values;
}
