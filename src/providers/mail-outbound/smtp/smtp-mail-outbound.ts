import { createPrivateKey } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import { assertMail, recipientsOf } from '../../../contracts/mail-validation.ts';
import type { MailAddress, MailOutbound, OutboundMail, RecipientOutcome } from '../../../contracts/mail-outbound.ts';
import type { SendOptions } from '../../../contracts/sending.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { guardedLookup, type OutboundRules } from '../../../kernel/security/outbound.ts';
import { composeMail } from '../compose-mail.ts';
import { signedMail, type SigningKey } from './dkim-signature.ts';
import { requestAccessToken } from './access-token.ts';
import { Transmission } from '../../../lib/sending/transmission.ts';
import type { SmtpOptions } from './smtp-options.ts';
import { detailOf, outcomesOfFailure, outcomesOfSuccess, type Refusal } from './recipient-outcomes.ts';

/** Default limit of connections to one server, and default timeout of its replies in seconds. */
const CONNECTIONS_MAX = 4;
const TIMEOUT_SECONDS = 60;
/** Mails sent over one connection, and how long an idle one is kept. */
const MAILS_PER_CONNECTION_MAX = 100;
const IDLE_MILLISECONDS = 30_000;
/** How often a mail moves to another connection because a pooled one was lost before any of it was read. */
const REQUEUES_MAX = 2;
/** Largest reply of a server. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Encryption modes of the connection, with their ports. */
const securityPorts: Readonly<Record<NonNullable<SmtpOptions['Security']>, number>> = {
  STARTTLS: 587,
  TLS: 465,
  None: 25,
};

/**
 * Sends mail by SMTP over a small pool of connections: opening one with TLS takes longer than sending a hundred mails
 * over it.
 */
export class SmtpMailOutbound implements MailOutbound {
  readonly from: MailAddress;
  readonly messagesPerMinute?: number;
  private readonly options: SmtpOptions;
  private readonly rules: () => OutboundRules;
  private readonly milliseconds: number;
  private readonly signing: SigningKey | undefined;
  private readonly transporter: Transporter<unknown>;

  constructor(options: SmtpOptions, rules: () => OutboundRules) {
    this.options = options;
    this.rules = rules;
    if (options.MessagesPerMinute !== undefined) this.messagesPerMinute = options.MessagesPerMinute;
    this.milliseconds = (options.TimeoutSeconds ?? TIMEOUT_SECONDS) * 1_000;
    this.from = {
      address: options.FromAddress,
      ...(options.FromName === undefined ? {} : { name: options.FromName }),
    };
    this.signing = signingKeyOf(options);
    this.transporter = this.transport();
  }

  async send(mail: OutboundMail, options: SendOptions = {}): Promise<readonly RecipientOutcome[]> {
    assertMail(mail);
    const addresses = recipientsOf(mail);
    const handover = new Transmission(options.beforeData ?? (() => Promise.resolve()));
    const data = {
      ...composeMail(mail),
      ...(options.signal ? { signal: options.signal } : {}),
      handover,
    } as SendMailOptions;
    try {
      const { rejectedErrors = [] } = (await this.transporter.sendMail(data)) as {
        readonly rejectedErrors?: readonly Refusal[];
      };
      return outcomesOfSuccess(addresses, rejectedErrors);
    } catch (error) {
      if (handover.failure) throw handover.failure.error;
      return outcomesOfFailure(addresses, error, handover.isWhole);
    }
  }

  async check(): Promise<void> {
    try {
      await this.transporter.verify();
    } catch (error) {
      throw new PlatformError('UNAVAILABLE', {
        message: `The mail server cannot be used: ${connectionProblem(error, this.options.Host, this.port)}`,
        cause: error,
      });
    }
  }

  close(): Promise<void> {
    this.transporter.close();
    return Promise.resolve();
  }

