import type { PaymentProviderType } from '../../../contracts/payment-provider.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { cardGatewayOptions } from './card-gateway-options.ts';
import { CardGateway } from './card-gateway.ts';

/** Card gateways with the interface of the library `stripe`. */
export function cardGateways(settings: Settings): PaymentProviderType<typeof cardGatewayOptions> {
  return {
    options: cardGatewayOptions,
    validate({ options: { ApiKey, WebhookSecret: secret, BaseURL } }) {
      if (!/^[\x21\x23-\x5b\x5d-\x7e]{8,2000}$/.test(ApiKey))
        throw bad('ApiKey', 'at least 8 characters, without spaces, quotes or backslashes');
      if (ApiKey.startsWith('pk_')) throw bad('ApiKey', 'a secret or restricted key, not a public one');
      if (secret !== undefined && !/^[\x21-\x7e]{16,500}$/.test(secret))
        throw bad('WebhookSecret', 'at least 16 characters, without spaces');
      if (BaseURL === undefined) return;
      const { pathname, search } = outboundUrl(outboundRules(settings), BaseURL, 'BaseURL');
      if (pathname !== '/' || search !== '') throw bad('BaseURL', 'an address without a path');
    },
    open: ({ options }) => new CardGateway(options, () => outboundRules(settings)),
  };
}
