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
const HELD_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes that a client leaves untaken before it is let go. */
const UNSENT_BYTES_MAX = 32 * 1024 * 1024;
/** How long it is relied upon that a sign-in stands; what is known of it is up to half a second old beside that. */
const STANDS_MILLISECONDS = 250;
/** How long a connection that is ended in good order may take to go. */
const END_MILLISECONDS = 2_000;

/** What connections share. */
export interface Shared {
  readonly platform: Platform;
  readonly accounts: SftpAccounts;
  readonly rows: FileRows;
  /** The folder of all homes. */
  readonly folder: string;
  /** Whether there is room for one more session of an account; takes the place where there is. */
  takes(accountId: number): boolean;
  gives(accountId: number): void;
}

/** One connection, from the first byte until it is closed. */
export class Connection {
  readonly address: string;
  private readonly socket: Socket;
  private readonly shared: Shared;
  private client: SshConnection | undefined;
  private signIn: SftpSignIn | undefined;
  private home: Home | undefined;
  private timer: NodeJS.Timeout;
  private readonly sessions = new Set<Session>();
  private readonly signingIn: SignIn;
  private held = 0;
  private stoodAt = Number.NEGATIVE_INFINITY;
  private standing: Promise<boolean> | undefined;
  private isRevoked = false;

  constructor(socket: Socket, shared: Shared) {
    this.socket = socket;
    this.shared = shared;
    this.address = socket.remoteAddress ?? '';
    const { accounts, platform } = shared;
    this.signingIn = new SignIn({
      accounts,
      address: this.address,
      log: platform.log,
      takes: (signIn) => this.takes(signIn),
      enters: async ({ account }) => void (this.home = await Home.open(shared.folder, account.id)),
      end: () => this.end(),
    });
    this.timer = setTimeout(() => socket.destroy(), SIGN_IN_MILLISECONDS);
    socket.once('close', () => this.closed());
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
      accept().on(
        'sftp',
        (acceptSftp, rejectSftp) =>
          void (this.sessions.size < CHANNELS_MAX && this.signIn && this.home
            ? this.open(acceptSftp(), this.signIn, this.home)
            : rejectSftp()),
      );
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
      stands: () => this.stands(signIn),
      active: () => this.active(),
      holds: (bytes) => this.holds(bytes),
      end: (why) => {
        platform.log.warn('sftp connection ended', { accountId: signIn.account.id, why });
        this.end();
      },
    });
    this.sessions.add(session);
    sftp.on('close', () => this.sessions.delete(session));
  }

  private takes(signIn: SftpSignIn): boolean {
    if (this.signIn || this.socket.destroyed) return false;
    if (!this.shared.takes(signIn.account.id)) {
      this.shared.platform.log.warn('sftp connection ended', {
        accountId: signIn.account.id,
        why: 'too many connections',
      });
      return false;
    }
    this.signIn = signIn;
    this.active();
    return true;
  }

  /**
   * Whether the sign-in stands. It is not looked up for each of thousands of pieces of one file; those that come during a look wait for
   * that one, so that they go on in their order.
   */
  private stands(signIn: SftpSignIn): Promise<boolean> | true {
    const now = this.shared.platform.clock.milliseconds();
    if (now >= this.stoodAt && now - this.stoodAt < STANDS_MILLISECONDS) return true;
    this.standing ??= this.look(signIn, now).finally(() => (this.standing = undefined));
    return this.standing;
  }

  private async look(signIn: SftpSignIn, now: number): Promise<boolean> {
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
    this.stoodAt = now;
    return true;
  }

  private active(): void {
    clearTimeout(this.timer);
    if (this.socket.destroyed) return;
    this.timer = setTimeout(() => this.end(), this.shared.accounts.limits().idleMilliseconds);
  }

  private holds(bytes: number): void {
    const before = this.held;
    this.held += bytes;
    if (before < HELD_BYTES_MAX && this.held >= HELD_BYTES_MAX) this.socket.pause();
    if (before >= HELD_BYTES_MAX && this.held < HELD_BYTES_MAX) this.socket.resume();
    if (this.socket.writableLength > UNSENT_BYTES_MAX) this.end();
  }

  private closed(): void {
    clearTimeout(this.timer);
    for (const session of this.sessions) session.over();
    if (this.signIn) this.shared.gives(this.signIn.account.id);
    void this.signingIn.over();
  }
}
