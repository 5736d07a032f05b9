import type { RowResult } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { maskedStart } from '../../../../kernel/security/mask.ts';

/** The longest message that a log row keeps. */
const MESSAGE_CHARACTERS_MAX = 9_000;
const LABEL_CHARACTERS_MAX = 255;

/** The run whose log it is. */
export interface LogOwner {
  readonly importFileId: number;
  readonly organizationId: number | null;
}

/** Writes log rows of a run in one statement. Messages repeat what was sent, so numbers in them are masked. */
export async function writeResults(
  own: Context,
  { importFileId, organizationId }: LogOwner,
  results: readonly RowResult[],
): Promise<void> {
  if (results.length === 0) return;
  const rows = results.map((r, n) => ({
    n,
    label: maskedStart(r.label ?? r.reference ?? r.object ?? 'Row', LABEL_CHARACTERS_MAX),
    object: r.object ?? null,
    objectid: r.objectId ?? null,
    operation: r.operation,
    status: r.status,
    reference: r.reference ?? null,
    message: r.message === undefined ? null : maskedStart(r.message, MESSAGE_CHARACTERS_MAX),
    properties: r.properties ?? null,
    line: r.line,
    category: r.category ?? null,
  }));
  await own.db.query(
    `insert into importlog (importlog, importfileid, organizationid, object, objectid, operation, status, reference,
      message, properties, sourceline, logcategory, sequence, createddate, createdpersonid, updateddate,
      updatedpersonid)
     select r.label, $2::bigint, $3::bigint, r.object, r.objectid, r.operation, r.status, r.reference, r.message,
     r.properties, r.line, r.category, r.line, $5::timestamptz, $4::bigint, $5::timestamptz, $4::bigint
     from jsonb_to_recordset($1::text::jsonb) as r (n integer, label text, object text, objectid bigint, operation
     text, status text, reference text, message text, properties text, line integer, category text)
     order by r.n`,
    [JSON.stringify(rows), importFileId, organizationId, own.user.personId, own.clock.now()],
  );
}
