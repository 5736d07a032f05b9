import type { FileLocation, LocationOption } from '../../../../contracts/file-object.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';

/** A location's columns as the table keeps them, by lower-cased name; secrets sealed. */
export type StoredLocation = Readonly<Record<string, unknown>> & {
  readonly fileobjectid: number;
  readonly fileobject: string;
  readonly fileobjecttype: string;
};

/** The column of each option, as the reference spells it. */
export const optionColumns: Readonly<Record<LocationOption, string>> = {
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

/** All options. */
export const options = Object.keys(optionColumns) as readonly LocationOption[];
/** The columns that are kept sealed. */
export const secretColumns: ReadonlySet<string> = new Set(['secretaccesskey', 'password', 'privatekey', 'passphrase']);
/** What a select of locations reads. */
export const locationColumns = [
  'fileobjectid',
  'fileobject',
  'fileobjecttype',
  ...options.map((option) => columnOf(option)),
].join(', ');

/** The physical column of an option. */
export function columnOf(option: LocationOption): string {
  return optionColumns[option].toLowerCase();
}

/** A location from its columns, whose secrets are in clear. What is empty is left out. */
export function locationOf(id: number, name: string, columns: (column: string) => unknown): FileLocation {
  const filled = options.flatMap((option) => {
    const value = columns(columnOf(option)) ?? '';
    return value === '' ? [] : [[option, value] as const];
  });
  return { id, name, ...(Object.fromEntries(filled) as Partial<FileLocation>) };
}

/** A location as it is stored, its secrets opened. */
export function openLocation(cipher: Cipher, row: StoredLocation): FileLocation {
  return locationOf(row.fileobjectid, row.fileobject, (column) => openColumn(cipher, column, row[column]));
}

/** A column's value in clear. */
export function openColumn(cipher: Cipher, column: string, value: unknown): unknown {
  return secretColumns.has(column) && typeof value === 'string' && value !== ''
    ? openText(cipher, 'fileobject', column, value)
    : value;
}

/** A secret as its column keeps it. */
export function sealColumn(cipher: Cipher, column: string, value: string): string {
  return sealText(cipher, 'fileobject', column, value);
}
