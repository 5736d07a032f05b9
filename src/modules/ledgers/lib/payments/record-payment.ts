/** Recording what gateways report. */
import type { GatewayPayment } from '../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { moneyUnits } from '../money.ts';
import { applyCaptured } from './apply-captured.ts';
import { detailText, nextCheck, reportedValues } from './payment-state.ts';
import { lockPayment, type Payment } from './payment-rows.ts';
import { refundedAmount } from './refunds/refunded-amount.ts';

/**
 * Records a payment as its gateway reports it, whoever received the report: the call that requested it, a settlement, a
 * webhook or a reconciliation. Once it was captured, its line is in its ledger, once. Reports may be repeated and may
 * arrive in any order. Needs a transaction.
 */
export async function recordPayment(own: Context, id: number, report: GatewayPayment): Promise<Payment> {
  const row = await lockPayment(own, id);
  const values = reportedValues(row, report, own.clock.milliseconds());
  if (Object.keys(values).length === 0) return row;
  const record = own.registry.recordType('Payment');
  const RefundedAmount = await refundedAmount(own, id, moneyUnits(report.refunded));
  const reported = await updateRow(own, record, id, { ...values, RefundedAmount });
  const applied = await applyCaptured(own, reported, report);
  return Object.keys(applied).length === 0 ? reported : updateRow(own, record, id, applied);
}

/** Records that it is not known whether the gateway carried a request out. Needs a transaction. */
export async function recordUnknown(own: Context, id: number, detail: string): Promise<Payment> {
  const row = await lockPayment(own, id);
  if (row.Status !== 'Requested' && row.Status !== 'Unknown') return row;
  const checks = row.Status === 'Unknown' ? (row.Checks ?? 0) + 1 : 0;
  return updateRow(own, own.registry.recordType('Payment'), id, {
    Status: 'Unknown',
    Detail: detailText(detail),
    Checks: checks,
    NextCheck: nextCheck(own.clock.milliseconds(), checks),
  });
}

/** Records that the gateway has not carried a request out. Needs a transaction. */
export async function recordNotCharged(own: Context, id: number, detail: string): Promise<Payment> {
  const row = await lockPayment(own, id);
  if (row.Status !== 'Requested' && row.Status !== 'Unknown') return row;
  return updateRow(own, own.registry.recordType('Payment'), id, {
    Status: 'NotCarriedOut',
    Detail: detailText(detail),
    SettledDate: own.clock.now(),
    NextCheck: null,
  });
}
