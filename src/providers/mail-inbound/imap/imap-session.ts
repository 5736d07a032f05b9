import { ImapFlow, type ImapFlowError, type MailboxObject } from 'imapflow';
import { guardedLookup, type OutboundRules } from '../../../kernel/security/outbound.ts';
import { serverUrl, type MailServerAddress } from '../mail-server-address.ts';
import { folderRefused, reasonOf, signInRefused, unavailable } from '../mailbox-errors.ts';

/** How a session proves whose it is. */
export type SignIn =
  | { readonly user: string; readonly pass: string }
  | { readonly user: string; readonly accessToken: string };

/** Returns credentials; `isRefused`: the server has refused those that it returned before. */
export type Credentials = (isRefused: boolean) => Promise<SignIn>;

/** Times of a session, in milliseconds. */
export interface ImapTimes {
  /** How long a response may take. */
  readonly response: number;
  /** How often IDLE is restarted: servers and firewalls end connections on which nothing is sent. */
  readonly idle: number;
  /** After how long without any byte a connection counts as dead. Longer than `idle`. */
  readonly silence: number;
}

/** What a session needs. */
export interface ImapParts {
  readonly address: MailServerAddress;
  readonly credentials: Credentials;
  /** Whether refused credentials can be renewed: tokens can, passwords cannot. */
  readonly isRenewable: boolean;
  readonly rules: () => OutboundRules;
  readonly times: ImapTimes;
}

/** Largest literal that a server may send: the largest mail, if it ignores that a piece was requested. */
const LITERAL_BYTES_MAX = 80 * 1024 * 1024;
const ports = { TLS: 993, STARTTLS: 143, None: 143 } as const;
/** Codes with which servers refuse a sign-in only for the moment (RFC 5530). */
const temporary = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'OVERQUOTA']);

/** One connection to a server, signed in. */
export class ImapSession {
  readonly client: ImapFlow;
  /** Whether the server has reported new mail since the folder was opened. */
  hasNews = false;
  private readonly responseMilliseconds: number;

  private constructor(client: ImapFlow, responseMilliseconds: number) {
    this.client = client;
    this.responseMilliseconds = responseMilliseconds;
    client.on('exists', ({ count, prevCount }) => {
      if (count > prevCount) this.hasNews = true;
    });
    // Errors reach the callers of commands; without a listener they would end the process.
    client.on('error', () => undefined);
  }

  /** Connects and signs in. Renews refused credentials once. */
  static async open(parts: ImapParts, signal?: AbortSignal): Promise<ImapSession> {
    try {
      return await ImapSession.attempt(parts, await parts.credentials(false), signal);
    } catch (error) {
      if (!isSignInRefused(error)) throw asUnavailable(error);
      if (!parts.isRenewable) throw signInRefused(refusalOf(error), error);
    }
    try {
      return await ImapSession.attempt(parts, await parts.credentials(true), signal);
    } catch (error) {
      throw isSignInRefused(error) ? signInRefused(refusalOf(error), error) : asUnavailable(error);
    }
  }

  private static async attempt(
    { address, rules, times }: ImapParts,
    auth: SignIn,
    signal: AbortSignal | undefined,
  ): Promise<ImapSession> {
    const { Host: host, Security: security = 'TLS', Port: port = ports[security], Authorities: ca } = address;
    const lookup = guardedLookup(rules(), serverUrl(address));
    const client = new ImapFlow({
      host,
      port,
      secure: security === 'TLS',
      doSTARTTLS: security === 'STARTTLS',
      auth: { ...auth },
      tls: {
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
        ...(ca === undefined ? {} : { ca }),
        // The library passes these options to the connection, encrypted or not.
        ...{ lookup },
      },
      logger: false,
      disableAutoIdle: true,
      clientInfo: { name: 'Casewright' },
      connectionTimeout: times.response,
      greetingTimeout: times.response,
      socketTimeout: times.silence,
      maxIdleTime: times.idle,
      maxLiteralSize: LITERAL_BYTES_MAX,
    });
    const session = new ImapSession(client, times.response);
    const close = (): void => client.close();
    signal?.addEventListener('abort', close);
    try {
      await session.limited(client.connect());
      return session;
    } catch (error) {
      client.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', close);
    }
  }

  get isUsable(): boolean {
    return this.client.usable;
  }

  /** Opens a folder again, to read its present numbering and mails. @throws STATE_REFUSES */
  async select(folder: string, { isReadOnly }: { readonly isReadOnly: boolean }): Promise<MailboxObject> {
    this.hasNews = false;
    try {
      return await this.limited(this.client.mailboxOpen(folder, { readOnly: isReadOnly }));
    } catch (error) {
      if (isMissingFolder(error)) throw folderRefused('Folder', folder, 'does not exist; it was renamed or deleted');
      if (isRefusal(error)) throw folderRefused('Folder', folder, `cannot be opened: ${refusalOf(error)}`);
      throw asUnavailable(error);
    }
  }

  /** Waits for a command; ends the connection if the response takes too long. @throws UNAVAILABLE */
  async command<T>(result: Promise<T>): Promise<T> {
    try {
      return await this.limited(result);
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  close(): void {
    this.client.close();
  }

  /** Signs out, as far as the server takes part. */
  async leave(): Promise<void> {
    await this.limited(this.client.logout()).catch(() => undefined);
    this.client.close();
  }

  private async limited<T>(result: Promise<T>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.client.close();
    }, this.responseMilliseconds);
    try {
      return await result;
    } catch (error) {
      // Set by the timer meanwhile.
      if (isLate as boolean)
        throw new Error(`the server did not respond within ${this.responseMilliseconds / 1_000} s`, { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function isImapError(error: unknown): error is ImapFlowError {
  return error instanceof Error;
}

function isSignInRefused(error: unknown): boolean {
  if (!isImapError(error) || !('authenticationFailed' in error) || error.authenticationFailed !== true) return false;
  return !temporary.has((error.serverResponseCode ?? '').toUpperCase());
}

function isMissingFolder(error: unknown): boolean {
  return isImapError(error) && 'mailboxMissing' in error && error.mailboxMissing === true;
}

function isRefusal(error: unknown): boolean {
  return isImapError(error) && (error.responseStatus === 'NO' || error.responseStatus === 'BAD');
}

/** Returns what the server said when it refused. */
function refusalOf(error: unknown): string {
  const text = isImapError(error) ? error.responseText : undefined;
  return typeof text === 'string' && text !== '' ? text : reasonOf(error);
}

function asUnavailable(error: unknown): Error {
  if (error instanceof Error && error.name === 'PlatformError') return error;
  return unavailable(isRefusal(error) ? refusalOf(error) : reasonOf(error), error);
}
