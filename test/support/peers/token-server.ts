import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';

/** A server on this machine that grants access tokens (RFC 6749, 4.4) and says which are valid (RFC 7662). */
export interface TokenServer {
  /** The token address, with `{tenantId}`. */
  readonly url: string;
  /** Where a mail server asks about a token. */
  readonly introspection: string;
  /** Credentials that it accepts: `{tenantId}:{clientId}:{secretId}`. */
  readonly password: string;
  /** The bodies of requests for tokens. */
  readonly requests: URLSearchParams[];
  /** Tokens that are valid, each with the user it is for. */
  readonly valid: Map<string, string>;
  /** The user of the next tokens. */
  user: string;
  /** How long the next tokens last, in seconds. */
  seconds: number;
  /** The status with which it refuses the next requests. */
  refusal: number | undefined;
}

/** Starts the server on a free loopback port. */
export async function startTokenServer(cleanUp: CleanUp): Promise<TokenServer> {
  const [tenant, client, secret] = ['tenant-1', 'client-1', 'secret:with-colon-1'];
  const state: Omit<TokenServer, 'url' | 'introspection'> = {
    password: `${tenant}:${client}:${secret}`,
    requests: [],
    valid: new Map(),
    user: '',
    seconds: 3_600,
    refusal: undefined,
  };
  const grant = (path: string, body: URLSearchParams): readonly [number, object] => {
    state.requests.push(body);
    if (state.refusal !== undefined) return [state.refusal, { error: 'temporarily_unavailable' }];
    const isKnown =
      path === `/${tenant}/token` &&
      body.get('grant_type') === 'client_credentials' &&
      body.get('client_id') === client &&
      body.get('client_secret') === secret;
    if (!isKnown) return [401, { error: 'invalid_client' }];
    const token = `token-${state.requests.length}`;
    state.valid.set(token, state.user);
    return [200, { access_token: token, token_type: 'Bearer', expires_in: state.seconds }];
  };
  const introspect = (body: URLSearchParams): object => {
    const username = state.valid.get(body.get('token') ?? '');
    return username === undefined ? { active: false } : { active: true, username, scope: 'mail' };
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    void text(request).then((content) => {
      const body = new URLSearchParams(content);
      const [status, answer] = path === '/introspect' ? ([200, introspect(body)] as const) : grant(path, body);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { url: `${base}/{tenantId}/token`, introspection: `${base}/introspect` });
}
