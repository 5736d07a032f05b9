import { sendOutboundRequest } from '../../../lib/http/outbound-request.ts';
import { outboundUrl, type OutboundRules } from '../../../kernel/security/outbound.ts';

/** Largest response of a token server. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** Default lifetime of a token, and how long before its end it is renewed. */
const TOKEN_SECONDS = 300;
const MARGIN_SECONDS = 60;

/** Credentials that are exchanged for an access token. */
export interface TokenAccount {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly refreshToken: string;
  readonly milliseconds: number;
  readonly rules: () => OutboundRules;
}

/** An access token and its lifetime. */
export interface AccessToken {
  readonly token: string;
  readonly milliseconds: number;
}

/**
 * Exchanges a refresh token for an access token, by OAuth 2 (RFC 6749, section 6). Connects only to a checked address,
 * as every outgoing connection of the platform does; the mail library's own exchange does not check.
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
  const fields = parseObject(answer);
  const { access_token: token, expires_in: seconds } = fields;
  if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token))
    throw new Error(
      'the token server responded with ' +
        `${status}${typeof fields['error'] === 'string' ? ` ${fields['error'].slice(0, 60)}` : ''}`,
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
