/** Storing a card or bank account on the gateway's own page: the start, and the return of the browser. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PaymentProvider } from '../../../../../contracts/payment-provider.ts';
import { publicAddress } from '../../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import type { PaymentMethod } from '../charge-ledger.ts';
import { customerAtGateway } from '../customers.ts';
import { gatewayById } from '../gateways.ts';
import { failMethod, postponeMethod, requestMethod, type NewMethod } from './payment-methods.ts';
import { settleMethodNow } from './settle-methods.ts';

/** Minutes for which the gateway's page can be used. */
const PAGE_MINUTES = 60;
/** Minutes after that in which the browser may still return. */
const RETURN_MINUTES = 15;
/** The page to which browsers return. */
const RETURN_PATH = '/payments/methods/return';

/** A method whose customer enters it on the gateway's page. */
export interface StartedPage {
  readonly row: PaymentMethod;
  /** The address of the gateway's page. */
  readonly url: string;
}

/**
 * Starts the page of a customer's gateway on which a card or bank account is stored. The browser returns with a state
 * of which only the hash is stored, together with the user and the session.
 *
 * @throws STATE_REFUSES if the gateway has no such page, UNAVAILABLE
 */
export async function startPage(ctx: Context, of: NewMethod): Promise<StartedPage> {
  const { id: customer, gateway } = await customerAtGateway(ctx, of.customerId);
  const { provider } = gateway;
  if (!hasPage(provider))
    throw new PlatformError('STATE_REFUSES', {
      field: 'PaymentCustomerID',
      message: `PaymentCustomerID: payment gateway ${gateway.name} has no page on which cards are stored.`,
    });
  const state = randomBytes(32).toString('base64url');
  const row = await ctx.inTransaction((own) =>
    requestMethod(own, of, { gatewayId: gateway.id, returnHash: hashOf(ctx, state) }),
  );
  const id = row.PaymentMethodID;
  const { reference, url } = await requestPage(ctx, { provider, customer }, { row, state });
  const record = ctx.registry.recordType('PaymentMethod');
  const started = await ctx.inTransaction((own) => updateRow(own, record, id, { GatewayReference: reference }));
  return { row: started, url };
}

/** A provider whose gateway has a page on which cards are stored. */
type PageProvider = PaymentProvider & Required<Pick<PaymentProvider, 'startVaulting'>>;

function hasPage(provider: PaymentProvider): provider is PageProvider {
  return provider.startVaulting !== undefined;
}

async function requestPage(
  ctx: Context,
  { provider, customer }: { readonly provider: PageProvider; readonly customer: string },
  { row, state }: { readonly row: PaymentMethod; readonly state: string },
): Promise<{ readonly reference: string; readonly url: string }> {
  const address = new URL(RETURN_PATH, ctx.settings.get(publicAddress));
  address.search = new URLSearchParams({ ID: String(row.PaymentMethodID), State: state }).toString();
  try {
    return await provider.startVaulting(customer, {
      key: row.VaultKey ?? '',
      returnUrl: address.href,
      cancelUrl: `${address.href}&Canceled=true`,
      expires: new Date(ctx.clock.milliseconds() + PAGE_MINUTES * 60_000).toISOString(),
    });
  } catch (error) {
    // Nobody has the address of a page that the gateway may have started: nothing can be stored on it.
    const detail = error instanceof PlatformError ? error.message : 'The call to the gateway failed.';
    await ctx.inTransaction((own) => failMethod(own, row.PaymentMethodID, detail));
    throw error;
  }
}

/**
 * Returns a method and the gateway's page on which its user enters it, as long as that can be used.
 *
 * @throws NO_PERMISSION for another user, STATE_REFUSES if it can't be used anymore, UNAVAILABLE
 */
export async function continuePage(ctx: Context, row: PaymentMethod): Promise<StartedPage> {
  const { PaymentMethodID: id, GatewayReference: reference } = row;
  if (row.CreatedPersonID !== ctx.user.personId)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only the user who opened the page of the payment gateway can continue there.',
    });
  const { provider } = await ctx.inTransaction((own) => gatewayById(own, row.PaymentProviderID));
  const page = row.Status === 'Requested' && reference !== null ? await provider.readVaulting?.(reference) : undefined;
  if (page?.status === 'open' && page.url !== undefined) return { row, url: page.url };
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: the gateway's page of payment method ${id} was completed, or has expired. Add the card again.`,
  });
}

/** What a browser brings back from the gateway's page. */
export interface PageReturn {
  readonly state: string;
  readonly isCanceled: boolean;
}

/**
 * Records what became of the gateway's page from which the browser returns, once. If the gateway cannot be queried now,
 * the method stays Requested and is settled later.
 *
 * @throws STATE_REFUSES for a return that was used, is forged, too late, or of another user or session
 */
export async function finishPage(ctx: Context, id: number, { state, isCanceled }: PageReturn): Promise<PaymentMethod> {
  await ctx.inTransaction((own) => useReturn(own, id, state));
  try {
    return await settleMethodNow(ctx, id, isCanceled);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'UNAVAILABLE') throw error;
    return ctx.inTransaction((own) => postponeMethod(own, id, error.message));
  }
}

/** Checks a return and makes it unusable. */
async function useReturn(own: Context, id: number, state: string): Promise<void> {
  const record = own.registry.recordType('PaymentMethod');
  const row = await lockRecord(own, record, id);
  const [stored] = await own.db.query<{ hash: string | null }>(
    'select returnhash as hash from paymentmethod where paymentmethodid = $1::bigint',
    [id],
  );
  const hash = stored?.hash ?? null;
  if (hash === null) throw refused('was used before, or its page is over');
  if (!timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(own, state))))
    throw refused('does not belong to this user and session');
  const minutes = (own.clock.milliseconds() - Date.parse(row.CreatedDate)) / 60_000;
  if (!(minutes <= PAGE_MINUTES + RETURN_MINUTES)) throw refused('has expired');
  await updateRow(own, record, id, { ReturnHash: null });
}

function hashOf({ user }: Context, state: string): string {
  return createHash('sha256')
    .update(`${user.personId} ${user.session?.sessionId ?? ''} ${state}`)
    .digest('hex');
}

function refused(why: string): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'State',
    message:
      `State: this return from the payment gateway ${why}. If the card was stored there, Casewright records it by ` +
      'itself within minutes; otherwise, add it again.',
  });
}
