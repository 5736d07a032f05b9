import { storedOptions, type StoredOptions } from '../../../../contracts/provider-options.ts';
import type { ColumnName } from '../../../../kernel/declare/columns.ts';
import type { fileObject } from '../fileobject.record.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';

/** A location's columns as stored, by lower-case name; secrets encrypted. */
export type StoredLocation = Readonly<Record<string, unknown>> & {
  readonly fileobjectid: number;
  readonly fileobject: string;
  readonly fileobjecttype: string;
};

/**
 * Columns of one option each, in the spelling of the reference. A type of storage may use any of them; its other
 * options are in the columns Options and Secrets.
 */
const optionColumns = [
  'Folder',
  'Endpoint',
  'Region',
  'Bucket',
  'PathStyle',
  'AccessKeyID',
  'SecretAccessKey',
  'Host',
  'Port',
  'UserName',
  'Password',
  'PrivateKey',
  'Passphrase',
  'HostKey',
  'ConnectionsMax',
  'TimeoutSeconds',
] as const;

type SecretColumn = 'SecretAccessKey' | 'Password' | 'PrivateKey' | 'Passphrase' | 'Secrets';

/** The encrypted columns, each with the most bytes of its plain value that still fit once encrypted. */
export const secretColumns: ReadonlyMap<SecretColumn, number> = new Map<SecretColumn, number>([
  ['SecretAccessKey', 1_000],
  ['Password', 1_000],
  ['PrivateKey', 16_000],
  ['Passphrase', 1_000],
  ['Secrets', 16_000],
]);
const sealedColumns: ReadonlySet<string> = new Set([...secretColumns.keys()].map((name) => name.toLowerCase()));
/** The select list of locations. */
export const locationColumns = [
  'fileobjectid',
  'fileobject',
  'fileobjecttype',
  'options',
  'secrets',
  ...optionColumns.map((name) => name.toLowerCase()),
].join(', ');

/** Returns the options of a location from its columns, which are in plain text. */
export function optionsOf(plainColumn: (name: ColumnName<typeof fileObject>) => unknown): StoredOptions {
  return storedOptions(optionColumns, plainColumn);
}

/** Returns a column's plain value. */
export function openColumn(cipher: Cipher, column: string, value: unknown): unknown {
  return sealedColumns.has(column) && typeof value === 'string' && value !== ''
    ? openText(cipher, 'fileobject', column, value)
    : value;
}

/** Returns a secret as stored in its column. */
export function sealColumn(cipher: Cipher, column: string, value: string): string {
  return sealText(cipher, 'fileobject', column, value);
}
