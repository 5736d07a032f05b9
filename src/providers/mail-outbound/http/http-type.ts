import { isMailAddress } from '../../../contracts/mail-validation.ts';
import type { MailOutboundType } from '../../../contracts/mail-outbound.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { isWebhookSecret } from '../../../lib/http/signed-webhook.ts';
import { HttpMailOutbound } from './http-mail-outbound.ts';
import { httpMailOptions } from './http-options.ts';

/** Headers that the request itself has. */
const ownHeaders = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** Services that accept mail as JSON over HTTP. */
export function httpServices(settings: Settings): MailOutboundType<typeof httpMailOptions> {
  return {
    options: httpMailOptions,
    validate({ options: { Endpoint, ApiKey, IdempotencyHeader, FromAddress, FromName = '', WebhookSecret: secret } }) {
      outboundUrl(outboundRules(settings), Endpoint, 'Endpoint');
      if (!/^[\x21\x23-\x5b\x5d-\x7e]{8,4000}$/.test(ApiKey))
        throw bad('ApiKey', 'at least 8 characters, without spaces, quotes or backslashes');
      if (!/^[A-Za-z][A-Za-z0-9-]{0,59}$/.test(IdempotencyHeader) || ownHeaders.has(IdempotencyHeader.toLowerCase()))
        throw bad('IdempotencyHeader', 'the name of a header, such as Idempotency-Key, or none');
      if (!isMailAddress(FromAddress)) throw bad('FromAddress', 'an email address such as cases@example.com');
      if (/\p{Cc}/u.test(FromName)) throw bad('FromName', 'a name on one line');
      if (secret !== undefined && !isWebhookSecret(secret))
        throw bad('WebhookSecret', 'whsec_ and at least 24 random bytes as base64');
    },
    open: ({ options }) => new HttpMailOutbound(options, () => outboundRules(settings)),
  };
}
