/** Settling methods that are not known yet to be stored, by querying their gateway. Nothing is ever stored here. */
import type { GatewayVaulting, VaultedMethod } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { unlessMissing } from '../../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import type { PaymentMethod } from '../charge-ledger.ts';
import { gatewayById, type Gateway } from '../gateways.ts';
import { failMethod, postponeMethod, recordMethod } from './payment-methods.ts';
import { gatewayCustomerOf } from '../payment-rows.ts';
import { isGivenUp } from '../payment-state.ts';
import { settlingFailure } from '../settling-failure.ts';

/** Most methods that one call settles. */
export const SETTLED_MAX = 200;

/** Returns the methods that are due to be settled, those that have waited longest first. */
export async function dueMethods(ctx: Context): Promise<readonly number[]> {
  const rows = await ctx.db.query<{ id: number }>(
    `select paymentmethodid as id from paymentmethod
     where status = 'Requested' and nextcheck <= $1::timestamptz order by nextcheck limit ${SETTLED_MAX}`,
    [ctx.clock.now()],
  );
  return rows.map(({ id }) => id);
}

/**
 * Queries the gateway whether a method was stored, and records that. One that cannot be settled now is postponed, so
 * that it does not keep others from being settled.
 */
export async function settleMethod(ctx: Context, id: number): Promise<PaymentMethod> {
  try {
    return await settleMethodNow(ctx, id);
  } catch (error) {
    const { code, reason } = settlingFailure(error);
    ctx.log.error('a payment method could not be settled', { paymentMethodId: id, code });
    return ctx.inTransaction((own) => postponeMethod(own, id, reason));
  }
}

/**
 * Does the same as `settleMethod`, but throws if the gateway cannot be queried. `isCanceled`: ends its page first.
 *
 * @throws UNAVAILABLE, UNKNOWN_PROVIDER
 */
export async function settleMethodNow(ctx: Context, id: number, isCanceled = false): Promise<PaymentMethod> {
  const { row, gateway, customer } = await ctx.inTransaction(async (own) => {
    const stored = await readRecord(own.db, own.registry.recordType('PaymentMethod'), id);
    return {
      row: stored,
      gateway: await gatewayById(own, stored.PaymentProviderID),
      customer: await gatewayCustomerOf(own, id),
    };
  });
  // One that was given up is recorded if the gateway has stored it after all.
  if (row.Status !== 'Requested' && row.Status !== 'Failed') return row;
  const report = (await readPage(row, gateway, isCanceled)) ?? (await findReport(row, gateway, customer));
  return ctx.inTransaction((own) => recordReport(own, row, report, isCanceled));
}

/**
 * Returns what became of the page of a method; undefined if it has none, or the gateway no longer has it. `isCanceled`:
 * ends the page first.
 */
export async function readPage(
  { GatewayReference: reference }: PaymentMethod,
  { provider }: Gateway,
  isCanceled: boolean,
): Promise<GatewayVaulting | undefined> {
  if (reference === null) return undefined;
  const reading = isCanceled ? provider.cancelVaulting?.(reference) : provider.readVaulting?.(reference);
  return await reading?.catch(unlessMissing);
}

async function findReport(
  row: PaymentMethod,
  gateway: Gateway,
  customer: string | undefined,
): Promise<GatewayVaulting | undefined> {
  const method = await findStored(row, gateway, customer);
  return method && { status: 'stored', method };
}

/** Returns the method that a gateway has stored for a request whose answer is not recorded. */
export async function findStored(
  { VaultKey }: PaymentMethod,
  { provider }: Gateway,
  customer: string | undefined,
): Promise<VaultedMethod | undefined> {
  if (customer === undefined || VaultKey === null) return undefined;
  return provider.findMethod({ key: VaultKey, customer }).catch(unlessMissing);
}

function recordReport(
  own: Context,
  { PaymentMethodID: id, CreatedDate }: PaymentMethod,
  report: GatewayVaulting | undefined,
  isCanceled: boolean,
): Promise<PaymentMethod> {
  if (report?.status === 'stored') return recordMethod(own, id, report.method);
  if (report?.status === 'ended')
    return failMethod(
      own,
      id,
      isCanceled ? "It was canceled on the gateway's page." : "The gateway's page expired before it was completed.",
    );
  if (report === undefined && isGivenUp(own.clock.milliseconds(), CreatedDate))
    return failMethod(own, id, 'The gateway has no record of it.');
  return postponeMethod(own, id, null);
}
