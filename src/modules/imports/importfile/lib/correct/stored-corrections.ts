import type { RowResult } from '../../../../../contracts/import-engine.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { maskedStart } from '../../../../../kernel/security/mask.ts';
import { openText, sealText } from '../../../../../kernel/security/sealed-text.ts';
import { MESSAGE_CHARACTERS_MAX } from '../../../lib/run/import-log.ts';
import type { ChangedCells } from './changed-cells.ts';
import type { FailedLine } from './failed-lines.ts';

/** Characters of the list of corrected columns that is stored. */
const COLUMNS_CHARACTERS_MAX = 1_000;

/** Corrections to store. */
export interface NewCorrections {
  readonly importFileId: number;
  readonly organizationId: number | null;
  /** The user as whom the rows are saved. */
  readonly actorPersonId: number;
  readonly rows: readonly FailedLine[];
  readonly changes: ChangedCells;
  /** The import as which they were sent again: then they wait for nothing. */
  readonly sentImportFileId?: number;
  /** The row is a call of a batch, which runs again itself. */
  readonly isCall?: true;
}

/**
 * Stores corrections that wait to be run, in the caller's transaction. Returns the lines: those that already wait or
 * have succeeded are left out, so that no row is imported twice.
 */
export async function insertCorrections(own: Context, corrections: NewCorrections): Promise<readonly number[]> {
  const { importFileId, organizationId, actorPersonId, rows, changes } = corrections;
  const sealed = sealText(own.cipher, 'importcorrection', 'changes', JSON.stringify(changes));
  const inserted = await own.transaction().elevated((db) =>
    db.query<{ line: number }>(
      `insert into importcorrection (importcorrection, status, importfileid, organizationid, sourceline, sourcecolumns,
         changes, actorpersonid, reason, importlogid, createddate, createdpersonid, updateddate, updatedpersonid,
         sentimportfileid)
       select r.label, $10::text,
         $2::bigint, $3::bigint, r.line, $4::text, $5::text, $6::bigint, r.message,
         r.importlogid, $7::timestamptz, $8::bigint, $7::timestamptz, $8::bigint, $9::bigint
       from jsonb_to_recordset($1::text::jsonb) as r (label text, line integer, message text, importlogid bigint)
       order by r.line
       on conflict do nothing
       returning sourceline as line`,
      [
        JSON.stringify(
          rows.map(({ label, line, message, importLogId }) => ({ label, line, message, importlogid: importLogId })),
        ),
        importFileId,
        organizationId,
        maskedStart(Object.keys(changes).join(', '), COLUMNS_CHARACTERS_MAX),
        sealed,
        actorPersonId,
        own.clock.now(),
        own.user.personId,
        corrections.sentImportFileId ?? null,
        correctionStatus(corrections),
      ],
    ),
  );
  return inserted.map(({ line }) => line);
}

function correctionStatus({ sentImportFileId, isCall }: NewCorrections): string {
  if (isCall === true) return 'Requeued';
  return sentImportFileId === undefined ? 'Queued' : 'Complete';
}

/** A correction that waits. */
export interface WaitingCorrection {
  readonly id: number;
  readonly line: number;
  readonly importLogId: number;
  readonly changes: ChangedCells;
}

/** Returns the lines of an import that wait to be saved as the calling user, in order. */
export async function selectWaitingLines(ctx: Context, importFileId: number): Promise<readonly number[]> {
  const rows = await ctx.inTransaction((own) =>
    own.transaction().elevated((db) =>
      db.query<{ line: number }>(
        `select sourceline as line from importcorrection
         where importfileid = $1::bigint and status = 'Queued' and actorpersonid = $2::bigint order by sourceline`,
        [importFileId, ctx.user.personId],
      ),
    ),
  );
  return rows.map(({ line }) => line);
}

/** Locks and returns waiting corrections of these lines. Those that another delivery runs are left to it. */
export async function claimCorrections(
  own: Context,
  importFileId: number,
  lines: readonly number[],
): Promise<readonly WaitingCorrection[]> {
  const rows = await own.transaction().elevated((db) =>
    db.query<Omit<WaitingCorrection, 'changes'> & { readonly sealed: string }>(
      `select importcorrectionid as id, sourceline as line, importlogid as "importLogId", changes as sealed
       from importcorrection
       where importfileid = $1::bigint and sourceline = any($2::integer[]) and status = 'Queued'
         and actorpersonid = $3::bigint
       order by sourceline for update skip locked`,
      [importFileId, arrayLiteral(lines), own.user.personId],
    ),
  );
  return rows.map(({ sealed, ...row }) => ({
    ...row,
    changes: JSON.parse(openText(own.cipher, 'importcorrection', 'changes', sealed)) as ChangedCells,
  }));
}

/** The result of a corrected row. */
export interface CorrectionOutcome {
  readonly correction: WaitingCorrection;
  readonly result: RowResult;
}

/** Stores the results of corrected rows, in their log rows too, and counts them in the import. */
export async function recordOutcomes(
  own: Context,
  importFileId: number,
  outcomes: readonly CorrectionOutcome[],
): Promise<void> {
  const values = outcomes.map(({ correction, result }) => ({
    id: correction.id,
    logid: correction.importLogId,
    state: result.status === 'Error' ? 'Error' : 'Complete',
    status: result.status,
    operation: result.operation,
    objectid: result.objectId ?? null,
    column: result.column ?? null,
    message: result.message === undefined ? null : maskedStart(result.message, MESSAGE_CHARACTERS_MAX),
    properties: result.properties ?? null,
    category: result.category ?? null,
  }));
  const now = own.clock.now();
  await own.transaction().elevated(async (db) => {
    await db.query(RECORD_OUTCOMES_SQL, [JSON.stringify(values), now, own.user.personId]);
    await db.query(
      `update importfile
       set successcount = coalesce(successcount, 0) + $2::integer, warnings = coalesce(warnings, 0) + $3::integer,
         errorcount = greatest(coalesce(errorcount, 0) - $4::integer, 0), updateddate = $5::timestamptz,
         updatedpersonid = $6::bigint, version = version + 1
       where importfileid = $1::bigint and $4::integer > 0`,
      [
        importFileId,
        values.filter(({ status, operation }) => status !== 'Error' && operation !== 'None').length,
        values.filter(({ status }) => status === 'Warning').length,
        values.filter(({ status }) => status !== 'Error').length,
        now,
        own.user.personId,
      ],
    );
  });
}

const RECORD_OUTCOMES_SQL = `with r as (
    select * from jsonb_to_recordset($1::text::jsonb) as r (id bigint, logid bigint, state text, status text,
      operation text, objectid bigint, "column" text, message text, properties text, category text)),
  logged as (
    update importlog l
    set status = r.status, operation = r.operation, objectid = r.objectid, sourcecolumn = r."column",
      message = r.message, properties = r.properties, logcategory = r.category, updateddate = $2::timestamptz,
      updatedpersonid = $3::bigint, version = l.version + 1
    from r where l.importlogid = r.logid)
  update importcorrection c
  set status = r.state, message = r.message, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
    version = c.version + 1
  from r where c.importcorrectionid = r.id`;
