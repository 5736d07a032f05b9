import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Client, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { guardedLookup, type OutboundRules } from '../../../kernel/security/outbound.ts';
import { locationUnavailable } from '../paths.ts';

/** How long a connection that nobody uses is kept. */
const IDLE_MILLISECONDS = 60_000;
/** How often a connection is asked whether it still stands, and how many answers may be missing. */
const KEEP_ALIVE_MILLISECONDS = 10_000;
const KEEP_ALIVE_MISSING_MAX = 3;

/** What a request is told whose connection is gone, by the protocol's library or here. */
export const NO_RESPONSE = 'No response from server';

/** What is offered to servers: nothing that is known to be weak, though servers of partners may be old. */
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

/** Where to sign in, and as whom. */
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

/** A line to the server, for one piece of work. */
export interface SftpChannel {
  readonly sftp: SFTPWrapper;
  /** Requests that wait for an answer: they are told when the connection is gone, which the protocol's library does not always do. */
  readonly pending: Set<(error: Error) => void>;
  /** The connection is gone: what is asked on it would never be answered. */
  readonly isDead: boolean;
  /** Ends the connection, because it does not answer. */
  abandon(): void;
}

/** A connection that is signed in. */
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
 * The connections to one server: at most so many, each for one piece of work at a time. One that broke while nobody used it is
 * replaced; work that it breaks under fails.
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

  /** Runs work on a connection of its own. `mayRepeat`: whether it may be begun anew on another where a kept one turns out to be broken. */
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
    // The others that nobody used are no better.
    for (const each of this.free.splice(0)) this.end(each);
    return this.run(work, () => false);
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.free.splice(0)) this.end(connection);
    for (const { refuse } of this.waiting.splice(0))
      refuse(locationUnavailable(this.account.location, 'was changed meanwhile'));
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

  /** Waits until a connection is free, or may be made. */
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

  /** A connection is gone: another may be made in its place. */
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
        for (const tell of [...pending]) tell(new Error(NO_RESPONSE));
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

/** A connection to an address that was looked at, as the settings stand. */
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

/** Whether a failure says that the connection is gone. */
export function isConnectionLost(error: unknown): boolean {
  return (
    error instanceof Error &&
    new RegExp(`^(?:${NO_RESPONSE}|Not connected|Channel open failure)`, 'i').test(error.message)
  );
}

/** Why there is no connection, in words for an administrator. */
function connectionProblem(
  error: unknown,
  { hostKeys }: SftpAccount,
  shown: string | undefined,
  isVerified: boolean,
): string {
  if (shown !== undefined && !isVerified)
    return hostKeys.length === 0
      ? `has no HostKey yet; the server shows ${shown}: compare it with what its operator says, and save it`
      : `shows another key than HostKey says: ${shown}. Somebody may stand between; do not change HostKey before its operator has confirmed it`;
  const { code, level, message } = error as { code?: unknown; level?: unknown; message?: unknown };
  if (level === 'client-authentication') return 'refuses the user name, password or key';
  if (level === 'client-timeout') return 'does not answer in time';
  if (code === 'ADDRESS_REFUSED')
    return 'has an address that may not be connected to; the setting OutboundAllowedNetworks names networks that may';
  if (typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code)) return `cannot be reached: ${code}`;
  if (typeof message === 'string' && /privateKey|private key|passphrase|Encrypted|OpenSSH/i.test(message))
    return 'has a PrivateKey that cannot be read with its Passphrase';
  return `cannot be reached: ${typeof message === 'string' ? message.slice(0, 200) : 'no answer'}`;
}
