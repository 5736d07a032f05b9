import { storedOptions, type StoredOptions } from '../../../../contracts/provider-options.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';
import type { ColumnName } from '../../../../kernel/declare/columns.ts';
import type { mailOutbound } from '../mailoutbound.record.ts';

/** A mail server's columns as stored, by lower-case name; secrets encrypted. */
export type StoredAccount = Readonly<Record<string, unknown>> & {
  readonly mailoutboundid: number;
  readonly mailoutbound: string;
  readonly mailoutboundtype: string | null;
};

/**
 * Columns of one option each, in the spelling of the reference. A type of mail server may use any of them; its other
 * options are in the columns Options and Secrets.
 */
const optionColumns = [
  'FromAddress',
  'FromName',
  'Host',
  'Port',
  'Security',
  'Authorities',
  'UserName',
  'Password',
  'TokenURL',
  'ClientID',
  'ClientSecret',
  'RefreshToken',
  'SignatureDomain',
  'SignatureSelector',
  'SignatureKey',
  'ConnectionsMax',
  'TimeoutSeconds',
] as const;

type SecretColumn = 'Password' | 'ClientSecret' | 'RefreshToken' | 'SignatureKey' | 'Secrets';

/** The encrypted columns, each with the most bytes of its plain value that still fit once encrypted. */
export const secretColumns: ReadonlyMap<SecretColumn, number> = new Map<SecretColumn, number>([
  ['Password', 1_000],
  ['ClientSecret', 2_000],
  ['RefreshToken', 5_000],
  ['SignatureKey', 16_000],
  ['Secrets', 16_000],
]);
const sealedColumns: ReadonlySet<string> = new Set([...secretColumns.keys()].map((name) => name.toLowerCase()));
/** The select list of mail servers. */
export const accountColumns = [
  'mailoutboundid',
  'mailoutbound',
  'mailoutboundtype',
  'options',
  'secrets',
  ...optionColumns.map((name) => name.toLowerCase()),
].join(', ');
/** The default kind of mail server. */
export const DEFAULT_TYPE = 'smtp';

/** Returns the options of a mail server from its columns, which are in plain text. */
export function optionsOf(plainColumn: (name: ColumnName<typeof mailOutbound>) => unknown): StoredOptions {
  return storedOptions(optionColumns, plainColumn);
}

/** Returns a column's plain value. */
export function openColumn(cipher: Cipher, column: string, value: unknown): unknown {
  return sealedColumns.has(column) && typeof value === 'string' && value !== ''
    ? openText(cipher, 'mailoutbound', column, value)
    : value;
}

/** Returns a secret as stored in its column. */
export function sealColumn(cipher: Cipher, column: string, value: string): string {
  return sealText(cipher, 'mailoutbound', column, value);
}
