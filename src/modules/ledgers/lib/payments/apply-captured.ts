import type { GatewayPayment } from '../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { applyPayment } from '../apply-payment.ts';
import type { payment } from '../../payment/payment.record.ts';
import { finishLedger, finishRefusal } from '../finish-ledger.ts';
import { detailText, nextCheck } from './payment-state.ts';
import type { Payment } from './payment-rows.ts';

/**
 * Applies a captured payment to its locked ledger, and posts the ledger if the payment was for its balance. Returns the
 * columns of the payment that this changes. What prevents it does not lose the payment: it is applied later.
 */
export async function applyCaptured(
  own: Context,
  row: Payment,
  report: GatewayPayment,
): Promise<Values<typeof payment>> {
  const { LedgerID, LedgerItemID, Currency } = row;
  if (LedgerID === null || LedgerItemID !== null || report.status !== 'captured') return {};
  try {
    return await own.savepoint(async () => {
      if (report.money.currency !== Currency)
        throw new PlatformError('STATE_REFUSES', {
          message: `It was captured in ${report.money.currency}, not in ${String(Currency)}.`,
        });
      const ledger = await readRecord(own.db, own.registry.recordType('Ledger'), LedgerID);
      if (ledger.Currency !== Currency)
        throw new PlatformError('STATE_REFUSES', {
          message: `The ledger is in ${ledger.Currency ?? 'no currency'} now; the payment is in ${Currency}.`,
        });
      const line = await applyPayment(own, ledger, {
        amount: report.captured,
        transactionNumber: report.id,
        isTaken: true,
      });
      if (row.Purpose === 'AuthorizeAndCapture') await postCharged(own, LedgerID);
      return { LedgerItemID: line.LedgerItemID };
    });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    own.log.error('a captured payment is not in its ledger yet', { paymentId: row.PaymentID, ledgerId: LedgerID });
    own.alert({
      code: error.code,
      id: row.PaymentID,
      text: `Payment ${row.PaymentID} was captured, but is not in ledger ${LedgerID} yet: ${error.message}`,
    });
    const now = own.clock.milliseconds();
    return {
      Detail: detailText(`Not in the ledger yet. ${error.message}`),
      NextCheck: nextCheck(now, row.Checks ?? 0),
    };
  }
}

/** Posts the ledger of a payment, unless somebody has locked or posted it since. */
async function postCharged(own: Context, ledgerId: number): Promise<void> {
  const ledger = await readRecord(own.db, own.registry.recordType('Ledger'), ledgerId);
  const refusal = finishRefusal(own, ledger, 'Posted');
  if (refusal) own.alert(refusal);
  else await finishLedger(own, ledger, 'Posted');
}
