/** The limits of the sFTP server, as the installation's settings say them now. */
export interface SftpLimits {
  readonly sessionsMax: number;
  readonly sessionsPerAccountMax: number;
  readonly homeBytesMax: number;
  readonly fileBytesMax: number;
  readonly idleMilliseconds: number;
  /** How long a file must lie complete before it is imported. */
  readonly quietMilliseconds: number;
}

/** An account as a sign-in found it. */
export interface SftpAccount {
  readonly id: number;
  /** The sign-in name, in the account's own spelling. */
  readonly name: string;
  readonly personId: number;
}

/** What is done with the files of an account. */
export interface SftpDelivery {
  readonly account: SftpAccount;
  /** The import template that they are sent to. */
  readonly template: string;
  /** Whether there is a template of that name, case and spaces ignored. */
  readonly hasTemplate: boolean;
  /** Patterns of the names of files that are imported, the account's or else the template's; undefined where neither has any: all are. */
  readonly fileNames: readonly string[] | undefined;
}

/** A key as SSH sends it. */
export interface SftpKey {
  /** The key's kind, `ssh-ed25519`; of RSA the signature algorithm does not matter here. */
  readonly type: string;
  /** The key in SSH's own encoding. */
  readonly data: Uint8Array;
}

/** What signed a session in: it stands as long as the account, its networks and this do. */
export interface SftpSignIn {
  readonly account: SftpAccount;
  /** The fingerprint of the key, or a digest of the stored hash of the password. */
  readonly proof: string;
}

/** The port through which the sFTP server learns who signs in. */
export interface SftpAccounts {
  limits(): SftpLimits;
  /** Whether any account that stands may come from an address: others are not even spoken to, and noted once in a while. */
  acceptsAddress(address: string): Promise<boolean>;
  /** The sign-in that a key would give, or why it gives none. The caller has yet to see that whoever sent it can sign with it. */
  byKey(name: string, key: SftpKey, address: string): Promise<SftpSignIn | string>;
  /** The sign-in by a password, or undefined. Attempts are counted, limited and logged like all others. */
  byPassword(name: string, password: string, address: string): Promise<SftpSignIn | undefined>;
  /** Notes a sign-in that succeeded. */
  logSignIn(signIn: SftpSignIn, address: string, how: string): Promise<void>;
  /** Notes that keys were offered and none was taken, and counts it against the address. */
  logRefusal(name: string, address: string, why: string): Promise<void>;
  /** Whether a sign-in still stands; at most half a second old. */
  isStillValid(signIn: SftpSignIn, address: string): Promise<boolean>;
  /** What is done with the files of an account that is active now, or undefined. */
  delivery(accountId: number): Promise<SftpDelivery | undefined>;
  /** The import file that a person's file of this content became since an instant, or undefined. */
  importedSince(personId: number, hash: string, since: string): Promise<number | undefined>;
}
