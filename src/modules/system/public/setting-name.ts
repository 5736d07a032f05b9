import type { Context } from '../../../kernel/door/context.ts';
import type { Db } from '../../../kernel/database/store.ts';

/** Returns the name of the stored setting with an id. */
export async function settingName(db: Db, settingId: number): Promise<string | undefined> {
  const [row] = await db.query<{ setting: string }>('select setting from setting where settingid = $1::bigint', [
    settingId,
  ]);
  return row?.setting;
}

/** Returns the value of a setting as the transaction sees it now, not as it was cached; undefined if none is stored. */
export async function storedSetting(ctx: Context, name: string): Promise<string | undefined> {
  const [row] = await ctx
    .transaction()
    .elevated((db) => db.query<{ value: string | null }>('select value from setting where setting = $1::text', [name]));
  return row?.value ?? undefined;
}
