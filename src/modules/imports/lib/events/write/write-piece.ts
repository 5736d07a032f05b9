import type { ImportPiece, ImportRun } from '../../../../../contracts/import-engine.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import { escapeCopyText, type CopyBuffer } from '../../../../../kernel/database/copy-buffer.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import { copyEvents } from '../../../../cases/public/copy-events.ts';
import { saveEventTasks } from '../../../../work/public/event-tasks.ts';
import {
  findOrCreateCases,
  resolveFirms,
  resolveLoans,
  type CaseRules,
  type RecordCache,
  type PieceCases,
} from './cases.ts';
import { writeHolds } from './holds.ts';
import type { EventRow, RowPiece } from '../rows/event-row.ts';
import type { EventLayout } from '../file/event-layout.ts';
import { recordStatuses, updateOpeningDates } from './statuses.ts';
import { caseTasks } from './case-tasks.ts';

/** What the pieces of a run share. */
export interface PieceWriteOptions {
  readonly run: ImportRun;
  readonly layout: EventLayout;
  readonly known: RecordCache;
  readonly rules: CaseRules;
  readonly out: CopyBuffer;
  /**
   * Called when the database starts longer work, so that the next piece is read then. Reading it from the start of this
   * one delayed the short queries at the start, and the database idled a fifth of the time.
   */
  readonly onDatabaseBusy: () => void;
}

/** The result of writing a piece. */
export interface WrittenPiece {
  /** Number of its rows that were written. */
  readonly count: number;
  readonly cases: PieceCases['cases'];
  readonly piece: ImportPiece;
}

/**
 * Writes the rows of a piece with one statement for each kind of record: cases, delays, tasks, events and the log.
 * Loans are found by number across firms, so it runs without row security and checks the firm itself.
 */
export function writePiece(work: PieceWriteOptions, own: Context, piece: RowPiece): Promise<WrittenPiece> {
  const { run, known, rules } = work;
  return own.transaction().elevated(async (db) => {
    // Instants without a time zone are in the installation's.
    await db.query("select set_config('TimeZone', $1::text, true)", [own.settings.get(timeZone)]);
    await resolveFirms(db, piece.rows, run.organizationId, known);
    await resolveLoans(db, piece.rows, known);
    const { cases, count } = await findOrCreateCases(own, db, piece.rows, { known, rules });
    const rows = count === piece.rows.length ? piece.rows : piece.rows.slice(0, count);
    for (const row of rows) {
      const found = row.key === '' ? undefined : cases.get(row.caseKey);
      row.caseId = row.key === '' ? row.loanId : (found?.id ?? 0);
      row.isCaseMade = found?.isEventMade ?? false;
      if (row.outcome === 'kept' && row.at === '')
        row.message = 'EventActualDate: empty; the event is saved, but changes neither a task nor a status.';
    }
    await writeHolds(own, db, rows);
    await saveEventTasks(own, db, caseTasks(rows), work);
    work.onDatabaseBusy();
    await recordStatuses(db, run.importFileId, rows);
    await updateOpeningDates(own, db, rows);
    await copyAccepted(work, { own, db }, rows, piece.bytes);
    await db.query("select set_config('TimeZone', 'UTC', true)");
    await copyLog(work, own, rows);
    return {
      count,
      cases,
      piece: pieceSummary(rows, count === piece.rows.length ? piece.lastOrdinal : (rows.at(-1)?.ordinal ?? 0)),
    };
  });
}

/** Copies the accepted events. */
async function copyAccepted(
  { run, layout, out }: PieceWriteOptions,
  { own, db }: { readonly own: Context; readonly db: Db },
  rows: readonly EventRow[],
  bytes: Buffer,
): Promise<void> {
  // Ordered by case, so that the index pages of one case are adjacent.
  const events = rows.filter((row) => row.outcome === 'kept').sort((a, b) => a.caseId - b.caseId);
  if (events.length === 0) return;
  const { importFileId } = run;
  const { personId } = own.user;
  const copy = { importFileId, personId, columns: layout.columns, events, bytes, out };
  await copyEvents({ transaction: own.transaction(), db }, copy);
}

/** A loan number has nine digits like a personal number, but the sender must see which one it was. */
const isLoanMessage = (message: string): boolean => message.startsWith('InvestorLoanNumberID: ');

/** Longest label of a log row. */
const LABEL_CHARACTERS_MAX = 255;

/** Logs every row of the file except headers, footers and blank lines. */
async function copyLog({ run, out }: PieceWriteOptions, own: Context, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const person = own.user.personId;
  const persons = `|${person}|${person}`;
  const file = `|${run.importFileId}|${run.organizationId ?? ''}|Event|`;
  await own.transaction().copyFrom(
    `copy importlog (importlog, status, importfileid, organizationid, object, objectid, operation, message,
      sourceline, sequence, createdpersonid, updatedpersonid) from stdin with (format text, delimiter '|', null '')`,
    out.lines(rows, (row) => {
      out.text(escapeCopyText(`${row.code} ${row.loan}`.trim().slice(0, LABEL_CHARACTERS_MAX) || 'Row'));
      out.text(`|${logStatus(row)}`).text(file);
      if (row.outcome === 'kept') out.number(row.eventId).text('|Insert|');
      else out.text('|None|');
      if (row.message !== undefined)
        out.text(escapeCopyText(isLoanMessage(row.message) ? row.message : maskNumbers(row.message)));
      out.endValue().number(row.line).endValue().number(row.ordinal).text(persons);
    }),
  );
}

function logStatus(row: EventRow): 'Success' | 'Warning' | 'Error' {
  if (row.outcome === 'failed') return 'Error';
  return row.outcome === 'kept' && row.message !== undefined ? 'Warning' : 'Success';
}

function pieceSummary(rows: readonly EventRow[], done: number): ImportPiece {
  let success = 0;
  let warnings = 0;
  let errors = 0;
  for (const row of rows) {
    if (row.outcome === 'failed') errors++;
    else if (row.outcome === 'kept') {
      success++;
      if (row.message !== undefined) warnings++;
    }
  }
  return { done, results: [], counted: { success, warnings, errors } };
}
