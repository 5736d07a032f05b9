import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { maskedStart } from '../../../../kernel/security/mask.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { sealText } from '../../../../kernel/security/sealed-text.ts';
import { queueIfKnown } from '../../../../kernel/security/system-user.ts';
import { queueChunk } from './chunk.ts';
import { toParameterXml } from './parameter-xml.ts';
import { readBatchTerms } from './batch-terms.ts';
import { MESSAGE_CHARACTERS_MAX } from './row-outcome.ts';

/** Label of rows that have none. */
const UNLABELED = 'Unknown';
/** Queue of rows that name none, by default. */
const BATCH_QUEUE = 'Batch';
const LABEL_CHARACTERS_MAX = 255;
const TYPE_CHARACTERS_MAX = 100;

/** A row to be added. */
export interface NewRow {
  readonly line: number;
  readonly label?: string;
  readonly type?: string;
  readonly className?: string;
  readonly operation?: string;
  readonly queue?: string;
  readonly parameters?: Parameters;
  /** Why it cannot run. It is stored as failed and never queued. */
  readonly problem?: string;
}

/** The batch that rows belong to. */
export interface BatchFile {
  readonly importFileId: number;
  readonly organizationId: number | null;
}

interface PreparedRow {
  readonly row: NewRow;
  readonly queue: string | null;
  readonly sealed: string | null;
  readonly problem: string | null;
}

const MODULE_NAME = /^[A-Za-z][A-Za-z0-9]{0,59}$/;
/** A call below a parent starts with the parent's id: `12/Contact/Save`. */
const OPERATION_NAME = /^(?:\d{1,19}\/)?[A-Za-z][A-Za-z0-9]*(?:\/[A-Za-z0-9]+){0,4}$/;
const OPERATION_CHARACTERS_MAX = 200;

/** How rows are added. */
interface AddOptions {
  /** Queue of rows that name none. */
  readonly queue: string | undefined;
  /** Whether the rows are queued only after all of them have been added. */
  readonly later: boolean;
}

/**
 * Stores rows and queues them with the commit, in order, with one message for all rows of a queue. A row that cannot
 * run, such as one of an unknown queue, is stored as failed. Returns how many were queued, or will be with `later`.
 */
export async function addRows(
  own: Context,
  batch: BatchFile,
  rows: readonly NewRow[],
  { queue: defaultQueue, later }: AddOptions,
): Promise<number> {
  const fallback = own.queue.queueOf(defaultQueue ?? queueIfKnown(own.settings, BATCH_QUEUE).queueName);
  const ready = rows.map((row) => prepareRow(own, row, fallback));
  const now = own.clock.now();
  const values = ready.map(({ row, queue, sealed, problem }, n) => ({
    n,
    label: maskedStart(
      row.label === undefined || row.label.trim() === '' ? UNLABELED : row.label.trim(),
      LABEL_CHARACTERS_MAX,
    ),
    type: row.type === undefined ? null : maskedStart(row.type, TYPE_CHARACTERS_MAX),
    status: problem === null ? 'Queued' : 'Error',
    classname: MODULE_NAME.test(row.className ?? '') ? row.className : null,
    operation: isOperation(row.operation) ? row.operation : null,
    sealed,
    queue,
    failed: problem === null ? null : now,
    message: problem === null ? null : maskedStart(problem, MESSAGE_CHARACTERS_MAX),
    line: row.line,
  }));
  const ids = await insertRows(own, batch, values, now);
  await logProblems(
    own,
    batch,
    values.filter((value) => value.message !== null),
    now,
  );
  const byQueue = Map.groupBy(
    ready.flatMap(({ queue, problem }, n) => (problem === null && queue !== null ? [{ queue, id: ids[n] ?? 0 }] : [])),
    (one) => one.queue,
  );
  if (!later)
    for (const [queue, members] of byQueue)
      await queueChunk(own, {
        importFileId: batch.importFileId,
        queue,
        from: members[0]?.id ?? 0,
        to: members.at(-1)?.id ?? 0,
      });
  return [...byQueue.values()].reduce((sum, members) => sum + members.length, 0);
}

function isOperation(name: string | undefined): name is string {
  return name !== undefined && name.length <= OPERATION_CHARACTERS_MAX && OPERATION_NAME.test(name);
}

function prepareRow(own: Context, row: NewRow, fallback: string): PreparedRow {
  const failed = (problem: string): PreparedRow => ({ row, queue: null, sealed: null, problem });
  if (row.problem !== undefined) return failed(row.problem);
  if (!MODULE_NAME.test(row.className ?? ''))
    return failed('ClassName: expected the name of a module, such as Contact.');
  if (!isOperation(row.operation)) return failed('Operation: expected the name of an operation, such as Save.');
  try {
    return {
      row,
      queue: row.queue === undefined || row.queue.trim() === '' ? fallback : own.queue.queueOf(row.queue.trim()),
      sealed: sealText(own.cipher, 'importfilequeue', 'parameterxml', toParameterXml(row.parameters ?? {})),
      problem: null,
    };
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'BAD_PARAMETER') return failed(error.message);
    if (error instanceof TypeError)
      return failed(`A column's name cannot be the name of a parameter: ${error.message}`);
    throw error;
  }
}

/** Inserts all rows in one statement; the database assigns ids in the order of the rows. */
async function insertRows(
  own: Context,
  { importFileId, organizationId }: BatchFile,
  values: readonly object[],
  now: string,
): Promise<number[]> {
  const rows = await own.transaction().elevated((db) =>
    db.query<{ id: number }>(
      `insert into importfilequeue (importfilequeue, importfilequeuetype, status, importfileid, organizationid,
        classname, operation, parameterxml, queue, queueddate, failuredate, executecount, message, sourceline,
        createddate, createdpersonid, updateddate, updatedpersonid)
     select r.label, r.type, r.status, $2::bigint, $3::bigint, r.classname, r.operation, r.sealed, r.queue,
     $5::timestamptz, r.failed, 0, r.message, r.line, $5::timestamptz, $4::bigint, $5::timestamptz, $4::bigint
     from jsonb_to_recordset($1::text::jsonb) as r (n integer, label text, type text, status text, classname text,
     operation text, sealed text, queue text, failed timestamptz, message text, line integer)
     order by r.n returning importfilequeueid as id`,
      [JSON.stringify(values), importFileId, organizationId, own.user.personId, now],
    ),
  );
  return rows.map((row) => row.id);
}

/** Logs rows that cannot run, like every other row. */
async function logProblems(
  own: Context,
  { importFileId, organizationId }: BatchFile,
  values: readonly object[],
  now: string,
): Promise<void> {
  if (values.length === 0) return;
  const { categories } = await readBatchTerms(own, importFileId);
  await own.transaction().elevated((db) =>
    db.query(
      `insert into importlog (importlog, importfileid, organizationid, object, operation, status, message, sourceline,
        sequence, logcategory, createddate, createdpersonid, updateddate, updatedpersonid)
     select r.label, $2::bigint, $3::bigint, r.classname, coalesce(left(r.operation, 60), 'None'), 'Error', r.message,
     r.line, r.line, $6::text, $5::timestamptz, $4::bigint, $5::timestamptz, $4::bigint
     from jsonb_to_recordset($1::text::jsonb) as r (n integer, label text, classname text, operation text, message
     text, line integer) order by r.n`,
      [JSON.stringify(values), importFileId, organizationId, own.user.personId, now, categories.failure],
    ),
  );
}
