import type { GatewayRefund } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Gateway } from '../gateways.ts';
import { readOwnRefunds } from '../reconcile/own-rows.ts';
import { recordRefund } from '../refunds/settle-refunds.ts';

/**
 * Records a refund as its gateway reports it now, in a transaction of its own. Returns `unknown` for one that was not
 * requested here.
 */
export async function applyRefund(
  ctx: Context,
  gateway: Gateway,
  theirs: GatewayRefund,
): Promise<'applied' | 'current' | 'unknown'> {
  const keys = theirs.key === undefined ? [] : [theirs.key];
  const [row] = await readOwnRefunds(ctx, gateway.id, { ids: [theirs.id], keys });
  if (!row) return 'unknown';
  const isApplied = row.status !== 'Succeeded' || row.lineId !== null || row.paymentLineId === null;
  if (isApplied && row.gatewayId === theirs.id && (row.status ?? '').toLowerCase() === theirs.status) return 'current';
  await ctx.inTransaction((own) => recordRefund(own, row.id, theirs));
  return 'applied';
}
