import type { Cipher } from '../../security/cipher.ts';
import type { Column } from '../../declare/record.ts';

/**
 * Returns the purpose that a protected number's ciphertext and blind index are bound to. Sealing and opening must use
 * the same.
 */
export function protectionPurpose(column: Column): string {
  return `${column.table}.${column.column}`;
}

/** Returns the name of the physical column that stores a column; of a protected number that of its ciphertext. */
export function storedName({ column, field }: Column): string {
  return field.kind === 'ssn' ? `${column}cipher` : column;
}

/** Returns a protected number as answers show it. */
export function maskedNumber(plain: string): string {
  return `XXX-XX-${plain.slice(-4)}`;
}

/**
 * Returns the physical values of a protected number: ciphertext, blind index and last four digits; all null where it is
 * empty.
 */
export function protect(cipher: Cipher, column: Column, plain: string | null): readonly (readonly [string, unknown])[] {
  const { table } = column;
  const last = String(column.field.last).toLowerCase();
  return [
    [`${table}.${column.column}cipher`, plain === null ? null : cipher.seal(protectionPurpose(column), plain)],
    [`${table}.${column.column}index`, plain === null ? null : cipher.blindIndex(protectionPurpose(column), plain)],
    [`${table}.${last}`, plain === null ? null : plain.slice(-4)],
  ];
}

/** Whether a stored blind index is that of a number, under any key of the ring. */
export function isIndexOf(cipher: Cipher, column: Column, stored: unknown, plain: string): boolean {
  return (
    stored instanceof Uint8Array &&
    cipher.blindIndexes(protectionPurpose(column), plain).some((index) => index.equals(stored))
  );
}

/** Returns a sealed number in the clear; null if there is none. */
export function openNumber(cipher: Cipher, column: Column, sealed: unknown): string | null {
  return sealed instanceof Uint8Array ? cipher.open(protectionPurpose(column), sealed).toString() : null;
}
