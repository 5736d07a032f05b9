/** Refunds: recorded before they are sent, settled by querying the gateway. */
import type { GatewayRefund } from '../../../../../contracts/payment-provider.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { fromOf, selectListOf } from '../../../../../kernel/database/sql.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import type { paymentRefund } from '../../../paymentrefund/paymentrefund.record.ts';
import { moneyText, moneyUnits } from '../../money.ts';
import { refundLines, restoreRefund } from './refund-lines.ts';
import { refundedAmount } from './refunded-amount.ts';
import type { Gateway } from '../gateways.ts';
import { detailText, isGivenUp, nextCheck } from '../payment-state.ts';
import { lockPayment, type Payment } from '../payment-rows.ts';

/** A stored refund. */
export type Refund = Row<typeof paymentRefund>;

type RefundStatus = NonNullable<Refund['Status']>;

const statuses = { succeeded: 'Succeeded', pending: 'Pending', failed: 'Failed' } as const;
/** Statuses never move to a lower rank: reports may arrive in any order. */
const ranks: Readonly<Record<RefundStatus, number>> = {
  Requested: 0,
  Unknown: 0,
  NotCarriedOut: 0,
  Pending: 1,
  Succeeded: 2,
  // A bank may return a refund that had succeeded.
  Failed: 3,
};

/**
 * Records a refund as its gateway reports it. Once it has succeeded, its lines are in the payment's ledger, once; if it
 * fails after that, its amount is a payment again. Needs a transaction.
 */
export async function recordRefund(own: Context, id: number, report: GatewayRefund): Promise<Refund> {
  const record = own.registry.recordType('PaymentRefund');
  const { PaymentID } = await readRecord(own.db, record, id);
  const payment = await lockPayment(own, Number(PaymentID));
  const row = await lockRecord(own, record, id);
  const status = statuses[report.status];
  if (ranks[status] <= ranks[row.Status ?? 'Requested'] && row.Status !== status) return row;
  const now = own.clock.milliseconds();
  const isSettled = status !== 'Pending';
  const reported = await updateRow(own, record, id, {
    Status: status,
    GatewayRefundID: report.id,
    Detail: null,
    Checks: (row.Checks ?? 0) + 1,
    NextCheck: isSettled ? null : nextCheck(now, 6),
    ...(isSettled && row.SettledDate === null ? { SettledDate: own.clock.now() } : {}),
  });
  if (status === 'Failed') {
    if (row.Status === 'Succeeded') await setRefunded(own, payment, -moneyUnits(row.Amount ?? '0'));
    return takeRefundBack(own, reported, payment);
  }
  if (status === 'Succeeded' && row.Status !== 'Succeeded') await setRefunded(own, payment, 0n);
  return applyRefund(own, reported, payment);
}

/** Changes what was refunded of a payment by an amount, in ten-thousandths, for a refund whose status has changed. */
async function setRefunded(own: Context, { PaymentID: id, RefundedAmount }: Payment, change: bigint): Promise<void> {
  const refunded = await refundedAmount(own, id, moneyUnits(RefundedAmount ?? '0') + change);
  if (refunded !== moneyText(moneyUnits(RefundedAmount ?? '0')))
    await updateRow(own, own.registry.recordType('Payment'), id, { RefundedAmount: refunded });
}

/** Adds the lines of a refund to its payment's ledger, once. What prevents it is tried again later. */
async function applyRefund(own: Context, row: Refund, payment: Payment): Promise<Refund> {
  if (row.Status !== 'Succeeded' || row.LedgerItemID !== null || payment.LedgerItemID === null) return row;
  const record = own.registry.recordType('PaymentRefund');
  const lineId = payment.LedgerItemID;
  try {
    const line = await own.savepoint(() =>
      refundLines(own, {
        paymentLineId: lineId,
        amount: row.Amount ?? '0',
        captured: payment.CapturedAmount ?? '0',
        transactionNumber: row.GatewayRefundID,
        reason: row.Reason,
      }),
    );
    return await updateRow(own, record, row.PaymentRefundID, { LedgerItemID: line.LedgerItemID });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    own.log.error('a refund is not in its ledger yet', { refundId: row.PaymentRefundID, ledgerId: payment.LedgerID });
    return updateRow(own, record, row.PaymentRefundID, {
      Detail: detailText(`Not in the ledger yet. ${error.message}`),
      NextCheck: nextCheck(own.clock.milliseconds(), row.Checks ?? 0),
    });
  }
}

/**
 * Adds the amount of a failed refund to the ledger as a payment, once. The refund then has no line. If the ledger
 * refuses it, it is tried again later.
 */
