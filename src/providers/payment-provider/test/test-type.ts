import type { PaymentProviderType } from '../../../contracts/payment-provider.ts';
import type { Store } from '../../../kernel/database/store.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { isWebhookSecret } from '../../../lib/http/signed-webhook.ts';
import { testGatewayOptions } from './test-options.ts';
import { TestPaymentProvider } from './test-payment-provider.ts';
import { TestGatewayStore } from './test-store.ts';

/** Test gateways imitate a gateway, for trials and tests. No money moves. */
export function testGateways(store: Store, clock: Clock): PaymentProviderType<typeof testGatewayOptions> {
  return {
    options: testGatewayOptions,
    validate({ options: { WebhookSecret: secret, SettleSeconds = 60 } }) {
      if (secret !== undefined && !isWebhookSecret(secret))
        throw bad('WebhookSecret', 'whsec_ and at least 24 random bytes as base64');
      if (SettleSeconds < 0 || SettleSeconds > 86_400) throw bad('SettleSeconds', 'between 0 and 86400');
    },
    open: ({ id, options }) => new TestPaymentProvider(new TestGatewayStore(store, clock, id), options),
  };
}
