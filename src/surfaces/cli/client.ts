import { readFileSync } from 'node:fs';
import type { OnlyKnown, OperationName, SentParametersFor } from '../../kernel/declare/catalog.ts';
import type { Arguments, Option } from './arguments.ts';
import { NoAnswerError, RefusedError, UsageError, type Terminal } from './terminal.ts';

/** Options of every command that calls a server. */
export const serverOptions: Readonly<Record<string, Option>> = {
  url: {
    value: 'an address',
    about: 'The server, instead of CASEWRIGHT_URL; by default http://127.0.0.1:8080.',
  },
  'key-file': {
    value: 'a file',
    about: 'A file with the API key, instead of CASEWRIGHT_API_KEY or CASEWRIGHT_API_KEY_FILE.',
  },
  as: {
    value: 'a sign-in name',
    about: 'Calls as this user, with the password in CASEWRIGHT_PASSWORD or CASEWRIGHT_PASSWORD_FILE.',
  },
  insecure: {
    about:
      'Allows plain http:// to another machine, although anyone on the network path can read the key ' +
      'and the data.',
  },
};

/** An HTTP request. */
export interface ClientRequest {
  readonly method?: string;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A client of a running server, over HTTP. */
export interface Client {
  readonly url: string;
  /** Whether there are credentials. */
  readonly hasCredentials: boolean;
  /** Sends a request; returns responses of any status. */
  send(path: string, request?: ClientRequest): Promise<Response>;
  /** Calls an operation and returns its JSON. Throws RefusedError for an error response. */
  call<N extends OperationName, const P extends SentParametersFor<N>>(
    name: N,
    parameters: P & OnlyKnown<P, SentParametersFor<N>>,
  ): Promise<unknown>;
}

/**
 * Returns a client for the server and credentials named by options and environment. Secrets come from the environment
 * or files, never from arguments, which other users of the machine can read.
 */
export function openClient(terminal: Terminal, options: Arguments): Client {
  const url = addressOf(
    options.one('url') ?? terminal.environment['CASEWRIGHT_URL'] ?? 'http://127.0.0.1:8080',
    options.has('insecure'),
  );
  const credentials = credentialsOf(terminal.environment, options);
  const send: Client['send'] = async (path, { method = 'GET', body, type, headers = {}, signal } = {}) => {
    const init = {
      method,
      redirect: 'manual',
      headers: {
        ...headers,
        ...credentials,
        'User-Agent': `casewright/${terminal.version}`,
        ...(type === undefined ? {} : { 'Content-Type': type }),
      },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
      ...(signal ? { signal } : {}),
    };
    let answer: Response;
    try {
      answer = await fetch(url + path, init as RequestInit);
    } catch (error) {
      throw new NoAnswerError(`no response from ${url}: ${reasonOf(error)}`);
    }
    // Following a redirect would send the key along.
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304)
      throw new NoAnswerError(
        `${url} responded with a redirect, which is not followed. Use the address of the server itself.`,
      );
    return answer;
  };
  return {
    url,
    hasCredentials: Object.keys(credentials).length > 0,
    send,
    async call(name, parameters) {
      const answer = await send(`/api/${name}?Output=Json`, {
        method: 'POST',
        body: JSON.stringify(parameters),
        type: 'application/json',
      });
      const text = await answer.text();
      if (!answer.ok) throw new RefusedError(text);
      return JSON.parse(text) as unknown;
    },
  };
}

function addressOf(text: string, insecure: boolean): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UsageError('CASEWRIGHT_URL: expected an address such as https://casewright.example');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageError('CASEWRIGHT_URL: expected an address that begins with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new UsageError('CASEWRIGHT_URL: expected an address without user name and password; use --as for the name');
  if (url.protocol === 'http:' && !insecure && !isOwnMachine(url.hostname))
    throw new UsageError(
      'CASEWRIGHT_URL: http:// to another machine sends the key unencrypted; use https://, or --insecure ' +
        'on a network that you trust',
    );
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function isOwnMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function credentialsOf(environment: Terminal['environment'], options: Arguments): Record<string, string> {
  const name = options.one('as');
  if (name !== undefined) {
    const password = secretOf(environment, 'CASEWRIGHT_PASSWORD', undefined);
    if (password === undefined)
      throw new UsageError(
        '--as: expected the password in CASEWRIGHT_PASSWORD, or in the file of CASEWRIGHT_PASSWORD_FILE',
      );
    return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
  }
  const key = secretOf(environment, 'CASEWRIGHT_API_KEY', options.one('key-file'));
  if (key === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('CASEWRIGHT_API_KEY: expected an API key without spaces');
  return { 'X-ApiKey': key };
}

function secretOf(
  environment: Terminal['environment'],
  variable: string,
  file: string | undefined,
): string | undefined {
  const path = file ?? (environment[variable] ? undefined : environment[`${variable}_FILE`]);
  if (!path) return undefinedWhenEmpty(environment[variable]);
  try {
    return undefinedWhenEmpty(readFileSync(path, 'utf8').split(/\r?\n/, 1)[0]?.trim());
  } catch (error) {
    throw new UsageError(`the file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}

function undefinedWhenEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code } = (cause ?? {}) as { code?: string };
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing is listening there',
    ENOTFOUND: 'unknown host',
    ECONNRESET: 'the connection was lost',
    UND_ERR_SOCKET: 'the connection was lost',
  };
  return known[code ?? ''] ?? code ?? message;
}
