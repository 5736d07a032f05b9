import { requestToken, type AccessToken, type TokenRequest } from '../../../lib/http/access-token.ts';

/** Credentials that are exchanged for an access token. */
export interface TokenAccount extends Omit<TokenRequest, 'grant'> {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly refreshToken: string;
}

/**
 * Exchanges a refresh token for an access token (RFC 6749, section 6). The mail library could do so, but would connect
 * to any address.
 */
export function requestAccessToken(account: TokenAccount): Promise<AccessToken> {
  const { clientId, clientSecret, refreshToken, ...request } = account;
  return requestToken({
    ...request,
    grant: {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    },
  });
}
