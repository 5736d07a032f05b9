import type { RowResult } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { maskedStart } from '../../../../kernel/security/mask.ts';
import type { RunCounts } from './run-store.ts';

/** The longest message that a log row keeps. */
export const MESSAGE_CHARACTERS_MAX = 9_000;
const LABEL_CHARACTERS_MAX = 255;

/** The run whose log it is. */
export interface LogOwner {
  readonly importFileId: number;
  readonly organizationId: number | null;
}

/** A row of the import log as it is stored. */
export interface ImportLogRow {
  readonly label: string;
  readonly object: string | null;
  readonly objectid: number | null;
  readonly operation: string;
  readonly status: RowResult['status'];
  readonly reference: string | null;
  readonly message: string | null;
  readonly properties: string | null;
  /** Where the row is in the source; null if it is about the whole document. */
  readonly line: number | null;
  /** Position in the log. */
  readonly sequence: number;
  readonly category: string | null;
  /** The column of the source that is wrong. */
  readonly column: string | null;
}

/**
 * Sends log rows of a run in one statement, in their order, without waiting: a failure is that of the next statement,
 * or of the commit.
 */
export function insertLogRows(
  own: Pick<Context, 'transaction' | 'clock' | 'user'>,
  { importFileId, organizationId }: LogOwner,
  rows: readonly ImportLogRow[],
): void {
  if (rows.length === 0) return;
  own.transaction().later(
    `insert into importlog (importlog, importfileid, organizationid, object, objectid, operation, status, reference,
      message, properties, sourceline, sourcecolumn, logcategory, sequence, createddate, createdpersonid, updateddate,
      updatedpersonid)
     select r.label, $2::bigint, $3::bigint, r.object, r.objectid, r.operation, r.status, r.reference, r.message,
     r.properties, r.line, r."column", r.category, r.sequence, $5::timestamptz, $4::bigint, $5::timestamptz, $4::bigint
     from jsonb_to_recordset($1::text::jsonb) as r (n integer, label text, object text, objectid bigint, operation
     text, status text, reference text, message text, properties text, line integer, "column" text, sequence integer,
     category text)
     order by r.n`,
    [
      JSON.stringify(rows.map((row, n) => ({ n, ...row }))),
      importFileId,
      organizationId,
      own.user.personId,
      own.clock.now(),
    ],
  );
}

/** Writes the log rows of results. Messages repeat what was sent, so numbers in them are masked. */
export function writeResults(own: Context, owner: LogOwner, results: readonly RowResult[]): void {
  insertLogRows(
    own,
    owner,
    results.map((result) => ({
      label: maskedStart(result.label ?? result.reference ?? result.object ?? 'Row', LABEL_CHARACTERS_MAX),
      object: result.object ?? null,
      objectid: result.objectId ?? null,
      operation: result.operation,
      status: result.status,
      reference: result.reference ?? null,
      message: result.message === undefined ? null : maskedStart(result.message, MESSAGE_CHARACTERS_MAX),
      properties: result.properties ?? null,
      line: result.line,
      sequence: result.line,
      category: result.category ?? null,
      column: result.column === undefined ? null : maskedStart(result.column, LABEL_CHARACTERS_MAX),
    })),
  );
}

/** What the log of a run says of its rows so far. */
export interface LogCounts extends RunCounts {
  /** Items of the source with a log row. */
  readonly done: number;
  /** When the last row was written; null if there is none. */
  readonly active: string | null;
}

/** Counts the rows of a run's log as its counts do. */
export async function countLogRows(db: Db, importFileId: number): Promise<LogCounts> {
  const [row] = await db.query<LogCounts>(
    `select count(*) filter (where status <> 'Error' and operation <> 'None')::integer as success,
       count(*) filter (where status = 'Warning')::integer as warnings,
       count(*) filter (where status = 'Error')::integer as errors,
       count(distinct sourceline) filter (where sourceline > 0)::integer as done, max(createddate) as active
     from importlog where importfileid = $1::bigint`,
    [importFileId],
  );
  return row ?? { success: 0, warnings: 0, errors: 0, done: 0, active: null };
}
