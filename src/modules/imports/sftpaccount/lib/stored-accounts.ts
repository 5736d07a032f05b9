import type { BlockList } from 'node:net';
import { Cache } from '../../../../kernel/time/cache.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { CONFIGURATION_AGE_MAX } from '../../../../kernel/database/configuration.ts';
import type { Identity } from '../../../../kernel/security/identity.ts';
import { isAllowed, storedNetworks } from '../../../../kernel/security/networks.ts';
import { verifyDecoy, isPassword } from '../../../../kernel/security/password.ts';
import type { Journal } from '../../../../kernel/ports/platform.ts';
import type { SettingDefinition, Settings } from '../../../../kernel/declare/setting.ts';
import type { StoredFileRow, Documents } from '../../../../kernel/ports/documents.ts';
import type {
  SftpAccounts,
  SftpContent,
  SftpDelivery,
  SftpKey,
  SftpLimits,
  SftpSignIn,
} from '../../../../contracts/sftp-accounts.ts';
import {
  attackerNetwork,
  countAttempt,
  forgiveAttempt,
  type AttemptLimit,
} from '../../../../kernel/security/sign-in-attempts.ts';
import { countFailure, type FailureWindow } from '../../../../kernel/security/sign-in-failures.ts';
import type { Store } from '../../../../kernel/database/store.ts';
import {
  environment,
  sftpFileMegabytesMax,
  sftpHomeMegabytesMax,
  sftpIdleMinutes,
  sftpQuietSeconds,
  sftpSessionsMax,
  sftpSessionsPerAccountMax,
} from '../settings.ts';
import {
  accountById,
  accountByName,
  toAccount,
  expectedNetworks,
  keyFingerprints,
  passwordProof,
  type AccountRow,
} from './account-rows.ts';
import { accountDelivery } from './delivery.ts';
import { fingerprintOf } from './keys.ts';

const MEGABYTE = 1024 * 1024;
/** Accounts cached by a process, for half a second. */
const CACHED_ACCOUNTS_MAX = 1_000;
/** Longest name that is looked up. */
const NAME_LENGTH_MAX = 60;

/** Dependencies of the accounts. */
export interface StoredAccountsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Settings & { fresh(): Promise<void> | undefined };
  readonly journal: Journal;
  readonly identity: Identity;
  readonly documents: Documents;
  /** Limits of failed sign-ins, shared by all surfaces. */
  readonly signIn: {
    readonly failuresMax: SettingDefinition<number>;
    readonly failuresPerAddressMax: SettingDefinition<number>;
    readonly windowMinutes: SettingDefinition<number>;
  };
}

/** The stored accounts of the sFTP server. */
export class StoredSftpAccounts implements SftpAccounts {
  private readonly parts: StoredAccountsParts;
  private readonly rows: Cache<number, Promise<AccountRow | undefined>>;
  /** Networks that the active accounts of an environment are used from. */
  private readonly expected: Cache<string, Promise<BlockList>>;

  constructor(parts: StoredAccountsParts) {
    this.parts = parts;
    const age = { clock: parts.clock, milliseconds: CONFIGURATION_AGE_MAX };
    this.rows = new Cache({ max: CACHED_ACCOUNTS_MAX, age });
    this.expected = new Cache({ max: 1, age });
  }

  limits(): SftpLimits {
    const { settings } = this.parts;
    return {
      sessionsMax: settings.get(sftpSessionsMax),
      sessionsPerAccountMax: settings.get(sftpSessionsPerAccountMax),
      homeBytesMax: settings.get(sftpHomeMegabytesMax) * MEGABYTE,
      fileBytesMax: settings.get(sftpFileMegabytesMax) * MEGABYTE,
      idleMilliseconds: settings.get(sftpIdleMinutes) * 60_000,
      quietMilliseconds: settings.get(sftpQuietSeconds) * 1_000,
    };
  }

