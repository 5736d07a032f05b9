import type { Cipher } from '../cipher.ts';
import type { Column } from '../record.ts';

/** What a protected number's ciphertext and blind index are bound to; both must be the same wherever they are made or read. */
export function protectionPurpose(column: Column): string {
  return `${column.table}.${column.column}`;
}

/** The physical values of a protected number: ciphertext, blind index and the last four digits; all null where it is emptied. */
export function protect(cipher: Cipher, column: Column, plain: string | null): readonly (readonly [string, unknown])[] {
  const { table } = column;
  const last = String(column.field.last).toLowerCase();
  return [
    [`${table}.${column.column}cipher`, plain === null ? null : cipher.seal(protectionPurpose(column), plain)],
    [`${table}.${column.column}index`, plain === null ? null : cipher.blindIndex(protectionPurpose(column), plain)],
    [`${table}.${last}`, plain === null ? null : plain.slice(-4)],
  ];
}

/** The blind index of a protected number, to compare with a stored one. */
export function blindIndexOf(cipher: Cipher, column: Column, plain: string): Buffer {
  return cipher.blindIndex(protectionPurpose(column), plain);
}
