import type { FileLocation, LocationOption } from '../../../../contracts/file-object.ts';
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

/** The column of each option, in the spelling of the reference. */
export const optionColumns: Readonly<Record<LocationOption, ColumnName<typeof fileObject>>> = {
  folder: 'Folder',
  endpoint: 'Endpoint',
  region: 'Region',
  bucket: 'Bucket',
  pathStyle: 'PathStyle',
  accessKeyId: 'AccessKeyID',
  secretAccessKey: 'SecretAccessKey',
  host: 'Host',
  port: 'Port',
  userName: 'UserName',
  password: 'Password',
  privateKey: 'PrivateKey',
  passphrase: 'Passphrase',
  hostKey: 'HostKey',
  connectionsMax: 'ConnectionsMax',
  timeoutSeconds: 'TimeoutSeconds',
};

export const options = Object.keys(optionColumns) as readonly LocationOption[];
/** The encrypted columns. */
export const secretColumns: ReadonlySet<string> = new Set(['secretaccesskey', 'password', 'privatekey', 'passphrase']);
/** The select list of locations. */
export const locationColumns = [
  'fileobjectid',
  'fileobject',
  'fileobjecttype',
  ...options.map((option) => columnOf(option)),
].join(', ');

/** Returns the physical column of an option. */
export function columnOf(option: LocationOption): string {
  return optionColumns[option].toLowerCase();
}

/** Returns a location from its columns, with secrets in plain text. Omits empty options. */
export function locationOf(id: number, name: string, columns: (column: string) => unknown): FileLocation {
  const filled = options.flatMap((option) => {
    const value = columns(columnOf(option)) ?? '';
    return value === '' ? [] : [[option, value] as const];
  });
  return { id, name, ...(Object.fromEntries(filled) as Partial<FileLocation>) };
}

/** Returns a location from its stored row, decrypting the secrets. */
export function openLocation(cipher: Cipher, row: StoredLocation): FileLocation {
  return locationOf(row.fileobjectid, row.fileobject, (column) => openColumn(cipher, column, row[column]));
}

/** Returns a column's plain value. */
export function openColumn(cipher: Cipher, column: string, value: unknown): unknown {
  return secretColumns.has(column) && typeof value === 'string' && value !== ''
    ? openText(cipher, 'fileobject', column, value)
    : value;
}

/** Returns a secret as stored in its column. */
export function sealColumn(cipher: Cipher, column: string, value: string): string {
  return sealText(cipher, 'fileobject', column, value);
}
