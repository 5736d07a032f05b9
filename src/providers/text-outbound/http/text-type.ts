import type { TextOutboundType } from '../../../contracts/text-outbound.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { HttpTextOutbound } from './http-text-outbound.ts';
import { httpTextOptions } from './text-options.ts';

/** Services that accept text messages over HTTP. */
export function httpTextServices(settings: Settings): TextOutboundType<typeof httpTextOptions> {
  return {
    options: httpTextOptions,
    validate({ options: { Endpoint, ApiKey, IdempotencyHeader, Sender } }) {
      outboundUrl(outboundRules(settings), Endpoint, 'Endpoint');
      if (!/^[\x21\x23-\x5b\x5d-\x7e]{8,4000}$/.test(ApiKey))
        throw bad('ApiKey', 'at least 8 characters, without spaces, quotes or backslashes');
      if (!/^[A-Za-z][A-Za-z0-9-]{0,59}$/.test(IdempotencyHeader) || ownHeaders.has(IdempotencyHeader.toLowerCase()))
        throw bad('IdempotencyHeader', 'the name of a header, such as Idempotency-Key, or none');
      if (!/^\+?[\p{L}\p{N} .-]{1,60}$/u.test(Sender)) throw bad('Sender', 'a number such as +12025550100, or a name');
    },
    open: ({ options }) => new HttpTextOutbound(options, () => outboundRules(settings)),
  };
}

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
