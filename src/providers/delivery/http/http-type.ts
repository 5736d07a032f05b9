import type { MailHouseType } from '../../../contracts/delivery.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { isWebhookSecret } from '../../../lib/http/signed-webhook.ts';
import { assertPrices } from '../prices.ts';
import { HttpMailHouse } from './http-mail-house.ts';
import { httpMailHouseOptions } from './http-options.ts';

/** Mail houses that take letters over HTTP. */
export function httpMailHouses(settings: Settings): MailHouseType<typeof httpMailHouseOptions> {
  return {
    options: httpMailHouseOptions,
    validate({ options }) {
      const { Endpoint, ApiKey, WebhookSecret: secret, ToleranceSeconds = 300, TimeoutSeconds = 60 } = options;
      const url = outboundUrl(outboundRules(settings), Endpoint, 'Endpoint');
      if (url.search !== '' || url.hash !== '') throw bad('Endpoint', 'an address without ? and #');
      if (!/^[\x21\x23-\x5b\x5d-\x7e]{8,4000}$/.test(ApiKey))
        throw bad('ApiKey', 'at least 8 characters, without spaces, quotes or backslashes');
      if (secret !== undefined && !isWebhookSecret(secret))
        throw bad('WebhookSecret', 'whsec_ and at least 24 random bytes as base64');
      if (ToleranceSeconds < 10 || ToleranceSeconds > 3_600) throw bad('ToleranceSeconds', 'between 10 and 3600');
      if (TimeoutSeconds < 1 || TimeoutSeconds > 300) throw bad('TimeoutSeconds', 'between 1 and 300');
      assertPrices(options);
    },
    open: ({ options }) => new HttpMailHouse(options, () => outboundRules(settings)),
  };
}
