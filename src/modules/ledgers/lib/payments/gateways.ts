/** The payment gateways that payments, customers and methods refer to. */
import { PAYMENT_PROVIDER, type PaymentProvider } from '../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** A payment gateway. */
export interface Gateway {
  readonly id: number;
  readonly name: string;
  readonly provider: PaymentProvider;
}

/**
 * Returns a gateway by its ID, also an inactive one. Needs a transaction. Users of firms do not see gateways, but their
 * payments go through them.
 *
 * @throws UNKNOWN_PROVIDER
 */
export async function gatewayById(own: Context, id: number | null): Promise<Gateway> {
  const [row] = await own
    .transaction()
    .elevated((db) =>
      db.query<{ name: string }>(
        'select paymentprovider as name from paymentprovider where paymentproviderid = $1::bigint',
        [id],
      ),
    );
  if (id === null || !row)
    throw new PlatformError('UNKNOWN_PROVIDER', {
      field: 'PaymentProviderID',
      message: 'PaymentProviderID: this payment gateway was deleted.',
    });
  return { id, name: row.name, provider: own.providers.get(PAYMENT_PROVIDER, row.name) };
}

/**
 * Returns the active gateway with a name; without a name, the default: the first active one. Needs a transaction.
 *
 * @throws UNKNOWN_PROVIDER
 */
export async function gatewayByName(own: Context, name: string | null): Promise<Gateway> {
  const [row] = await own.transaction().elevated((db) =>
    db.query<{ id: number; name: string }>(
      `select paymentproviderid as id, paymentprovider as name from paymentprovider
       where coalesce(active, true) and ($1::text is null or paymentprovider = $1::text)
       order by sequence nulls last, paymentproviderid limit 1`,
      [name?.trim() ? name.trim() : null],
    ),
  );
  if (!row)
    throw new PlatformError('UNKNOWN_PROVIDER', {
      field: 'Provider',
      message:
        name === null
          ? 'Provider: there is no active payment gateway. An administrator can add one with paymentprovider/save.'
          : `Provider: there is no active payment gateway named ${name}.`,
    });
  return { ...row, provider: own.providers.get(PAYMENT_PROVIDER, row.name) };
}

/** The queue of payments' own work, if the installation has it. */
export const PAYMENTS_QUEUE = 'Payments';

/** Returns the ID of the default gateway; null if there is none. */
export async function defaultGatewayId(ctx: Context): Promise<number | null> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<{ id: number }>(
      `select paymentproviderid as id from paymentprovider where coalesce(active, true)
       order by sequence nulls last, paymentproviderid limit 1`,
    ),
  );
  return row?.id ?? null;
}
