import type { Context } from '../door/context.ts';
import { arrayLiteral, type Db, type Transaction } from './store.ts';

/**
 * Returns SQL that locks a name until the transaction ends, waiting for other holders. `name` is SQL. Every lock by
 * name must use this expression: with another hash, the same name would be another lock. Locks of whole processes
 * (migrations, backup, rotation, housekeeping) have fixed numbers instead; they outlast transactions, or are tried
 * without waiting.
 */
export function lockSql(name: string): string {
  return `pg_advisory_xact_lock(hashtextextended(${name}, 7322096))`;
}

/**
 * Locks several names in this order until the transaction ends. All callers use one order, so that two never deadlock.
 */
export async function lockNames(db: Db, names: readonly string[]): Promise<void> {
  await db.query(`select ${lockSql('name')} from unnest($1::text[]) name`, [arrayLiteral(names)]);
}

/**
 * Sends {@link lockNames} without waiting. Later statements wait for the locks and then see everything committed
 * before. Call it with row security off.
 */
export function sendLocks(transaction: Transaction, names: readonly string[]): void {
  transaction.later(`select ${lockSql('name')} from unnest($1::text[]) name`, [arrayLiteral(names)]);
}

/** Locks a name until the transaction ends. For things that must not be created twice and have no row to lock yet. */
export async function lockName(ctx: Context, name: string): Promise<void> {
  // The role under row security may not take advisory locks: a saved query could then.
  await ctx.transaction().elevated((db) => lockNames(db, [name]));
}

/** Locks a name until the transaction ends against {@link lockName} alone: other shared locks of it do not wait. */
export async function lockNameShared(ctx: Context, name: string): Promise<void> {
  const text = 'select pg_advisory_xact_lock_shared(hashtextextended($1::text, 7322096))';
  await ctx.transaction().elevated((db) => db.query(text, [name]));
}

/**
 * Locks the instances of a template below a record until the transaction ends: no other transaction inserts one or
 * makes one active again. With Repeatable One and OneActive there is only one.
 */
export async function lockInstance(
  ctx: Context,
  table: string,
  templateId: number,
  below: { readonly object: string; readonly id: number },
): Promise<void> {
  await lockName(ctx, `instance ${table} ${templateId} ${below.object} ${below.id}`);
}
