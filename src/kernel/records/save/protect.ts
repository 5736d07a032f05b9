import type { Cipher } from '../../security/cipher.ts';
import type { Context } from '../../door/context.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { removeValue, type Values } from '../../declare/values.ts';

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
function isIndexOf(cipher: Cipher, column: Column, stored: unknown, plain: string): boolean {
  return (
    stored instanceof Uint8Array &&
    cipher.blindIndexes(protectionPurpose(column), plain).some((index) => index.equals(stored))
  );
}

/**
 * During a key rotation, removes from a row's new values the protected numbers that it already has. Under another key
 * the blind index of an equal number differs, and history would record a change. With one key the UPDATE itself
 * compares.
 */
export async function omitEqualNumbers(
  ctx: Pick<Context, 'db' | 'cipher'>,
  record: RecordType,
  id: number,
  values: Values,
): Promise<void> {
  for (const name in values) {
    const value = values[name];
    const column = record.valueColumns.get(name);
    if (
      column?.field.kind !== 'ssn' ||
      typeof value !== 'string' ||
      ctx.cipher.blindIndexes(protectionPurpose(column), value).length === 1
    )
      continue;
    const [row] = await ctx.db.query<{ index: unknown }>(
      `select ${column.column}index as index from ${column.table}
       where ${column.table}id = $1::bigint
       for no key update`,
      [id],
    );
    if (row && isIndexOf(ctx.cipher, column, row.index, value)) removeValue(values, name);
  }
}
