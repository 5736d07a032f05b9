import type { Socket } from 'node:net';
import type { Connection as SshConnection, SFTPWrapper } from 'ssh2';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { SftpAccounts, SftpSignIn } from '../../contracts/sftp-accounts.ts';
import type { FileRows } from './file-rows.ts';
import { Home } from './home.ts';
import { Session } from './session.ts';
import { SignIn } from './sign-in.ts';

/** How long a connection may take to sign in. */
const SIGN_IN_MILLISECONDS = 30_000;
/** Sessions within one connection. */
const CHANNELS_MAX = 4;
/** Bytes that wait for the disk before no more are read, and when reading goes on. */
const PENDING_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes that a client leaves untaken before it is let go. */
const UNSENT_BYTES_MAX = 32 * 1024 * 1024;
/** How long it is relied upon that a sign-in stands; what is known of it is up to half a second old beside that. */
const VALID_MILLISECONDS = 250;
/** How long a connection that is ended in good order may take to go. */
const END_MILLISECONDS = 2_000;

/** What connections share. */
export interface ConnectionContext {
  readonly platform: Platform;
  readonly accounts: SftpAccounts;
  readonly rows: FileRows;
  /** The folder of all homes. */
  readonly folder: string;
  /** Whether there is room for one more session of an account; takes the place where there is. */
  reserveSession(accountId: number): boolean;
  releaseSession(accountId: number): void;
}

/** One connection, from the first byte until it is closed. */
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

  /** The client has said who it is; what follows is encrypted. */
  serve(client: SshConnection): void {
    this.client = client;
    // Broken connections and bytes that mean nothing: the socket is closed, and nobody need know more.
    client.on('error', () => this.socket.destroySoon());
    client.on('authentication', (context) => void this.signingIn.attempt(context));
    client.on('session', (accept, reject) => {
      if (this.sessions.size >= CHANNELS_MAX) return reject();
      // Only sFTP: what nobody listens for (a shell, a command, a terminal, a forwarded port) the library refuses. Accepted at once,
      // because clients send their first message without waiting, and one that comes before is lost.
      accept().on('sftp', (acceptSftp, rejectSftp) => {
        if (this.sessions.size < CHANNELS_MAX && this.signIn && this.home)
          this.open(acceptSftp(), this.signIn, this.home);
        else rejectSftp();
      });
    });
  }

  /** Ends it in good order, and for certain a little later. */
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
   * Whether the sign-in stands. It is not looked up for each of thousands of pieces of one file; those that come during a look wait for
   * that one, so that they go on in their order.
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
            detail: 'the sign-in does not stand any more',
          },
          '',
        );
        // After the answer to what was asked.
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

  private onClosed(): void {
    clearTimeout(this.timer);
    for (const session of this.sessions) session.dispose();
    if (this.signIn) this.shared.releaseSession(this.signIn.account.id);
    void this.signingIn.onConnectionEnd();
  }
}
