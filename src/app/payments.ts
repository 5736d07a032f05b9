import { PAYMENT_PROVIDER, PAYMENT_PROVIDER_TYPE, type PaymentProvider } from '../contracts/payment-provider.ts';
import type { Store } from '../kernel/database/store.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { OpenedProviders, type SavedProviderParts } from '../lib/saved-providers/saved-providers.ts';
import { storedPaymentProviders } from '../modules/ledgers/paymentprovider/lib/stored-payment-providers.ts';
import { cardGateways } from '../providers/payment-provider/card-gateway/card-gateway-type.ts';
import { testGateways } from '../providers/payment-provider/test/test-type.ts';

/** What payment gateways need. */
export interface PaymentParts extends Omit<SavedProviderParts, 'types'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Settings;
}

/** Registers the types of payment gateways, and the saved ones. */
export async function registerPayments(
  providers: ProviderRegistry,
  { store, clock, settings, ...parts }: PaymentParts,
): Promise<OpenedProviders<PaymentProvider>> {
  providers.register(PAYMENT_PROVIDER_TYPE, 'card-gateway', cardGateways(settings));
  providers.register(PAYMENT_PROVIDER_TYPE, 'test', testGateways(store, clock));
  const saved = new OpenedProviders({ ...parts, types: providers }, storedPaymentProviders);
  providers.join(PAYMENT_PROVIDER, saved);
  await saved.fresh();
  return saved;
}
