import type { Context } from '../../../../kernel/door/context.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { handover, type Handover } from '../handover.record.ts';

/** A user who is to be deactivated, or has been. */
interface HeldPerson {
  readonly name: string;
  readonly status: string;
}

/** Reads a user once no other deactivation or undo of theirs is running. */
export async function lockedPerson(ctx: Context, personId: number): Promise<HeldPerson> {
  await lockName(ctx, `handover ${personId}`);
  const [row] = await ctx.db.query<HeldPerson>(
    `select person as name, coalesce(status, 'Active') as status from person where personid = $1::bigint`,
    [personId],
  );
  return row ?? { name: '', status: '' };
}

/** Returns the last deactivation of a user, undone or not. */
export async function lastHandover(ctx: Context, personId: number): Promise<Handover | undefined> {
  const [last] = await ctx.db.query<{ id: number }>(
    'select handoverid as id from handover where personid = $1::bigint order by handoverid desc limit 1',
    [personId],
  );
  return last && readRecord(ctx.db, handover, last.id);
}
