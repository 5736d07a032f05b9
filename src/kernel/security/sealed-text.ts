import type { Cipher } from './cipher.ts';

/** Text sealed for a column, in the form in which a column of text keeps it. It opens as the same column's alone. */
export function sealText(cipher: Cipher, table: string, column: string, text: string): string {
  return cipher.seal(`${table}.${column}`, text).toString('base64');
}

/** Opens what {@link sealText} sealed. */
export function openText(cipher: Cipher, table: string, column: string, sealed: string): string {
  return cipher.open(`${table}.${column}`, Buffer.from(sealed, 'base64')).toString();
}
