import { PlatformError } from '../../kernel/door/errors.ts';
import { bad } from '../../kernel/parameters/parse-value.ts';
import { outboundRules, outboundUrl, type OutboundRules } from '../../kernel/security/outbound.ts';
import type { Settings } from '../../kernel/declare/setting.ts';
import { requestToken, TokenRefused } from '../../lib/http/access-token.ts';
import { reasonOf, signInRefused, unavailable } from './mailbox-errors.ts';

/** The tenant in a token address. */
const TENANT = '{tenantId}';

/** Options of a mailbox whose service signs in by OAuth 2 with client credentials. */
export interface HostedOptions {
  readonly Password: string;
  readonly TokenURL: string;
  readonly Scope?: string;
}

/** @throws BAD_PARAMETER naming the option */
export function assertHosted(settings: Settings, { Password, TokenURL, Scope }: HostedOptions): void {
  const parts = credentialsOf(Password);
  if (!parts) throw bad('Password', 'the credentials of the service: {tenantId}:{clientId}:{secretId}');
  outboundUrl(outboundRules(settings), addressOf(TokenURL, parts.tenantId), 'TokenURL');
  if (Scope !== undefined && !/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(Scope))
    throw bad('Scope', 'the scopes of the token, separated by spaces');
}

interface Credentials {
  readonly tenantId: string;
  readonly clientId: string;
  readonly secretId: string;
}

/** Splits `{tenantId}:{clientId}:{secretId}`; undefined for anything else. */
function credentialsOf(password: string): Credentials | undefined {
  const found = /^([A-Za-z0-9._-]{1,200}):([^:\s]{1,200}):([\x21-\x7e]{1,600})$/.exec(password);
  if (!found) return undefined;
  const [, tenantId = '', clientId = '', secretId = ''] = found;
  return { tenantId, clientId, secretId };
}

function addressOf(url: string, tenantId: string): string {
  return url.replaceAll(TENANT, encodeURIComponent(tenantId));
}

/** How the token server is reached. */
interface TokenConnection {
  readonly rules: () => OutboundRules;
  readonly milliseconds: number;
}

/** Returns the token of a mailbox, whose options may have more than its credentials. */
export function hostedToken({ Password, TokenURL, Scope }: HostedOptions, connection: TokenConnection): HostedToken {
  return new HostedToken({ ...connection, Password, TokenURL, ...(Scope === undefined ? {} : { Scope }) });
}

/** The access token of a mailbox: requested when it is needed, and again before it expires. */
export class HostedToken {
  private readonly parts: HostedOptions & TokenConnection;
  private known: { readonly token: string; readonly until: number } | undefined;

  constructor(parts: HostedOptions & TokenConnection) {
    this.parts = parts;
  }

  /**
   * Returns a token. `isRefused`: the service has refused the one that was returned before.
   * @throws STATE_REFUSES with the field Password, or UNAVAILABLE
   */
  async get(isRefused = false): Promise<string> {
    if (!isRefused && this.known && performance.now() < this.known.until) return this.known.token;
    this.known = undefined;
    const { token, milliseconds } = await this.request();
    this.known = { token, until: performance.now() + milliseconds };
    return token;
  }

  private async request(): ReturnType<typeof requestToken> {
    const { Password, TokenURL, Scope, rules, milliseconds } = this.parts;
    const credentials = credentialsOf(Password);
    if (!credentials) throw signInRefused('the credentials are incomplete');
    try {
      return await requestToken({
        url: addressOf(TokenURL, credentials.tenantId),
        grant: {
          grant_type: 'client_credentials',
          client_id: credentials.clientId,
          client_secret: credentials.secretId,
          ...(Scope === undefined ? {} : { scope: Scope }),
        },
        milliseconds,
        rules,
      });
    } catch (error) {
      if (error instanceof TokenRefused && error.isFinal) throw signInRefused(error.message, error);
      throw error instanceof PlatformError ? error : unavailable(reasonOf(error), error);
    }
  }
}
