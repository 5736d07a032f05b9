import type { Socket } from 'node:net';
import type { Connection as SshConnection, SFTPWrapper } from 'ssh2';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { SftpAccounts, SftpSignIn } from '../../contracts/sftp-accounts.ts';
import type { FileRows } from './file-rows.ts';
import { refused } from './failure.ts';
import { Home } from './home.ts';
import { Session } from './session.ts';
import { SignIn } from './sign-in.ts';

/** Longest time to sign in. */
const SIGN_IN_MILLISECONDS = 30_000;
/** Most sessions of one connection. */
const CHANNELS_MAX = 4;
/** Bytes waiting for the disk at which reading pauses; it resumes below. */
const PENDING_BYTES_MAX = 8 * 1024 * 1024;
/** Unsent bytes at which a client that does not read is disconnected. */
const UNSENT_BYTES_MAX = 32 * 1024 * 1024;
/** How long a validated sign-in is trusted, besides the half second by which the configuration may lag. */
const VALID_MILLISECONDS = 250;
/** Longest time for a graceful end of a connection. */
const END_MILLISECONDS = 2_000;

/** What all connections share. */
export interface ConnectionContext {
  readonly platform: Platform;
  readonly accounts: SftpAccounts;
  readonly rows: FileRows;
  /** The folder of all home directories. */
  readonly folder: string;
  /** Reserves a session of an account; false if there is no slot. */
  reserveSession(accountId: number): boolean;
  releaseSession(accountId: number): void;
}

/** One SSH connection, from its first byte until it is closed. */
export class Connection {
  readonly address: string;
  private readonly socket: Socket;
  private readonly shared: ConnectionContext;
  private client: SshConnection | undefined;
  private signIn: SftpSignIn | undefined;
  private home: Home | undefined;
  private timer: NodeJS.Timeout;
  private readonly sessions = new Set<Session>();
  private readonly signingIn: SignIn;
  private pendingBytes = 0;
  private validatedAt = Number.NEGATIVE_INFINITY;
  private validating: Promise<boolean> | undefined;
  private isRevoked = false;

  constructor(socket: Socket, shared: ConnectionContext) {
    this.socket = socket;
    this.shared = shared;
    this.address = socket.remoteAddress ?? '';
    const { accounts, platform } = shared;
    this.signingIn = new SignIn({
      accounts,
      address: this.address,
      log: platform.log,
      acceptSignIn: (signIn) => this.acceptSignIn(signIn),
      prepareSessions: async ({ account }) => void (this.home = await Home.open(shared.folder, account.id)),
      end: () => this.end(),
    });
    this.timer = setTimeout(() => socket.destroy(), SIGN_IN_MILLISECONDS);
    socket.once('close', () => this.onClosed());
  }

  get isSignedIn(): boolean {
    return this.signIn !== undefined;
  }

  /** Called when the key exchange is done; what follows is encrypted. */
  serve(client: SshConnection): void {
    this.client = client;
    // Broken connections and protocol errors: the socket is closed, and nothing needs to be logged.
    client.on('error', () => this.socket.destroySoon());
    client.on('authentication', (context) => void this.signingIn.attempt(context));
    client.on('session', (accept, reject) => {
      if (this.sessions.size >= CHANNELS_MAX) return reject();
      // Only sFTP: the library refuses what has no listener (shell, command, terminal, forwarding). Accepted at once,
      // because clients send their first message without waiting, and one that arrives before is lost.
      accept().on('sftp', (acceptSftp, rejectSftp) => {
        if (this.sessions.size < CHANNELS_MAX && this.signIn && this.home)
          this.open(acceptSftp(), this.signIn, this.home);
        else rejectSftp();
      });
    });
  }

  /** Ends the connection gracefully, and forcibly a little later. */
  end(): void {
    this.client?.end();
    if (this.socket.destroyed) return;
    this.socket.end();
    setTimeout(() => this.socket.destroy(), END_MILLISECONDS).unref();
  }

  private open(sftp: SFTPWrapper, signIn: SftpSignIn, home: Home): void {
    const { platform, accounts, rows } = this.shared;
    const session = new Session(sftp, {
      home,
      rows,
      accounts,
      log: platform.log,
      isSignInValid: () => this.isSignInValid(signIn),
      resetIdleTimer: () => this.resetIdleTimer(),
      countPendingBytes: (bytes) => this.countPendingBytes(bytes),
      countReceived: (bytes) => this.countReceived(signIn, bytes),
      end: (why) => {
        platform.log.warn('sftp connection ended', { accountId: signIn.account.id, why });
        this.end();
      },
    });
    this.sessions.add(session);
    sftp.on('close', () => this.sessions.delete(session));
  }

  private acceptSignIn(signIn: SftpSignIn): boolean {
    if (this.signIn || this.socket.destroyed) return false;
    if (!this.shared.reserveSession(signIn.account.id)) {
      this.shared.platform.log.warn('sftp connection ended', {
        accountId: signIn.account.id,
        why: 'too many connections',
      });
      return false;
    }
    this.signIn = signIn;
    this.resetIdleTimer();
    return true;
  }

  /**
   * Whether the sign-in is still valid. It is not looked up for each of thousands of chunks of a file; requests that
   * arrive during a lookup wait for it, so that they stay in order.
   */
  private isSignInValid(signIn: SftpSignIn): Promise<boolean> | true {
    const now = this.shared.platform.clock.milliseconds();
    if (now >= this.validatedAt && now - this.validatedAt < VALID_MILLISECONDS) return true;
    this.validating ??= this.revalidate(signIn, now).finally(() => (this.validating = undefined));
    return this.validating;
  }

  private async revalidate(signIn: SftpSignIn, now: number): Promise<boolean> {
    const { accounts, platform } = this.shared;
    if (this.isRevoked || !(await accounts.isStillValid(signIn, this.address))) {
      if (!this.isRevoked) {
        this.isRevoked = true;
        await platform.journal.security(
          {
            event: 'SftpSessionEnded',
            personId: signIn.account.personId,
            object: 'SftpAccount',
            objectId: signIn.account.id,
            address: this.address,
            detail: 'the sign-in is no longer valid',
          },
          '',
        );
        // After the response to the request.
        setImmediate(() => this.end());
      }
      return false;
    }
    this.validatedAt = now;
    return true;
  }

  private resetIdleTimer(): void {
    clearTimeout(this.timer);
    if (this.socket.destroyed) return;
    this.timer = setTimeout(() => this.end(), this.shared.accounts.limits().idleMilliseconds);
  }

  private countPendingBytes(bytes: number): void {
    const before = this.pendingBytes;
    this.pendingBytes += bytes;
    if (before < PENDING_BYTES_MAX && this.pendingBytes >= PENDING_BYTES_MAX) this.socket.pause();
    if (before >= PENDING_BYTES_MAX && this.pendingBytes < PENDING_BYTES_MAX) this.socket.resume();
    if (this.socket.writableLength > UNSENT_BYTES_MAX) this.end();
  }

  /** Counts bytes for the account's user, together with those of other surfaces. */
  private countReceived({ account }: SftpSignIn, bytes: number): Promise<void> | undefined {
    const { usage } = this.shared.platform;
    return usage.receive({ personId: account.personId, address: this.address }, bytes)?.catch((error: unknown) => {
      throw error instanceof PlatformError ? refused(error.message) : error;
    });
  }

  private onClosed(): void {
    clearTimeout(this.timer);
    for (const session of this.sessions) session.dispose();
    if (this.signIn) this.shared.releaseSession(this.signIn.account.id);
    void this.signingIn.onConnectionEnd();
  }
}
