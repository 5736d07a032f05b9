import type { Clock } from '../time/clock.ts';
import { deleteAfterMonths } from '../database/delete-by-age.ts';
import { errorLogMonths } from '../declare/core-settings.ts';
import type { Context } from './context.ts';
import type { ErrorEntry, Platform } from '../ports/platform.ts';
import type { Db } from '../database/store.ts';

/** Longest operation name and longest cause of an entry, in characters. */
const OPERATION_CHARACTERS_MAX = 200;
const CAUSE_CHARACTERS_MAX = 2_000;

/** Writes an entry of the error log. */
export async function writeErrorEntry(db: Pick<Db, 'query'>, clock: Clock, entry: ErrorEntry): Promise<void> {
  await db.query(
    'insert into errorlog (errorlog, errorguid, operation, cause, stack, personid, createddate, ' +
      'createdpersonid) values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::timestamptz, ' +
      '$6::bigint)',
    [
      entry.message,
      entry.correlationId,
      entry.operation.slice(0, OPERATION_CHARACTERS_MAX),
      entry.cause.slice(0, CAUSE_CHARACTERS_MAX),
      entry.stack,
      // A caller without an account has no user.
      entry.personId === 0 ? null : entry.personId,
      clock.now(),
    ],
  );
}

/** Writes what an operator must look at to the error log, in the transaction that decided it: rolled back with it. */
export function noteForOperators(ctx: Context, db: Db, operation: string, message: string): Promise<void> {
  return writeErrorEntry(db, ctx.clock, {
    message,
    operation,
    correlationId: ctx.correlationId,
    cause: ctx.cause.join(' > '),
    stack: null,
    personId: ctx.user.personId,
  });
}

/** Returns the number of entries in the error log since an instant. */
export async function countErrors(db: Db, since: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(*)::integer as n from errorlog where createddate >= $1::timestamptz',
    [since],
  );
  return row?.n ?? 0;
}

/** Deletes entries of the error log older than the setting's number of months, and returns how many. */
export function deleteOldErrors(platform: Platform): Promise<number> {
  return deleteAfterMonths(platform, 'errorlog', errorLogMonths);
}
