import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/**
 * Throws if a line records a payment whose money the gateway still has: reversed here alone, it could be charged again.
 *
 * @throws STATE_REFUSES
 */
export async function assertPaidBack(own: Context, lineId: number): Promise<void> {
  const [unreturned] = await own.db.query<{ id: number }>(
    `select p.paymentid as id from payment p
     where p.ledgeritemid = $1::bigint and coalesce(p.capturedamount, 0) > coalesce(p.refundedamount, 0)
       and not exists (select from paymentdispute d where d.paymentid = p.paymentid and d.status = 'Lost')`,
    [lineId],
  );
  if (!unreturned) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'LedgerItemID',
    message:
      `LedgerItemID: the gateway still has the money of payment ${unreturned.id}. To pay it back, call ` +
      'payment/refund, which reverses this line.',
  });
}