async function takeRefundBack(own: Context, row: Refund, payment: Payment): Promise<Refund> {
  if (row.LedgerItemID === null) return row;
  const record = own.registry.recordType('PaymentRefund');
  const refundLineId = row.LedgerItemID;
  try {
    return await own.savepoint(async () => {
      const { line, isReversal } = await restoreRefund(own, {
        refundLineId,
        amount: row.Amount ?? '0',
        transactionNumber: row.GatewayRefundID,
      });
      // The payment's own line was reversed; this one is paid back by its next refund.
      if (isReversal && payment.LedgerItemID !== null)
        await updateRow(own, own.registry.recordType('Payment'), payment.PaymentID, {
          LedgerItemID: line.LedgerItemID,
        });
      return updateRow(own, record, row.PaymentRefundID, {
        LedgerItemID: null,
        Detail: `It failed after it had succeeded. Line ${line.LedgerItemID} of the ledger has its amount again.`,
      });
    });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { PaymentRefundID: refundId } = row;
    own.log.error('a failed refund is still in its ledger', { refundId, ledgerId: payment.LedgerID });
    return updateRow(own, record, refundId, {
      Detail: detailText(`It failed after it had succeeded, and is still in the ledger. ${error.message}`),
      NextCheck: nextCheck(own.clock.milliseconds(), row.Checks ?? 0),
    });
  }
}

/** Records that it is not known whether a refund was carried out. Needs a transaction. */
export async function recordUnknownRefund(own: Context, id: number, detail: string): Promise<Refund> {
  const record = own.registry.recordType('PaymentRefund');
  const row = await lockRecord(own, record, id);
  if (row.Status !== 'Requested' && row.Status !== 'Unknown') return row;
  const checks = row.Status === 'Unknown' ? (row.Checks ?? 0) + 1 : 0;
  return updateRow(own, record, id, {
    Status: 'Unknown',
    Detail: detailText(detail),
    Checks: checks,
    NextCheck: nextCheck(own.clock.milliseconds(), checks),
  });
}

/** Records that the gateway has not carried a refund out. Needs a transaction. */
export async function recordNotRefunded(own: Context, id: number, detail: string): Promise<Refund> {
  const record = own.registry.recordType('PaymentRefund');
  const row = await lockRecord(own, record, id);
  if (row.Status !== 'Requested' && row.Status !== 'Unknown') return row;
  return updateRow(own, record, id, {
    Status: 'NotCarriedOut',
    Detail: detailText(detail),
    SettledDate: own.clock.now(),
    NextCheck: null,
  });
}

/** Queries the gateway for the open refunds of a payment, and records what it reports. */
export async function settleRefunds(ctx: Context, payment: Payment, gateway: Gateway): Promise<void> {
  const open = await ctx.inTransaction((own) => openRefunds(own, payment.PaymentID));
  for (const row of open) await settleRefund(ctx, { row, payment, gateway });
}

/** Queries the gateway for the open refunds of a payment later. Needs a transaction. */
export async function postponeRefunds(own: Context, paymentId: number, detail: string): Promise<void> {
  for (const { PaymentRefundID } of await openRefunds(own, paymentId))
    await postponeRefund(own, PaymentRefundID, detail);
}

function openRefunds(own: Context, paymentId: number): Promise<readonly Refund[]> {
  const record = own.registry.recordType('PaymentRefund');
  return own.db.query<Refund>(
    `select ${selectListOf(record)} from ${fromOf(record)}
     where paymentrefund.paymentid = $1::bigint and paymentrefund.nextcheck is not null
     order by paymentrefund.paymentrefundid`,
    [paymentId],
  );
}

/** Queries the gateway for a refund later, whatever its status. Needs a transaction. */
async function postponeRefund(own: Context, id: number, detail: string): Promise<Refund> {
  const record = own.registry.recordType('PaymentRefund');
  const row = await lockRecord(own, record, id);
  if (row.Status === 'Requested' || row.Status === 'Unknown') return recordUnknownRefund(own, id, detail);
  if (row.NextCheck === null) return row;
  const checks = (row.Checks ?? 0) + 1;
  return updateRow(own, record, id, {
    Detail: detailText(detail),
    Checks: checks,
    NextCheck: nextCheck(own.clock.milliseconds(), checks),
  });
}

async function settleRefund(
  ctx: Context,
  { row, payment, gateway }: { readonly row: Refund; readonly payment: Payment; readonly gateway: Gateway },
): Promise<void> {
  const { PaymentRefundID: id, GatewayRefundID: known } = row;
  let report: GatewayRefund | undefined;
  try {
    report =
      known === null
        ? await gateway.provider.findRefund({ key: row.RefundKey ?? '', payment: payment.GatewayPaymentID ?? '' })
        : await gateway.provider.readRefund(known);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    await ctx.inTransaction((own) => postponeRefund(own, id, `The gateway could not be queried. ${error.message}`));
    return;
  }
  await ctx.inTransaction((own) => {
    if (report) return recordRefund(own, id, report);
    return isGivenUp(own.clock.milliseconds(), row.RequestedDate)
      ? recordNotRefunded(own, id, 'The gateway has no record of it.')
      : recordUnknownRefund(own, id, 'The gateway has no record of it yet.');
  });
}
