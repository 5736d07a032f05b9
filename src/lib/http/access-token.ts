import { outboundUrl, type OutboundRules } from '../../kernel/security/outbound.ts';
import { sendOutboundRequest } from './outbound-request.ts';

/** Largest response of a token server. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** Default lifetime of a token, and how long before its end it is renewed. */
const TOKEN_SECONDS = 300;
const MARGIN_SECONDS = 60;

/** A grant that is exchanged for an access token. */
export interface TokenRequest {
  readonly url: string;
  /** The parameters of the grant, such as grant_type and client_id. */
  readonly grant: Readonly<Record<string, string>>;
  readonly milliseconds: number;
  readonly rules: () => OutboundRules;
}

/** An access token, and for how long it is used. */
export interface AccessToken {
  readonly token: string;
  readonly milliseconds: number;
}

/** The token server responded, but not with a token. */
export class TokenRefused extends Error {
  /** Whether the credentials are wrong: another attempt with them fails, too. */
  readonly isFinal: boolean;

  constructor(status: number, error: unknown) {
    super(`the token server responded with ${status}${typeof error === 'string' ? ` ${error.slice(0, 60)}` : ''}`);
    this.isFinal = status === 400 || status === 401 || status === 403;
  }
}

/**
 * Exchanges a grant for an access token, by OAuth 2 (RFC 6749). Connects only to a checked address, as every outgoing
 * connection of the platform does.
 * @throws TokenRefused, or the error of the connection
 */
export async function requestToken({ url: text, grant, milliseconds, rules }: TokenRequest): Promise<AccessToken> {
  const url = outboundUrl(rules(), text, 'TokenURL');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  const { status, body: answer } = await sendOutboundRequest(url, {
    method: 'POST',
    headers,
    body: new URLSearchParams(grant).toString(),
    rules: rules(),
    milliseconds,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  const fields = parseObject(answer);
  const { access_token: token, expires_in: seconds } = fields;
  if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token))
    throw new TokenRefused(status, fields['error']);
  return {
    token,
    milliseconds: Math.max(1, (typeof seconds === 'number' ? seconds : TOKEN_SECONDS) - MARGIN_SECONDS) * 1_000,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
