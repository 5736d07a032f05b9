import type { Context } from '../context.ts';

/** Waits until no other open transaction holds this name. For what must not be made twice and has no row to lock yet. */
export async function lockName(ctx: Context, name: string): Promise<void> {
  // The reached role may not lock by number, or a saved query could.
  await ctx.transaction().elevated((db) => db.query('select pg_advisory_xact_lock(hashtextextended($1::text, 7322096))', [name]));
}
