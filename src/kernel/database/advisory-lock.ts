import type { Context } from '../door/context.ts';
import { arrayLiteral, type Db } from './store.ts';

/**
 * SQL that waits until no other open transaction holds a name, which is given as SQL. All that wait for names do it by this
 * expression: under another hash the same name would be another lock. Locks of whole processes (migrations, a backup, a
 * rotation, the tasks of housekeeping) are something else: they have numbers of their own and outlast transactions, or are tried
 * and not waited for.
 */
export function lockSql(name: string): string {
  return `pg_advisory_xact_lock(hashtextextended(${name}, 7322096))`;
}

/** Waits for each of some names, in the order given: who takes several gives them in one order, so that two never wait crosswise. In a transaction of any database. */
export async function lockNames(db: Db, names: readonly string[]): Promise<void> {
  await db.query(`select ${lockSql('name')} from unnest($1::text[]) name`, [arrayLiteral(names)]);
}

/** Waits until no other open transaction holds this name. For what must not be made twice and has no row to lock yet. */
export async function lockName(ctx: Context, name: string): Promise<void> {
  // The reached role may not lock by number, or a saved query could.
  await ctx.transaction().elevated((db) => lockNames(db, [name]));
}

/** Waits until no other open transaction makes an instance of a template below a record, or makes one of them active again: with Repeatable One and OneActive there is one. */
export async function lockInstance(
  ctx: Context,
  table: string,
  templateId: number,
  below: { readonly object: string; readonly id: number },
): Promise<void> {
  await lockName(ctx, `instance ${table} ${templateId} ${below.object} ${below.id}`);
}
