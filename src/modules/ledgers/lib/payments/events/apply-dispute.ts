import type { GatewayDispute } from '../../../../../contracts/payment-provider.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { insertRow } from '../../../../../kernel/records/save/insert-row.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import type { paymentDispute } from '../../../paymentdispute/paymentdispute.record.ts';
import type { Gateway } from '../gateways.ts';
import { lockPayment, type Payment } from '../payment-rows.ts';
import { refundLines } from '../refunds/refund-lines.ts';
import { disputeDifference } from '../reconcile/differences.ts';
import { readOwnPayments } from '../reconcile/own-rows.ts';
import { storeDifferences } from '../reconcile/store-differences.ts';

type Dispute = Row<typeof paymentDispute>;

const statuses = { open: 'Open', won: 'Won', lost: 'Lost' } as const;

/**
 * Records a dispute as its gateway reports it, in a transaction of its own. What a lost one takes is
 * taken out of the ledger like a refund; if that is not possible, it is a difference. Returns the payment's ID;
 * undefined if it is not ours, which is a difference, too.
 */
export function applyDispute(ctx: Context, gateway: Gateway, theirs: GatewayDispute): Promise<number | undefined> {
  return ctx.inTransaction(async (own) => {
    const [found] = await readOwnPayments(own, gateway.id, { ids: [theirs.payment], keys: [] });
    if (!found) {
      await storeDifferences(own, gateway.id, [disputeDifference(theirs, null, 'Nothing')]);
      return undefined;
    }
    const payment = await lockPayment(own, found.id);
    const dispute = await storeDispute(own, gateway.id, payment, theirs);
    if (dispute.Status === 'Lost' && dispute.LedgerItemID === null && payment.LedgerID !== null) {
      const problem = await takeBack(own, dispute, payment);
      if (problem !== undefined)
        await storeDifferences(own, gateway.id, [disputeDifference(theirs, payment.PaymentID, problem)]);
    }
    return found.id;
  });
}

/** Inserts or updates the dispute of a locked payment. One that has ended is not opened again by a late report. */
async function storeDispute(
  own: Context,
  providerId: number,
  payment: Payment,
  theirs: GatewayDispute,
): Promise<Dispute> {
  const record = own.registry.recordType('PaymentDispute');
  const [known] = await own.db.query<{ id: number }>(
    `select paymentdisputeid as id from paymentdispute
     where paymentproviderid = $1::bigint and gatewaydisputeid = $2::text`,
    [providerId, theirs.id],
  );
  const { amount, currency } = theirs.money;
  const status = statuses[theirs.status];
  const closed = status === 'Open' ? {} : { ClosedDate: own.clock.now() };
  if (!known)
    return insertRow(own, record, {
      PaymentDispute: `${amount} ${currency}, ${theirs.reason.replaceAll('_', ' ')}`.slice(0, 255),
      Status: status,
      PaymentID: payment.PaymentID,
      PaymentProviderID: providerId,
      GatewayDisputeID: theirs.id,
      Amount: amount,
      Currency: currency,
      Reason: theirs.reason.slice(0, 100),
      AnswerBy: theirs.respondBy ?? null,
      OpenedDate: theirs.created,
      ...closed,
    });
  const row = await lockRecord(own, record, known.id);
  const isLate = status === 'Open' && row.Status !== 'Open';
  const isSame = row.Status === status && sameInstant(row.AnswerBy, theirs.respondBy ?? null);
  if (isLate || isSame) return row;
  return updateRow(own, record, known.id, { Status: status, AnswerBy: theirs.respondBy ?? null, ...closed });
}

function sameInstant(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : Date.parse(a) === Date.parse(b);
}

/** Takes what was lost back out of the ledger of its payment. Returns what prevents it. */
async function takeBack(own: Context, dispute: Dispute, payment: Payment): Promise<string | undefined> {
  const { LedgerItemID: lineId } = payment;
  if (lineId === null) return 'The payment is not in a ledger.';
  try {
    const line = await own.savepoint(() =>
      refundLines(own, {
        paymentLineId: lineId,
        amount: dispute.Amount ?? '0',
        captured: payment.CapturedAmount ?? '0',
        transactionNumber: dispute.GatewayDisputeID,
        reason: 'The dispute was lost.',
      }),
    );
    await updateRow(own, own.registry.recordType('PaymentDispute'), dispute.PaymentDisputeID, {
      LedgerItemID: line.LedgerItemID,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return `It is not in the ledger: ${error.message}`;
  }
}
