import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { noteForOperators } from '../../../../../kernel/door/error-log.ts';
import { nextRun, parseSchedule } from '../../../../../kernel/time/schedule.ts';
import type { WatchRun } from './process-file.ts';

/** What is known of an expected file. */
interface ExpectedFile {
  /** The next time by which a file must have come. */
  readonly due: string;
  readonly hasCome: boolean;
  readonly isMissing: boolean;
}

/**
 * Warns, and notifies operators, if no file came by the last of the watch's times. Each time is judged once, by the
 * first watch after it; of several that passed while no watch ran, one. A file that comes after its time was missed
 * counts for that time, not for the next.
 * @param taken files that this watch has taken
 */
export async function checkExpectedFile(
  ctx: Context,
  { location, request }: Pick<WatchRun, 'location' | 'request'>,
  taken: number,
): Promise<void> {
  const { expectedBy, kind, path, pattern } = request;
  if (expectedBy === undefined) return;
  const next = nextRun(parseSchedule(expectedBy, 'ExpectedBy'), ctx.clock.milliseconds(), ctx.settings.get(timeZone));
  if (next === undefined) return;
  const key = [location, kind, path, pattern, expectedBy];
  const missed = await ctx.inTransaction(async (own) => {
    const state = await lockExpectedFile(own, key, next);
    const isLate = state.isMissing && taken > 0;
    const hasCome = state.hasCome || taken > (isLate ? 1 : 0);
    const isDue = state.due <= own.clock.now();
    const isMissing = isDue ? !hasCome && !isLate : state.isMissing && !isLate;
    await own.transaction().elevated((db) =>
      db.query(
        `update expectedfile set duedate = $6::timestamptz, hascome = $7::boolean, ismissing = $8::boolean
         where location = $1::text and kind = $2::text and path = $3::text and pattern = $4::text
           and expectedby = $5::text`,
        [...key, isDue ? next : state.due, isDue ? false : hasCome, isMissing],
      ),
    );
    if (!isDue || !isMissing) return undefined;
    const text =
      `${path} of ${location}: no file named ${pattern} came by ${state.due} (ExpectedBy ${expectedBy}). ` +
      'Ask its sender.';
    await own.transaction().elevated((db) => noteForOperators(own, db, kind, text));
    return text;
  });
  if (missed !== undefined) ctx.alert({ code: 'FILE_EXPECTED', text: missed });
}

/** Locks the state of an expected file. The first watch creates it, so the first time is the next one. */
async function lockExpectedFile(own: Context, key: readonly string[], next: string): Promise<ExpectedFile> {
  const [row] = await own.transaction().elevated((db) =>
    db.query<ExpectedFile>(
      `insert into expectedfile as e (location, kind, path, pattern, expectedby, duedate)
       values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::timestamptz)
       on conflict (location, kind, path, pattern, expectedby) do update set duedate = e.duedate
       returning duedate as due, hascome as "hasCome", ismissing as "isMissing"`,
      [...key, next],
    ),
  );
  return row ?? { due: next, hasCome: false, isMissing: false };
}
