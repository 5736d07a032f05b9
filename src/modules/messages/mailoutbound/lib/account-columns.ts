import type { MailAccount, MailAccountOption } from '../../../../contracts/mail-outbound.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';

/** A mail server's columns as stored, by lower-case name; secrets encrypted. */
export type StoredAccount = Readonly<Record<string, unknown>> & {
  readonly mailoutboundid: number;
  readonly mailoutbound: string;
  readonly mailoutboundtype: string | null;
};

/** The column of each option, in the spelling of the reference. */
export const optionColumns: Readonly<Record<MailAccountOption, string>> = {
  fromAddress: 'FromAddress',
  fromName: 'FromName',
  host: 'Host',
  port: 'Port',
  security: 'Security',
  authorities: 'Authorities',
  userName: 'UserName',
  password: 'Password',
  tokenUrl: 'TokenURL',
  clientId: 'ClientID',
  clientSecret: 'ClientSecret',
  refreshToken: 'RefreshToken',
  signatureDomain: 'SignatureDomain',
  signatureSelector: 'SignatureSelector',
  signatureKey: 'SignatureKey',
  connectionsMax: 'ConnectionsMax',
  timeoutSeconds: 'TimeoutSeconds',
};

export const options = Object.keys(optionColumns) as readonly MailAccountOption[];
/** The encrypted columns, each with the most bytes of its plain value that still fit once encrypted. */
export const secretColumns: ReadonlyMap<string, number> = new Map([
  ['password', 1_000],
  ['clientsecret', 2_000],
  ['refreshtoken', 5_000],
  ['signaturekey', 16_000],
]);
/** The select list of mail servers. */
export const accountColumns = [
  'mailoutboundid',
  'mailoutbound',
  'mailoutboundtype',
  ...options.map((option) => optionColumns[option].toLowerCase()),
].join(', ');
/** The default kind of mail server. */
export const DEFAULT_TYPE = 'smtp';

/** Returns a mail server from its columns, with secrets in plain text. Omits empty options. */
export function accountOf(id: number, name: string, columns: (column: string) => unknown): MailAccount {
  const filled = options.flatMap((option) => {
    const value = columns(optionColumns[option].toLowerCase()) ?? '';
    return value === '' ? [] : [[option, value] as const];
  });
  return { id, name, ...(Object.fromEntries(filled) as Partial<MailAccount>) };
}

/** Returns a mail server from its stored row, decrypting the secrets. */
export function openAccount(cipher: Cipher, row: StoredAccount): MailAccount {
  return accountOf(row.mailoutboundid, row.mailoutbound, (column) => openColumn(cipher, column, row[column]));
}

/** Returns a column's plain value. */
export function openColumn(cipher: Cipher, column: string, value: unknown): unknown {
  return secretColumns.has(column) && typeof value === 'string' && value !== ''
    ? openText(cipher, 'mailoutbound', column, value)
    : value;
}

/** Returns a secret as stored in its column. */
export function sealColumn(cipher: Cipher, column: string, value: string): string {
  return sealText(cipher, 'mailoutbound', column, value);
}
