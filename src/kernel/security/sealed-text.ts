import type { Cipher } from './cipher.ts';

/** Seals a text for one column, as base64. It opens only as that column's value. */
export function sealText(cipher: Cipher, table: string, column: string, text: string): string {
  return cipher.seal(`${table}.${column}`, text).toString('base64');
}

/** Opens what {@link sealText} sealed. */
export function openText(cipher: Cipher, table: string, column: string, sealed: string): string {
  return cipher.open(`${table}.${column}`, Buffer.from(sealed, 'base64')).toString();
}
