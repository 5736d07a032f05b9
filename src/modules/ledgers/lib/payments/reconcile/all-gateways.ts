import { PAYMENT_PROVIDER } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Gateway } from '../gateways.ts';

/** Returns all payment gateways that work, the inactive ones included; or those with an ID or a name. */
export async function readGateways(
  ctx: Context,
  of: { readonly id?: number | null; readonly name?: string } = {},
): Promise<readonly Gateway[]> {
  const rows = await ctx.db.query<{ id: number; name: string }>(
    `select paymentproviderid as id, paymentprovider as name from paymentprovider
     where ($1::bigint is null or paymentproviderid = $1::bigint) and ($2::text is null or paymentprovider = $2::text)
     order by sequence nulls last, paymentproviderid`,
    [of.id ?? null, of.name ?? null],
  );
  // One whose secrets cannot be decrypted is not opened; health and the log say so.
  const opened = new Set(ctx.providers.names(PAYMENT_PROVIDER));
  return rows
    .filter(({ name }) => opened.has(name))
    .map((row) => ({ ...row, provider: ctx.providers.get(PAYMENT_PROVIDER, row.name) }));
}
