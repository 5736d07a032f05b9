import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Client, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { guardedLookup, type OutboundRules } from '../../../kernel/security/outbound.ts';
import { locationUnavailable } from '../paths.ts';

/** How long an idle connection is kept. */
const IDLE_MILLISECONDS = 60_000;
/** Interval of keep-alive checks, and how many responses may be missing. */
const KEEP_ALIVE_MILLISECONDS = 10_000;
const KEEP_ALIVE_MISSING_MAX = 3;

/** The error of a request whose connection is lost, as the protocol's library or this file throws it. */
export const NO_RESPONSE = 'No response from server';

/** Algorithms offered to servers: none known to be weak, although partners' servers may be old. */
const algorithms: NonNullable<ConnectConfig['algorithms']> = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  cipher: ['aes256-gcm@openssh.com', 'aes128-gcm@openssh.com', 'aes256-ctr', 'aes192-ctr', 'aes128-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};

/** The server and the account to sign in with. */
export interface SftpAccount {
  readonly location: string;
  readonly host: string;
  readonly port: number;
  readonly userName: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly passphrase?: string;
  /** Fingerprints of the server's keys, one of which it must show: `SHA256:…`. */
  readonly hostKeys: readonly string[];
  readonly connectionsMax: number;
  readonly milliseconds: number;
  readonly rules: () => OutboundRules;
}

/** A connection in use for one piece of work. */
export interface SftpChannel {
  readonly sftp: SFTPWrapper;
  /**
   * Requests waiting for a response. They fail when the connection is lost, which the protocol's library does not
   * always report.
   */
  readonly pending: Set<(error: Error) => void>;
  /** Whether the connection is lost: requests on it would never be answered. */
  readonly isDead: boolean;
  /** Closes the connection because it does not respond. */
  abandon(): void;
}

/** An authenticated connection. */
interface Connection extends Omit<SftpChannel, 'isDead'> {
  readonly client: Client;
  isDead: boolean;
  idle: NodeJS.Timeout | undefined;
}

interface Waiter {
  readonly take: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * The connections to one server: a bounded pool, each used for one piece of work at a time. A connection that broke
 * while idle is replaced; work on a connection that breaks fails.
 */
export class SftpConnections {
  private readonly account: SftpAccount;
  private readonly free: Connection[] = [];
  private readonly waiting: Waiter[] = [];
  private open = 0;
  private isClosed = false;

  constructor(account: SftpAccount) {
    this.account = account;
  }

  /**
   * Runs work on an exclusive connection. `mayRepeat`: whether the work may start again on another connection if a
   * pooled one turns out to be broken.
   */
  async run<T>(work: (line: SftpChannel) => Promise<T>, mayRepeat: () => boolean): Promise<T> {
    const connection = await this.acquire();
    const isUsed = connection.idle !== undefined;
    this.cancelIdleTimer(connection);
    try {
      return await work(connection);
    } catch (error) {
      if (!connection.isDead && !isConnectionLost(error)) throw error;
      connection.isDead = true;
      connection.client.destroy();
      if (!isUsed || !mayRepeat()) throw error;
    } finally {
      this.release(connection);
    }
    // The other idle connections are no better.
    for (const each of this.free.splice(0)) this.end(each);
    return this.run(work, () => false);
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.free.splice(0)) this.end(connection);
    for (const { refuse } of this.waiting.splice(0))
      refuse(locationUnavailable(this.account.location, 'was changed in the meantime'));
  }

  private async acquire(): Promise<Connection> {
    for (;;) {
      const known = this.free.pop();
      if (known && !known.isDead) return known;
      if (known) continue;
      if (this.open < this.account.connectionsMax) {
        this.open++;
        try {
          return await this.connect();
        } catch (error) {
          this.slotFreed();
          throw error;
        }
      }
      await this.waitForSlot();
    }
  }

  /** Waits until a connection is idle or a new one may be opened. */
  private waitForSlot(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(
          locationUnavailable(
            this.account.location,
            `has all of its ${this.account.connectionsMax} connections in use`,
          ),
        );
      }, this.account.milliseconds);
      const waiting: Waiter = {
        take: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (error) => {
          clearTimeout(timer);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      };
      this.waiting.push(waiting);
    });
  }

  private release(connection: Connection): void {
    if (connection.isDead) return;
    if (this.isClosed) return this.end(connection);
    connection.idle = setTimeout(() => {
      this.free.splice(this.free.indexOf(connection), 1);
      this.end(connection);
    }, IDLE_MILLISECONDS).unref();
    this.free.push(connection);
    this.waiting.shift()?.take();
  }

  private cancelIdleTimer(connection: Connection): void {
    clearTimeout(connection.idle);
    connection.idle = undefined;
  }

  private end(connection: Connection): void {
    this.cancelIdleTimer(connection);
    connection.client.end();
  }

  /** Records that a connection is lost: another may be opened in its place. */
  private slotFreed(): void {
    this.open--;
    this.waiting.shift()?.take();
  }

  private connect(): Promise<Connection> {
    const { account } = this;
    return new Promise((resolve, reject) => {
      const client = new Client();
      let shown: string | undefined;
      let isVerified = false;
      let connection: Connection | undefined;
      const fail = (error: unknown): void => {
        client.destroy();
        reject(
          error instanceof PlatformError
            ? error
            : locationUnavailable(account.location, connectionProblem(error, account, shown, isVerified), error),
        );
      };
      client.on('error', (error) => (connection ? void (connection.isDead = true) : fail(error)));
      const pending: Connection['pending'] = new Set();
      client.on('close', () => {
        if (!connection) return fail(new Error('closed'));
        connection.isDead = true;
        for (const reject of [...pending]) reject(new Error(NO_RESPONSE));
        const at = this.free.indexOf(connection);
        if (at >= 0) this.free.splice(at, 1);
        this.cancelIdleTimer(connection);
        this.slotFreed();
      });
      client.on('ready', () => {
        client.sftp((error, sftp) => {
          if (error) return fail(error);
          connection = { client, sftp, pending, abandon: () => void client.destroy(), isDead: false, idle: undefined };
          resolve(connection);
        });
      });
      try {
        client.connect({
          sock: socketTo(account, fail),
          username: account.userName,
          ...(account.password === undefined ? {} : { password: account.password }),
          ...(account.privateKey === undefined ? {} : { privateKey: account.privateKey }),
          ...(account.passphrase === undefined ? {} : { passphrase: account.passphrase }),
          hostVerifier: (key: Buffer) => {
            shown = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
            return (isVerified = account.hostKeys.includes(shown));
          },
          algorithms,
          readyTimeout: account.milliseconds,
          keepaliveInterval: KEEP_ALIVE_MILLISECONDS,
          keepaliveCountMax: KEEP_ALIVE_MISSING_MAX,
        });
      } catch (error) {
        fail(error);
      }
    });
  }
}

