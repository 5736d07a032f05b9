import type { ImportPiece, ImportRun } from '../../../contracts/import-engine.ts';
import type { Context } from '../../../kernel/context.ts';
import { timeZone } from '../../../kernel/core-settings.ts';
import { maskNumbers } from '../../../kernel/mask.ts';
import type { Db } from '../../../kernel/store.ts';
import { caseKey, findCases, findFirms, findLoans, type CaseRules, type KnownRecords, type PieceCases } from './cases.ts';
import { inChunks } from './chunks.ts';
import { writeDelays } from './delays.ts';
import type { EventRow, RowPiece } from './event-row.ts';
import { nextIds } from './ids.ts';
import type { EventLayout } from './layout.ts';
import { copyText } from './row-writer.ts';
import { rememberStatuses, writeOpenings } from './statuses.ts';
import { writeTasks } from './tasks.ts';

/** What pieces of one run share. */
export interface PieceWork {
  readonly run: ImportRun;
  readonly layout: EventLayout;
  readonly known: KnownRecords;
  readonly rules: CaseRules;
  readonly out: CopyBytes;
}

/** What was done of a piece. */
export interface WrittenPiece {
  /** How many of its rows. */
  readonly count: number;
  readonly cases: PieceCases['cases'];
  readonly piece: ImportPiece;
}

/**
 * Writes the rows of a piece, each kind of record with one statement: cases, delays, tasks, the events themselves, the log. It looks
 * across firms by design (a loan is found by its number alone), so it runs without row security and checks the firm itself.
 */
export function writePiece(work: PieceWork, own: Context, piece: RowPiece): Promise<WrittenPiece> {
  const { run, known, rules } = work;
  return own.transaction().elevated(async (db) => {
    // Instants without a zone are the installation's.
    await db.query("select set_config('TimeZone', $1::text, true)", [own.settings.get(timeZone)]);
    await findFirms(db, piece.rows, run.organizationId, known);
    await findLoans(db, piece.rows, known);
    const { cases, count } = await findCases(own, db, piece.rows, known, rules);
    const rows = count === piece.rows.length ? piece.rows : piece.rows.slice(0, count);
    for (const row of rows) {
      row.caseId = row.key === '' ? row.loanId : (cases.get(caseKey(row))?.id ?? 0);
      if (row.outcome === 'kept' && row.at === '') row.message = 'EventActualDate: empty; the event is kept, and changes neither a task nor a status.';
    }
    await writeDelays(own, db, rows);
    await writeTasks(own, db, rows);
    await rememberStatuses(db, run.importFileId, rows);
    await writeOpenings(own, db, rows, cases);
    await copyEvents(work, own, db, rows, piece.bytes);
    await db.query("select set_config('TimeZone', 'UTC', true)");
    await copyLog(work, own, rows);
    return { count, cases, piece: summaryOf(rows, count === piece.rows.length ? piece.lastOrdinal : (rows.at(-1)?.ordinal ?? 0)) };
  });
}

const objectOf = (row: EventRow): string => (row.key === '' ? 'Loan' : row.kind);

/** Copies the kept events: what belongs to the platform is written before the bytes of the row's own columns. */
async function copyEvents(work: PieceWork, own: Context, db: Db, rows: readonly EventRow[], bytes: Buffer): Promise<void> {
  const { run, layout } = work;
  // Those of one case one behind the other, where their trees of keys are the same.
  const kept = rows.filter((row) => row.outcome === 'kept').sort((a, b) => a.caseId - b.caseId);
  if (kept.length === 0) return;
  const ids = await nextIds(db, 'event', kept.length);
  for (const [n, row] of kept.entries()) row.eventId = ids(n);
  const columns = `eventid, importfileid, sourceline, organizationid, loanid, object, objectid, importformid, decisiondelayid, createdpersonid, updatedpersonid, event, ${layout.columns.map((c) => c.name.toLowerCase()).join(', ')}`;
  const person = own.user.personId ?? '';
  await own.transaction().copyFrom(
    `copy event (${columns}) from stdin with (format text, delimiter '|', null '')`,
    eventBytes(work.out, kept, bytes, (row) => `${row.eventId}|${run.importFileId}|${row.line}|${row.firm}|${row.loanId}|${objectOf(row)}|${row.caseId}|${row.taskId || ''}|${row.delayId || ''}|${person}|${person}|`),
  );
}

/** Bytes that are sent at once. */
const CHUNK_BYTES = 128 * 1024;

/** Bytes that are used again for each piece: a copy has ended when the next begins. */
export class CopyBytes {
  private bytes = Buffer.allocUnsafeSlow(CHUNK_BYTES);

  atLeast(size: number): Buffer {
    if (this.bytes.length < size) this.bytes = Buffer.allocUnsafeSlow(size + (size >> 2));
    return this.bytes;
  }
}

/** What stands before the columns of a row takes at most so many bytes. */
const PREFIX_BYTES_MAX = 256;

function* eventBytes(copy: CopyBytes, rows: readonly EventRow[], bytes: Buffer, prefix: (row: EventRow) => string): Generator<Buffer, void, undefined> {
  const out = copy.atLeast(rows.reduce((size, row) => size + PREFIX_BYTES_MAX + (row.nameEnd - row.nameStart) + (row.end - row.start), 0));
  let sent = 0;
  let length = 0;
  for (const row of rows) {
    length += out.write(prefix(row), length, 'latin1');
    length += bytes.copy(out, length, row.nameStart, row.nameEnd);
    out[length++] = PIPE;
    length += bytes.copy(out, length, row.start, row.end);
    out[length++] = NEWLINE;
    if (length - sent < CHUNK_BYTES) continue;
    yield out.subarray(sent, length);
    sent = length;
  }
  yield out.subarray(sent, length);
}

const PIPE = 124, NEWLINE = 10;
/** A loan's number has nine digits as a person's has; the sender must read which one it was. */
const isAboutLoan = (message: string): boolean => message.startsWith('InvestorLoanNumberID: ');

/** The longest label of a log row. */
const LABEL_CHARACTERS_MAX = 255;

/** The log: a row for each row of the file that is no header, footer or blank line. */
async function copyLog({ run }: PieceWork, own: Context, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const person = own.user.personId ?? '';
  const file = `${run.importFileId}|${run.organizationId ?? ''}`;
  await own.transaction().copyFrom(
    `copy importlog (importlog, status, importfileid, organizationid, object, objectid, operation, message, sourceline, sequence, createdpersonid, updatedpersonid) from stdin with (format text, delimiter '|', null '')`,
    inChunks(rows, (row) => {
      const label = copyText(`${row.code} ${row.loan}`.trim().slice(0, LABEL_CHARACTERS_MAX) || 'Row');
      const message = row.message === undefined ? '' : copyText(isAboutLoan(row.message) ? row.message : maskNumbers(row.message));
      if (row.outcome === 'failed') return `${label}|Error|${file}|Event||None|${message}|${row.line}|${row.ordinal}|${person}|${person}\n`;
      if (row.outcome === 'repeated') return `${label}|Success|${file}|Event||None|${message}|${row.line}|${row.ordinal}|${person}|${person}\n`;
      return `${label}|${message === '' ? 'Success' : 'Warning'}|${file}|Event|${row.eventId}|Insert|${message}|${row.line}|${row.ordinal}|${person}|${person}\n`;
    }),
  );
}

function summaryOf(rows: readonly EventRow[], done: number): ImportPiece {
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