  async acceptsAddress(address: string): Promise<boolean> {
    const { settings, store, journal } = this.parts;
    await settings.fresh();
    // Reload once: the account may have been created a moment ago.
    if (isAllowed(await this.expectedNetworks(), address)) return true;
    this.expected.clear();
    if (isAllowed(await this.expectedNetworks(), address)) return true;
    // Log only the first attempt from an address.
    if ((await countFailure(store, `sftp:${address}`, this.window())) === 1)
      await journal.security({ event: 'SftpRefused', address, detail: 'no account is used from this address' }, '');
    return false;
  }

  private expectedNetworks(): Promise<BlockList> {
    const { settings, store } = this.parts;
    const name = settings.get(environment);
    return this.expected.getOrLoad(name, () => expectedNetworks(store, name).then(storedNetworks));
  }

  async byKey(name: string, key: SftpKey, address: string): Promise<SftpSignIn | string> {
    const row = await this.findByName(name);
    const why = this.refusalReason(row, address);
    if (!row || why !== undefined) return why ?? 'unknown account';
    const proof = fingerprintOf(key.data);
    if (!keyFingerprints(row).includes(proof)) return `the key ${proof} is none of the account's`;
    if (!(await this.isPersonActive(row))) return 'the user of the account is inactive';
    // The cached account may be older than the key.
    this.rows.delete(row.sftpaccountid);
    return { account: toAccount(row), proof };
  }

  async byPassword(name: string, password: string, address: string): Promise<SftpSignIn | undefined> {
    const { store, settings, signIn, journal } = this.parts;
    await settings.fresh();
    const row = await this.findByName(name);
    // An address with too many failures is neither checked nor logged again.
    const network = attackerNetwork(address);
    const byAddress = this.addressLimit(network);
    const subject = `${row ? `sftpaccount:${row.sftpaccountid}` : `sftpaccount:${name.toLowerCase()}`} at ${network}`;
    // Counted before the password is checked; otherwise concurrent attempts would all run before the first is counted.
    const limits = [{ subject, most: settings.get(signIn.failuresMax) }, byAddress];
    const { refusedBy } = await countAttempt(store, limits, this.window());
    if (refusedBy.includes(byAddress.subject)) return undefined;
    const isLocked = refusedBy.length > 0;
    // A refused attempt counts for nothing; hammering at a locked account must still end at the address.
    if (isLocked && (await countAttempt(store, [byAddress], this.window())).refusedBy.length > 0) return undefined;
    const why = await this.passwordRefusal(row, password, address, isLocked);
    const mark = row && passwordProof(row);
    if (!row || why !== undefined || mark === undefined) {
      await journal.security(
        {
          event: 'SftpSignInRefused',
          personId: row?.personid ?? null,
          object: 'SftpAccount',
          objectId: row?.sftpaccountid ?? null,
          address,
          detail: why ?? 'the user of the account is inactive',
        },
        '',
      );
      return undefined;
    }
    await forgiveAttempt(store, [subject, byAddress.subject], [subject]);
    // The cached account may be older than the password, which would end the new session.
    this.rows.delete(row.sftpaccountid);
    return { account: toAccount(row), proof: mark };
  }

  /**
   * Checks a password and returns why it does not sign in; undefined if it does. Takes as long for an unknown account.
   */
  private async passwordRefusal(
    row: AccountRow | undefined,
    password: string,
    address: string,
    isLocked: boolean,
  ): Promise<string | undefined> {
    const isRight =
      !isLocked && row?.password ? await isPassword(row.password, password) : (await verifyDecoy(password), false);
    if (isLocked) return 'too many wrong passwords';
    const refusal = this.refusalReason(row, address);
    if (refusal !== undefined) return refusal;
    if (!isRight) return 'wrong password';
    return row && !(await this.isPersonActive(row)) ? 'the user of the account is inactive' : undefined;
  }

  logSignIn({ account }: SftpSignIn, address: string, how: string): Promise<void> {
    return this.parts.journal.security(
      {
        event: 'SftpSignedIn',
        personId: account.personId,
        object: 'SftpAccount',
        objectId: account.id,
        address,
        detail: how,
      },
      '',
    );
  }

