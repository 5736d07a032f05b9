import type { PaymentProvider } from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { insertRow } from '../../../../../kernel/records/save/insert-row.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { subscriptionAttempt } from '../attempts.ts';
import { gatewayById, type Gateway } from '../gateways.ts';
import { assertMethodReach } from '../payer-reach.ts';
import { gatewayCustomerOf } from '../payment-rows.ts';
import { nextCheck, UNANSWERED_CHECKS } from '../payment-state.ts';
import { recordFailure, recordSubscription, type StoredSubscription } from './subscription-state.ts';

const ASK_SECONDS_MAX = 60;

/** A subscription to be started. */
export interface SubscriptionStart {
  readonly methodId: number;
  readonly ledgerId: number | null;
  readonly amount: string;
  readonly currency: string;
  readonly every: 'Week' | 'Month' | 'Year';
  /** What the customer reads. */
  readonly description: string;
}

/** A request to the gateway that is recorded; or what an earlier run of the same call recorded. */
type RecordedStart = NewStart | { readonly earlier: StoredSubscription };

interface NewStart {
  readonly row: StoredSubscription;
  readonly gateway: Gateway;
  readonly customer: string;
  readonly method: string;
}

/**
 * Records a subscription, requests it from the gateway, and records the outcome: an unknown one is settled later by the
 * key, and never requested again. A repetition of the call returns the subscription that the first one requested.
 *
 * @throws STATE_REFUSES if the method cannot be charged, or the gateway declines it; UNAVAILABLE if nothing was sent
 */
export async function startSubscription(ctx: Context, start: SubscriptionStart): Promise<StoredSubscription> {
  const recorded = await ctx.inTransaction((own) => recordStart(own, start));
  if ('earlier' in recorded) return recorded.earlier;
  const { row, gateway, customer, method } = recorded;
  const id = row.PaymentSubscriptionID;
  const outcome = await requestOf(gateway.provider, start, { key: row.SubscriptionKey ?? '', customer, method }).catch(
    async (error: unknown) => {
      // By contract the gateway has not started it. Any other error says nothing about that.
      const [status, detail] =
        error instanceof PlatformError
          ? (['Canceled', error.message] as const)
          : (['Unknown', 'The call to the gateway failed.'] as const);
      await ctx.inTransaction((own) => recordFailure(own, id, { status, detail }));
      throw error;
    },
  );
  if (outcome.status === 'unknown')
    return ctx.inTransaction((own) => recordFailure(own, id, { status: 'Unknown', detail: outcome.detail }));
  const { result } = outcome;
  if (!('declined' in result)) return ctx.inTransaction((own) => recordSubscription(own, id, result));
  const { code, message } = result.declined;
  await ctx.inTransaction((own) => recordFailure(own, id, { status: 'Canceled', detail: `${code}: ${message}` }));
  throw new PlatformError('STATE_REFUSES', {
    field: 'PaymentMethodID',
    message: `PaymentMethodID: the card or bank account was declined (${code}). ${message}`,
  });
}

function requestOf(
  provider: PaymentProvider,
  { amount, currency, every, description }: SubscriptionStart,
  to: { readonly key: string; readonly customer: string; readonly method: string },
): ReturnType<PaymentProvider['createSubscription']> {
  const intervals = { Week: 'week', Month: 'month', Year: 'year' } as const;
  return provider.createSubscription({
    ...to,
    money: { amount, currency },
    every: intervals[every],
    description,
    signal: AbortSignal.timeout(ASK_SECONDS_MAX * 1_000),
  });
}

async function recordStart(own: Context, start: SubscriptionStart): Promise<RecordedStart> {
  const attempt = await subscriptionAttempt(own);
  if ('earlier' in attempt) return attempt;
  // Locked, so that it is not removed meanwhile.
  const method = await lockRecord(own, own.registry.recordType('PaymentMethod'), start.methodId);
  const isUsable = method.Status === 'Active' || method.Status === 'Inactive';
  if (!isUsable || method.GatewayMethodID === null)
    throw refused(`payment method ${start.methodId} is ${(method.Status ?? 'not stored').toLowerCase()}`);
  await assertMethodReach(own, start.methodId, 'PaymentMethodID');
  const gateway = await gatewayById(own, method.PaymentProviderID);
  const customer = await gatewayCustomerOf(own, start.methodId);
  if (customer === undefined) throw refused('the gateway does not have its customer yet; try again in a minute');
  const row = await insertRow(own, own.registry.recordType('PaymentSubscription'), {
    PaymentSubscription: start.description,
    Status: 'Requested',
    PaymentMethodID: start.methodId,
    LedgerID: start.ledgerId,
    PaymentProviderID: method.PaymentProviderID,
    Amount: start.amount,
    Currency: start.currency,
    Every: start.every,
    SubscriptionKey: attempt.key,
    RequestedDate: own.clock.now(),
    NextCheck: nextCheck(own.clock.milliseconds(), UNANSWERED_CHECKS),
    Checks: 0,
  });
  return { row, gateway, customer, method: method.GatewayMethodID };
}

function refused(what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'PaymentMethodID', message: `PaymentMethodID: ${what}.` });
}
