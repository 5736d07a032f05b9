import type { Context } from '../../../../kernel/door/context.ts';
import { fromDatabaseError, loggableMessage } from '../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import { ROW_WARNINGS } from '../../lib/row-warnings.ts';
import { rowLease, type ClaimedRow } from './claim-row.ts';

/** The longest reason that a row keeps. */
export const MESSAGE_CHARACTERS_MAX = 9_000;

/** The outcome of one run of a row. */
export interface RowOutcome {
  readonly status: 'Complete' | 'Error';
  /** Insert, Update, or the operation that was called. */
  readonly operation: string;
  readonly result: number | null;
  /** Why the row failed, or the warnings of one that is complete. */
  readonly message: string | null;
}

/** Log categories by outcome, from the import type's ParameterString. */
export interface LogCategories {
  readonly success: string | null;
  readonly failure: string | null;
}

const OPERATION_CHARACTERS_MAX = 60;

/** Message of a row whose process died during a call that commits by itself. */
export const INTERRUPTED_MESSAGE =
  'The run was interrupted, and it is unknown whether the operation took effect. Check before you queue the row again.';

/**
 * Stores the outcome of a run of a row: the success or failure date, and one import log row, which a later run
 * overwrites. For a call that commits by itself only if the row still waits for this run.
 */
export async function recordOutcome(
  own: Context,
  row: ClaimedRow,
  outcome: RowOutcome,
  categories: LogCategories,
): Promise<void> {
  const now = own.clock.now();
  const isDone = outcome.status === 'Complete';
  const message = outcome.message === null ? null : maskNumbers(outcome.message).slice(0, MESSAGE_CHARACTERS_MAX);
  await own.transaction().elevated(async (db) => {
    // A claimed row is locked already. After a call that commits by itself, another process may be declaring the row
    // lost at this moment.
    own
      .transaction()
      .later('select 1 from importfilequeue where importfilequeueid = $1::bigint for no key update', [row.id]);
    await db.query(RECORD_OUTCOME_SQL, [
      row.id,
      row.run,
      outcome.status,
      isDone ? now : null,
      isDone ? null : now,
      message,
      outcome.result,
      now,
      logStatus(outcome),
      outcome.operation.slice(0, OPERATION_CHARACTERS_MAX),
      isDone ? categories.success : categories.failure,
      own.user.personId,
      row.label,
      row.importFileId,
      row.organizationId,
      own.registry.record(row.className)?.name ?? row.className,
      row.line,
      own.correlationId,
    ]);
  });
}

function logStatus({ status, message }: RowOutcome): 'Success' | 'Warning' | 'Error' {
  if (status === 'Error') return 'Error';
  return message === null ? 'Success' : 'Warning';
}

/** Returns the warnings raised by the row's call, as the message of its outcome. Later rows start without them. */
export function takeWarnings(ctx: Pick<Context, 'takeAlerts'>): string | null {
  const warnings = ctx.takeAlerts(...ROW_WARNINGS);
  return warnings.length === 0 ? null : warnings.map(({ text }) => text).join(' ');
}

/** One statement for the row and its log, because it runs for each of a million rows. */
const RECORD_OUTCOME_SQL = `with state as (select importlogid from importfilequeue
  where importfilequeueid = $1::bigint and successdate is null and failuredate is null
  and executecount in ($2::integer - 1, $2::integer)),
  again as (
    update importlog l set status = $9::text, operation = $10::text, objectid = $7::bigint, message = $6::text,
    logcategory = $11::text, updateddate = $8::timestamptz, updatedpersonid = $12::bigint
    from state where l.importlogid = state.importlogid returning l.importlogid),
  made as (
    insert into importlog (importlog, importfileid, organizationid, object, sourceline, sequence, status, operation,
    objectid, message, logcategory, createddate, createdpersonid, updateddate, updatedpersonid)
    select $13::text, $14::bigint, $15::bigint, $16::text, $17::integer, $17::integer, $9::text, $10::text,
    $7::bigint, $6::text, $11::text, $8::timestamptz, $12::bigint, $8::timestamptz, $12::bigint
    from state where not exists (select from again) returning importlogid)
  update importfilequeue q set status = $3::text, executecount = $2::integer, successdate = $4::timestamptz,
  failuredate = $5::timestamptz, message = $6::text, result = $7::bigint, callid = $18::text, ${rowLease.end()},
    updateddate = $8::timestamptz, importlogid = coalesce((select importlogid from again), (select importlogid
    from made))
  from state where q.importfilequeueid = $1::bigint`;

/**
 * Returns a failed row's outcome; undefined if the database itself is unavailable, so that nothing can be stored now.
 * Unexpected errors are logged and reported without details.
 */
export function failureOutcome(ctx: Context, row: ClaimedRow, error: unknown): RowOutcome | undefined {
  const known =
    error instanceof PlatformError
      ? error
      : fromDatabaseError(error, (table, column) => ctx.registry.record(table)?.columns.get(column)?.name);
  if (!(error instanceof PlatformError) && known?.code === 'UNAVAILABLE') return undefined;
  if (!known || known.code === 'INTERNAL')
    ctx.log.error('a row of a batch failed', {
      correlationId: ctx.correlationId,
      operation: `${row.className}/${row.operation}`,
      error: loggableMessage(error),
    });
  return {
    status: 'Error',
    operation: row.operation,
    result: null,
    message:
      known && known.code !== 'INTERNAL'
        ? known.message
        : `Unexpected error. Quote the correlation ID ${ctx.correlationId} to support.`,
  };
}
