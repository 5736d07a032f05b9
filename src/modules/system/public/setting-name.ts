import type { Db } from '../../../kernel/database/store.ts';

/** Returns the name of the stored setting with an id. */
export async function settingName(db: Db, settingId: number): Promise<string | undefined> {
  const [row] = await db.query<{ setting: string }>('select setting from setting where settingid = $1::bigint', [
    settingId,
  ]);
  return row?.setting;
}