/** Connects to an address checked against the current settings. */
function socketTo({ host, port, milliseconds, rules }: SftpAccount, fail: (error: unknown) => void): Socket {
  const url = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, lookup: guardedLookup(rules(), url) });
  socket.setTimeout(milliseconds, () => {
    if (socket.connecting) socket.destroy(new Error('timed out'));
  });
  socket.setNoDelay(true);
  socket.on('error', fail);
  return socket;
}

/** Whether an error means that the connection is lost. */
export function isConnectionLost(error: unknown): boolean {
  return (
    error instanceof Error &&
    new RegExp(`^(?:${NO_RESPONSE}|Not connected|Channel open failure)`, 'i').test(error.message)
  );
}

/** Returns why there is no connection, for an administrator. */
function connectionProblem(
  error: unknown,
  { hostKeys }: SftpAccount,
  shown: string | undefined,
  isVerified: boolean,
): string {
  if (shown !== undefined && !isVerified)
    return hostKeys.length === 0
      ? `has no HostKey yet; the server shows ${shown}: compare it with what its operator says, and save it`
      : `shows a key other than HostKey: ${shown}. This may be an attack; do not change HostKey before the ` +
          "server's operator has confirmed the new key";
  const { code, level, message } = error as { code?: unknown; level?: unknown; message?: unknown };
  if (level === 'client-authentication') return 'refuses the user name, password or key';
  if (level === 'client-timeout') return 'does not respond in time';
  if (code === 'ADDRESS_REFUSED')
    return (
      'has an address that the platform may not connect to; the setting OutboundAllowedNetworks lists ' +
      'allowed networks'
    );
  if (typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code)) return `cannot be reached: ${code}`;
  if (typeof message === 'string' && /privateKey|private key|passphrase|Encrypted|OpenSSH/i.test(message))
    return 'has a PrivateKey that cannot be read with its Passphrase';
  return `cannot be reached: ${typeof message === 'string' ? message.slice(0, 200) : 'no answer'}`;
}
