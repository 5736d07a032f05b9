/** Stored payments. */
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import type { payment } from '../../payment/payment.record.ts';
import { lockLedgers } from '../stored-lines.ts';

/** A stored payment. */
export type Payment = Row<typeof payment>;

/** Returns a payment, locked after its ledger, as everything that changes a payment locks them. */
export async function lockPayment(own: Context, id: number): Promise<Payment> {
  const record = own.registry.recordType('Payment');
  const { LedgerID } = await readRecord(own.db, record, id);
  if (LedgerID !== null) await lockLedgers(own, [LedgerID]);
  return lockRecord(own, record, id);
}

/** Throws STATE_REFUSES if a locked ledger has a payment whose outcome is open. */
export async function assertNoOpenPayment(own: Context, ledgerId: number): Promise<void> {
  // Of every firm: a payment is seen by the firm of its ledger.
  const [open] = await own.db.query<{ id: number; status: string }>(
    `select paymentid as id, status from payment
     where ledgerid = $1::bigint and status in ('Requested', 'Unknown', 'Pending', 'Authorized')`,
    [ledgerId],
  );
  if (!open) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'LedgerID',
    message:
      `LedgerID: payment ${open.id} of ledger ${ledgerId} is ${open.status}. ` +
      (open.status === 'Authorized'
        ? 'Capture or void it first.'
        : 'Charge the ledger again once the outcome is known.'),
    details: { PaymentID: open.id, PaymentStatus: open.status },
  });
}

/** Returns the gateway's ID of the customer of a stored method; undefined for none. Needs a transaction. */
export async function gatewayCustomerOf(own: Context, methodId: number | null): Promise<string | undefined> {
  if (methodId === null) return undefined;
  const [row] = await own.transaction().elevated((db) =>
    db.query<{ id: string | null }>(
      `select c.gatewaycustomerid as id
       from paymentmethod m join paymentcustomer c on c.paymentcustomerid = m.paymentcustomerid
       where m.paymentmethodid = $1::bigint`,
      [methodId],
    ),
  );
  return row?.id ?? undefined;
}

/**
 * Refuses to run inside the transaction of another call: what is sent to a gateway must be committed before it is sent.
 *
 * @throws STATE_REFUSES
 */
export function assertOwnTransactions(ctx: Context): void {
  if (!ctx.isInTransaction) return;
  throw new PlatformError('STATE_REFUSES', {
    message: `${ctx.operation.route} moves money, so it does not run inside another call; queue it.`,
  });
}
