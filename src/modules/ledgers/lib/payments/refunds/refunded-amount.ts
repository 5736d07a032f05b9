import type { Row } from '../../../../../kernel/door/answer.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { paymentRefund } from '../../../paymentrefund/paymentrefund.record.ts';
import { moneyText, moneyUnits } from '../../money.ts';

/**
 * Returns the amount that was refunded of a payment: what its gateway reports, in ten-thousandths, or the sum of the
 * refunds that have succeeded here, if the report is older than they are.
 */
export async function refundedAmount(own: Context, paymentId: number, reported: bigint): Promise<string> {
  const here = await refundedUnits(own, paymentId, ['Succeeded']);
  return moneyText(reported > here ? reported : here);
}

/** Returns the sum of a payment's refunds in some statuses, in ten-thousandths. */
export async function refundedUnits(
  own: Context,
  paymentId: number,
  inStatus: readonly NonNullable<Row<typeof paymentRefund>['Status']>[],
): Promise<bigint> {
  const [row] = await own.db.query<{ amount: string }>(
    `select coalesce(sum(amount), 0) as amount from paymentrefund
     where paymentid = $1::bigint and status = any($2::text[])`,
    [paymentId, arrayLiteral(inStatus)],
  );
  return moneyUnits(row?.amount ?? '0');
}
