import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import ssh2 from 'ssh2';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import type { Log } from '../../kernel/ports/log.ts';
import type { SftpAccounts, SftpSignIn } from '../../contracts/sftp-accounts.ts';

/** Most attempts of one connection: as many keys as an agent may hold, and a password or two. */
const ATTEMPTS_MAX = 10;
const METHODS: ('publickey' | 'password')[] = ['publickey', 'password'];

/** What a sign-in depends on. */
export interface SignInParts {
  readonly accounts: SftpAccounts;
  readonly address: string;
  readonly log: Log;
  /** Accepts the sign-in if there is a free slot. */
  acceptSignIn(signIn: SftpSignIn): boolean;
  /** Prepares what the sessions need. */
  prepareSessions(signIn: SftpSignIn): Promise<void>;
  end(): void;
}

/** The sign-in of one connection, by key or password. */
export class SignIn {
  private readonly parts: SignInParts;
  private attempts = 0;
  private isDone = false;
  /** The last refused key, and why. Logged once, when the connection ends without a sign-in. */
  private refusedKey: { readonly name: string; readonly why: string } | undefined;

  constructor(parts: SignInParts) {
    this.parts = parts;
  }

  /** Answers one attempt. */
  async attempt(context: AuthContext): Promise<void> {
    try {
      // Every client's first request, which only asks for the methods.
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

  /** Logs the last refused key if the connection ended without a sign-in. */
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

  /** Verifies a key. A client first asks whether a key is acceptable, then signs with it. */
  private async byKey({
    username,
    key,
    signature,
    blob,
    hashAlgo,
  }: PublicKeyAuthContext): Promise<SftpSignIn | 'offered' | undefined> {
    // A signature without its own hash name uses SHA-1.
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
