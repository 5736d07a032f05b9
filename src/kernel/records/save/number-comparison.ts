/**
 * Comparisons of a stored protected number with one that the caller chose. A save of an equal number leaves no
 * history, and a merge of equal ones goes through: whoever sees the last four digits could find the others by trying.
 */
import { numberComparisonsPerHour } from '../../declare/core-settings.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { removeValue, type Values } from '../../declare/values.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { mayUnmask } from '../../security/identity.ts';
import { isIndexOf, openNumber, protectionPurpose } from './protect.ts';

const MINUTES = 60;

/** The event of the security log: a write or a merge compared a stored number with another one. */
const EVENT = 'SSNCompared';

/** Whether the caller may see protected numbers, so that comparing them reveals nothing. Never true for agents. */
export function mayReadNumbers({ caller, user }: Pick<Context, 'caller' | 'user'>): boolean {
  // A step of a workflow runs as a built-in user; what it reveals, it reveals to whoever started it.
  return user.agent !== true && mayUnmask(caller, 'UnmaskSSN');
}

/**
 * Counts a comparison of a stored number with one that the caller chose, and writes it to the security log without the
 * number. An equal number does not count, so that honest repetitions, such as referrals that are sent again, are never
 * limited; but it is refused as soon as a different one would be, since the difference would reveal the right one.
 *
 * @throws NO_PERMISSION for agents, TOO_MANY beyond the limit
 */
export async function countNumberComparison(
  ctx: Context,
  record: RecordType,
  name: string,
  isEqual: boolean,
): Promise<void> {
  assertNoAgent(ctx, name);
  const most = ctx.settings.get(numberComparisonsPerHour);
  const wait = await ctx.limitedSecurity(
    { event: EVENT, object: record.name, address: ctx.address, detail: ctx.operation.route },
    { most, minutes: MINUTES, count: isEqual ? 0 : 1 },
  );
  if (wait > 0)
    throw new PlatformError('TOO_MANY', {
      field: name,
      message:
        `${name}: within an hour you may replace or merge ${most} Social Security numbers that end in the same four ` +
        `digits. Nothing was saved; try again in ${Math.ceil(wait / 60)} minutes.`,
      details: { RetryAfterSeconds: wait },
    });
}

/** Throws NO_PERMISSION for agents. */
export function assertNoAgent({ user, caller }: Context, name: string): void {
  if (user.agent === true || caller.agent === true)
    throw new PlatformError('NO_PERMISSION', {
      field: name,
      message: `${name}: agents cannot compare Social Security numbers; use name and last four digits.`,
    });
}

/** A stored number, as far as a new one is compared with it. */
interface StoredNumber {
  readonly index: unknown;
  readonly last: string | null;
}

/**
 * Compares the protected numbers among a row's new values with the stored ones, before they are written.
 *
 * Counts each that ends like the stored one, which is all that a caller sees of it, unless the caller may read numbers.
 * During a key rotation, removes those that the row already has: under another key the blind index of an equal number
 * differs, and history would record a change. With one key the UPDATE itself compares.
 *
 * @throws TOO_MANY as {@link countNumberComparison}
 */
export async function compareNumbers(ctx: Context, record: RecordType, id: number, values: Values): Promise<void> {
  for (const name in values) {
    const value = values[name];
    const column = record.valueColumns.get(name);
    if (column?.field.kind !== 'ssn' || typeof value !== 'string') continue;
    const isRotating = ctx.cipher.blindIndexes(protectionPurpose(column), value).length > 1;
    if (!isRotating && mayReadNumbers(ctx)) continue;
    const stored = await lockNumber(ctx, column, id);
    if (!stored || stored.last === null) continue;
    const isEqual = isIndexOf(ctx.cipher, column, stored.index, value);
    if (stored.last === value.slice(-4) && !mayReadNumbers(ctx))
      await countNumberComparison(ctx, record, column.name, isEqual);
    if (isRotating && isEqual) removeValue(values, name);
  }
}

async function lockNumber(
  ctx: Context,
  { table, column, field }: Column,
  id: number,
): Promise<StoredNumber | undefined> {
  const [row] = await ctx.db.query<StoredNumber>(
    `select ${column}index as index, ${String(field.last).toLowerCase()} as last from ${table}
     where ${table}id = $1::bigint
     for no key update`,
    [id],
  );
  return row;
}

/**
 * Whether a number at one time and at another differ, as far as the caller may know: for those who may not read
 * numbers, whether it was written in between. Otherwise a past number would tell whether the present one is right.
 */
export function numbersDiffer(ctx: Context, column: Column, a: unknown, b: unknown): boolean {
  if (mayReadNumbers(ctx)) return openNumber(ctx.cipher, column, a) !== openNumber(ctx.cipher, column, b);
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array))
    return a instanceof Uint8Array !== b instanceof Uint8Array;
  return !Buffer.from(a).equals(b);
}
