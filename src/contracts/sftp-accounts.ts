/** The sFTP server's limits, according to the settings. */
export interface SftpLimits {
  readonly sessionsMax: number;
  readonly sessionsPerAccountMax: number;
  readonly homeBytesMax: number;
  readonly fileBytesMax: number;
  readonly idleMilliseconds: number;
  /** How long a file must be unchanged before it is imported. */
  readonly quietMilliseconds: number;
}

/** The account of a sign-in. */
export interface SftpAccount {
  readonly id: number;
  /** The sign-in name in the account's spelling. */
  readonly name: string;
  readonly personId: number;
}

/** What happens to an account's files. */
export interface SftpDelivery {
  readonly account: SftpAccount;
  /** The import template that imports them. */
  readonly template: string;
  /** Whether a template of that name exists, ignoring case and spaces. */
  readonly hasTemplate: boolean;
  /** File name patterns to import, the account's or else the template's; undefined if neither has any: import all. */
  readonly fileNames: readonly string[] | undefined;
}

/** A public key as SSH sends it. */
export interface SftpKey {
  /** The key type, `ssh-ed25519`; for RSA, regardless of the signature algorithm. */
  readonly type: string;
  /** The key in SSH's encoding. */
  readonly data: Uint8Array;
}

/** How a session signed in: valid as long as the account, its networks and this proof are. */
export interface SftpSignIn {
  readonly account: SftpAccount;
  /** The key's fingerprint, or a digest of the stored password hash. */
  readonly proof: string;
}

/** The content of a file. */
export interface SftpContent {
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
}

/** The port through which the sFTP server authenticates. */
export interface SftpAccounts {
  limits(): SftpLimits;
  /**
   * Whether any active account accepts an address. Connections from others are closed at once, and logged once in a
   * while.
   */
  acceptsAddress(address: string): Promise<boolean>;
  /**
   * Returns the sign-in for a key, or why there is none. The caller must still verify that the sender can sign with the
   * key.
   */
  byKey(name: string, key: SftpKey, address: string): Promise<SftpSignIn | string>;
  /** Returns the sign-in for a password, or undefined. Attempts are counted, limited and logged as everywhere. */
  byPassword(name: string, password: string, address: string): Promise<SftpSignIn | undefined>;
  /** Logs a successful sign-in. */
  logSignIn(signIn: SftpSignIn, address: string, how: string): Promise<void>;
  /** Logs that no offered key was accepted, and counts it as a failure of the address. */
  logRefusal(name: string, address: string, why: string): Promise<void>;
  /** Whether a sign-in is still valid; at most half a second old. */
  isStillValid(signIn: SftpSignIn, address: string): Promise<boolean>;
  /** Returns what happens to the files of an active account, or undefined. */
  delivery(accountId: number): Promise<SftpDelivery | undefined>;
  /** Returns the import file with this content that a person has sent since an instant, or undefined. */
  importedSince(personId: number, content: SftpContent, since: string): Promise<number | undefined>;
}