  private transport(): Transporter<unknown> {
    const {
      Host: host,
      Security: security = 'STARTTLS',
      Authorities: authorities,
      ConnectionsMax: connectionsMax = CONNECTIONS_MAX,
    } = this.options;
    const transporter = createTransport({
      pool: true,
      host,
      port: this.port,
      secure: security === 'TLS',
      requireTLS: security === 'STARTTLS',
      ignoreTLS: security === 'None',
      tls: {
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
        ...(authorities === undefined ? {} : { ca: authorities }),
      },
      getSocket: (_options: unknown, callback: (error: Error | null, socket: { connection: Socket } | false) => void) =>
        this.connect(callback),
      ...this.credentials(),
      maxConnections: connectionsMax,
      maxMessages: MAILS_PER_CONNECTION_MAX,
      maxRequeues: REQUEUES_MAX,
      idleTimeout: IDLE_MILLISECONDS,
      connectionTimeout: this.milliseconds,
      greetingTimeout: this.milliseconds,
      socketTimeout: this.milliseconds,
      maxResponseSize: ANSWER_BYTES_MAX,
      disableFileAccess: true,
      disableUrlAccess: true,
      logger: false,
    }) as unknown as Transporter<unknown>;
    transporter.on('error', () => undefined);
    transporter.use('stream', (mailing, next) => {
      const { handover } = mailing.data as { readonly handover?: Transmission };
      const open = mailing.message.createReadStream.bind(mailing.message);
      if (handover)
        mailing.message.createReadStream = (options) =>
          handover.watch(() => this.signed(open(options) as AsyncIterable<Uint8Array>));
      next();
    });
    if (this.options.TokenURL !== undefined)
      transporter.set(
        'oauth2_provision_cb',
        (_user: string, _renew: boolean, callback: (error: Error | null, token?: string, expires?: number) => void) =>
          this.provide(callback),
      );
    return transporter;
  }

  private get port(): number {
    return this.options.Port ?? securityPorts[this.options.Security ?? 'STARTTLS'];
  }

  private credentials(): object {
    const { UserName: user, Password: pass, TokenURL } = this.options;
    if (user === undefined) return {};
    return { auth: TokenURL === undefined ? { user, pass } : { type: 'OAuth2', user }, forceAuth: true };
  }

  private provide(callback: (error: Error | null, token?: string, expires?: number) => void): void {
    const {
      TokenURL: url = '',
      ClientID: clientId = '',
      ClientSecret: clientSecret,
      RefreshToken: refreshToken = '',
    } = this.options;
    requestAccessToken({
      url,
      clientId,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      refreshToken,
      milliseconds: this.milliseconds,
      rules: this.rules,
    }).then(
      // The library compares it with the machine's clock.
      ({ token, milliseconds }) => callback(null, token, performance.timeOrigin + performance.now() + milliseconds),
      (error: unknown) => callback(error instanceof Error ? error : new Error('no access token')),
    );
  }

  /** Returns a mail as it is transmitted: signed if the server has a key. */
  private signed(mail: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.signing === undefined ? mail : signedMail(mail, this.signing);
  }

  /**
   * Connects to an address checked against the current settings: a name that resolves to an internal address gains
   * nothing.
   */
  private connect(callback: (error: Error | null, socket: { connection: Socket } | false) => void): void {
    let socket: Socket;
    try {
      const url = serverUrl(this.options);
      socket = connect({
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: this.port,
        lookup: guardedLookup(this.rules(), url),
      });
    } catch (error) {
      return callback(error instanceof Error ? error : new Error('not connected'), false);
    }
    const failed = (error: Error): void => callback(error, false);
    socket.once('error', failed);
    socket.setTimeout(this.milliseconds, () =>
      socket.destroy(new Error('the server did not accept the connection in time')),
    );
    socket.once('connect', () => {
      socket.setTimeout(0).removeAllListeners('timeout');
      socket.off('error', failed);
      callback(null, { connection: socket });
    });
  }
}

function signingKeyOf({
  SignatureDomain: domain,
  SignatureSelector: selector,
  SignatureKey: privateKey,
}: SmtpOptions): SigningKey | undefined {
  return domain === undefined || selector === undefined || privateKey === undefined
    ? undefined
    : { domain, selector, key: createPrivateKey(privateKey) };
}

/** Returns the server as a URL for the connection rules: unencrypted connections are allowed to this machine only. */
export function serverUrl({
  Host: host,
  Security: security = 'STARTTLS',
}: Pick<SmtpOptions, 'Host' | 'Security'>): URL {
  return new URL(`${security === 'None' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}`);
}

/** Returns why a server can't be used: its own answer, or the network error in plain words. */
function connectionProblem(error: unknown, host: string, port: number): string {
  const detail = detailOf(error instanceof Error ? error : { message: 'failed' });
  if (/ENOTFOUND|EAI_AGAIN/.test(detail)) return `the host ${host} is unknown.`;
  if (detail.includes('ECONNREFUSED')) return `${host} refuses connections on port ${port}.`;
  return detail;
}