  async logRefusal(name: string, address: string, why: string): Promise<void> {
    const { store, journal } = this.parts;
    const { refusedBy } = await countAttempt(store, [this.addressLimit(attackerNetwork(address))], this.window());
    if (refusedBy.length > 0) return;
    const row = await this.findByName(name);
    await journal.security(
      {
        event: 'SftpSignInRefused',
        personId: row?.personid ?? null,
        object: 'SftpAccount',
        objectId: row?.sftpaccountid ?? null,
        address,
        detail: why.slice(0, 400),
      },
      '',
    );
  }

  async isStillValid({ account, proof }: SftpSignIn, address: string): Promise<boolean> {
    await this.parts.settings.fresh();
    const row = await this.cachedAccount(account.id);
    if (!row || this.refusalReason(row, address) !== undefined) return false;
    if (passwordProof(row) !== proof && !keyFingerprints(row).includes(proof)) return false;
    return this.isPersonActive(row);
  }

  async delivery(accountId: number): Promise<SftpDelivery | undefined> {
    const { settings, store } = this.parts;
    await settings.fresh();
    const row = await accountById(store, accountId);
    return row && this.isUsable(row) && (await this.isPersonActive(row)) ? accountDelivery(store, row) : undefined;
  }

  async importedSince(personId: number, { hash, size }: SftpContent, since: string): Promise<number | undefined> {
    const rows = await this.parts.store.query<StoredFileRow & { id: number; FileHash: string | null }>(
      `select f.importfileid as id, a.filepath as "FilePath", a.fileobject as "FileObject", a.filesize as "FileSize",
         a.filename as "FileName", a.mimetype as "MimeType", a.sealed as "Sealed", a.filehash as "FileHash"
       from importfile f join attachment a on a.attachmentid = f.pretransformid
       where f.createdpersonid = $1::bigint and f.createddate >= $2::timestamptz
         and (a.filehash = $3::text or a.filehash is null and a.filesize = $4::bigint)
       order by a.filehash is null, f.importfileid`,
      [personId, since, hash, size],
    );
    // Sealed files have no stored hash: only those of the same size are read.
    for (const row of rows) if ((row.FileHash ?? (await this.parts.documents.sha256(row))) === hash) return row.id;
    return undefined;
  }

  private findByName(name: string): Promise<AccountRow | undefined> {
    // The database rejects NUL, and no name has one.
    return name.length > NAME_LENGTH_MAX || name.includes('\u0000')
      ? Promise.resolve(undefined)
      : accountByName(this.parts.store, name);
  }

  private cachedAccount(id: number): Promise<AccountRow | undefined> {
    return this.rows.getOrLoad(id, () => accountById(this.parts.store, id));
  }

  private isUsable(row: AccountRow): boolean {
    return (
      (row.status ?? '').toLowerCase() === 'active' &&
      (row.environment ?? '').toLowerCase() === this.parts.settings.get(environment).toLowerCase()
    );
  }

  /** Returns why an account cannot be used from an address, whatever is proved; undefined if it can. */
  private refusalReason(row: AccountRow | undefined, address: string): string | undefined {
    if (!row) return 'unknown account';
    if (!isAllowed(storedNetworks(row.allowednetworks ?? ''), address)) return 'address not allowed';
    if ((row.status ?? '').toLowerCase() !== 'active') return 'the account is inactive';
    return this.isUsable(row) ? undefined : `the account belongs to the environment ${row.environment ?? '(none)'}`;
  }

  private isPersonActive(row: AccountRow): Promise<boolean> {
    return this.parts.identity.ofPerson(row.personid).then(
      () => true,
      () => false,
    );
  }

  /** Returns the limit of an address, which sign-ins with passwords over HTTP share. */
  private addressLimit(network: string): AttemptLimit {
    const { settings, signIn } = this.parts;
    return { subject: `address:${network}`, most: settings.get(signIn.failuresPerAddressMax) };
  }

  private window(): FailureWindow {
    return { clock: this.parts.clock, minutes: this.parts.settings.get(this.parts.signIn.windowMinutes) };
  }
}
