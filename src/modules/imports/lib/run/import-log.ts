import type { RowResult } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { maskedStart } from '../../../../kernel/security/mask.ts';

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
}

/** Writes log rows of a run in one statement, in their order. */
export async function insertLogRows(
  own: Pick<Context, 'db' | 'clock' | 'user'>,
  { importFileId, organizationId }: LogOwner,
  rows: readonly ImportLogRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await own.db.query(
    `insert into importlog (importlog, importfileid, organizationid, object, objectid, operation, status, reference,
      message, properties, sourceline, logcategory, sequence, createddate, createdpersonid, updateddate,
      updatedpersonid)
     select r.label, $2::bigint, $3::bigint, r.object, r.objectid, r.operation, r.status, r.reference, r.message,
     r.properties, r.line, r.category, r.sequence, $5::timestamptz, $4::bigint, $5::timestamptz, $4::bigint
     from jsonb_to_recordset($1::text::jsonb) as r (n integer, label text, object text, objectid bigint, operation
     text, status text, reference text, message text, properties text, line integer, sequence integer, category text)
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
export function writeResults(own: Context, owner: LogOwner, results: readonly RowResult[]): Promise<void> {
  return insertLogRows(
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
    })),
  );
}
