import type { MailAccount, MailAccountOption } from '../../../../contracts/mail-outbound.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';

/** A mail server's columns as the table keeps them, by lower-cased name; secrets sealed. */
export type StoredAccount = Readonly<Record<string, unknown>> & {
  readonly mailoutboundid: number;
  readonly mailoutbound: string;
  readonly mailoutboundtype: string | null;
};

/** The column of each option, as the reference spells it. */
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

/** All options. */
export const options = Object.keys(optionColumns) as readonly MailAccountOption[];
/** The columns that are kept sealed, each with the most bytes that its value may have in clear: sealed it must fit. */
export const secretColumns: ReadonlyMap<string, number> = new Map([
  ['password', 1_000],
  ['clientsecret', 2_000],
  ['refreshtoken', 5_000],
  ['signaturekey', 16_000],
]);
/** What a select of mail servers reads. */
export const accountColumns = [
  'mailoutboundid',
  'mailoutbound',
  'mailoutboundtype',
  ...options.map((option) => optionColumns[option].toLowerCase()),
].join(', ');
/** The kind of a mail server that does not say its kind. */
export const DEFAULT_TYPE = 'smtp';

/** A mail server from its columns, whose secrets are in clear. What is empty is left out. */
export function accountOf(id: number, name: string, columns: (column: string) => unknown): MailAccount {
  const filled = options.flatMap((option) => {
    const value = columns(optionColumns[option].toLowerCase()) ?? '';
    return value === '' ? [] : [[option, value] as const];
  });
  return { id, name, ...(Object.fromEntries(filled) as Partial<MailAccount>) };
}

/** A mail server as it is stored, its secrets opened. */
export function openAccount(cipher: Cipher, row: StoredAccount): MailAccount {
  return accountOf(row.mailoutboundid, row.mailoutbound, (column) => openColumn(cipher, column, row[column]));
}

/** A column's value in clear. */
export function openColumn(cipher: Cipher, column: string, value: unknown): unknown {
  return secretColumns.has(column) && typeof value === 'string' && value !== ''
    ? openText(cipher, 'mailoutbound', column, value)
    : value;
}

/** A secret as its column keeps it. */
export function sealColumn(cipher: Cipher, column: string, value: string): string {
  return sealText(cipher, 'mailoutbound', column, value);
}
