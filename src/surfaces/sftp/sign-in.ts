import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import ssh2 from 'ssh2';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import type { Log } from '../../kernel/ports/log.ts';
import type { SftpAccounts, SftpSignIn } from '../../contracts/sftp-accounts.ts';

/** Attempts of one connection: as many keys as an agent may hold, and a password or two. */
const ATTEMPTS_MAX = 10;
const METHODS: ('publickey' | 'password')[] = ['publickey', 'password'];

/** What the sign-in of one connection needs. */
export interface SignInParts {
  readonly accounts: SftpAccounts;
  readonly address: string;
  readonly log: Log;
  /** Takes the sign-in where there is room for it, and says so. */
  acceptSignIn(signIn: SftpSignIn): boolean;
  /** Makes ready what its sessions need. */
  prepareSessions(signIn: SftpSignIn): Promise<void>;
  end(): void;
}

/** The sign-in of one connection: keys and passwords, a few of each. */
export class SignIn {
  private readonly parts: SignInParts;
  private attempts = 0;
  private isDone = false;
  /** The last key that was not taken, and why: noted once, when the connection ends without a sign-in. */
  private refusedKey: { readonly name: string; readonly why: string } | undefined;

  constructor(parts: SignInParts) {
    this.parts = parts;
  }

  /** Answers an attempt. */
  async attempt(context: AuthContext): Promise<void> {
    try {
      // The first question of every client, which only asks what there is.
      if (context.method === 'none') {
        context.reject(METHODS);
        return;
      }
      if (++this.attempts > ATTEMPTS_MAX) {
        this.parts.end();
        return;
      }
      const found = await this.verify(context);
      if (!found) {
        context.reject(METHODS);
        return;
      }
      if (found === 'offered') {
        context.accept();
        return;
      }
      if (!this.parts.acceptSignIn(found)) {
        this.parts.end();
        return;
      }
      this.isDone = true;
      await this.parts.prepareSessions(found);
      await this.parts.accounts.logSignIn(
        found,
        this.parts.address,
        context.method === 'publickey' ? `key ${found.proof}` : 'password',
      );
      context.accept();
    } catch (error) {
      this.parts.log.error('sftp sign-in failed', { error: loggableMessage(error) });
      this.parts.end();
    }
  }

  /** The connection ended. */
  async onConnectionEnd(): Promise<void> {
    if (this.isDone || !this.refusedKey) return;
    await this.parts.accounts
      .logRefusal(this.refusedKey.name, this.parts.address, this.refusedKey.why)
      .catch((error: unknown) => this.parts.log.error('security log unavailable', { error: loggableMessage(error) }));
  }

  private async verify(context: AuthContext): Promise<SftpSignIn | 'offered' | undefined> {
    if (context.method === 'publickey') return this.byKey(context);
    return context.method === 'password' ? this.byPassword(context.username, context.password) : undefined;
  }

  private async byPassword(name: string, password: string): Promise<SftpSignIn | undefined> {
    return this.parts.accounts.byPassword(name, password, this.parts.address);
  }

  /** A client first asks whether a key would do, then signs with it. */
  private async byKey({
    username,
    key,
    signature,
    blob,
    hashAlgo,
  }: PublicKeyAuthContext): Promise<SftpSignIn | 'offered' | undefined> {
    // A signature without a hash of its own name is one with SHA-1.
    const why = key.algo === 'ssh-rsa' && hashAlgo === undefined ? 'a signature with SHA-1' : undefined;
    const found =
      why ?? (await this.parts.accounts.byKey(username, { type: key.algo, data: key.data }, this.parts.address));
    if (typeof found === 'string') {
      this.refusedKey = { name: username, why: found };
      return undefined;
    }
    if (!signature || !blob) return 'offered';
    const parsed = ssh2.utils.parseKey(`${key.algo} ${key.data.toString('base64')}`);
    if (!(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo)) return found;
    this.refusedKey = { name: username, why: 'a wrong signature' };
    return undefined;
  }
}
