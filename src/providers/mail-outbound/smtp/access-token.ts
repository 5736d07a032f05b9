import { sendOutboundRequest } from '../../../lib/http/outbound-request.ts';
import { outboundUrl, type OutboundRules } from '../../../kernel/security/outbound.ts';

/** The largest answer of a server of tokens. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** How long a token is used where the server does not say, and how much earlier than it ends. */
const TOKEN_SECONDS = 300;
const MARGIN_SECONDS = 60;

/** What is exchanged for an access token. */
export interface TokenAccount {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly refreshToken: string;
  readonly milliseconds: number;
  readonly rules: () => OutboundRules;
}

/** An access token, and how long it may be used. */
export interface AccessToken {
  readonly token: string;
  readonly milliseconds: number;
}

/**
 * Exchanges a refresh token for an access token, by OAuth 2 (RFC 6749, section 6). The connection is made to an address that was
 * looked at, as every connection of the platform's own; the library's own exchange would not look.
 */
export async function requestAccessToken({
  url: text,
  clientId,
  clientSecret,
  refreshToken,
  milliseconds,
  rules,
}: TokenAccount): Promise<AccessToken> {
  const url = outboundUrl(rules(), text, 'TokenURL');
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  const { status, body: answer } = await sendOutboundRequest(url, {
    method: 'POST',
    headers,
    body,
    rules: rules(),
    milliseconds,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  const said = parseObject(answer);
  const { access_token: token, expires_in: seconds } = said;
  if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token))
    throw new Error(
      `the server of tokens answered ${status}${typeof said['error'] === 'string' ? ` ${said['error'].slice(0, 60)}` : ''}`,
    );
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
