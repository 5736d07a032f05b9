import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { Caller, TestPlatform } from '../platform.ts';

/** The answer to the creation of a batch. */
export interface MadeBatch {
  readonly ImportFileID: number;
  readonly Status: string;
  readonly RowCount: number;
}

/** A row of the import file table. */
export interface BatchFile {
  readonly status: string;
  readonly successcount: number;
  readonly errorcount: number;
  readonly message: string | null;
}

/** A row of a batch in its table. */
export interface BatchRow {
  readonly id: number;
  readonly label: string;
  readonly status: string;
  readonly classname: string | null;
  readonly operation: string | null;
  readonly queue: string | null;
  readonly succeeded: boolean;
  readonly failed: boolean;
  readonly executecount: number;
  readonly message: string | null;
  readonly result: number | null;
  readonly line: number;
}

/** Creates a batch over HTTP. */
export async function makeBatch(caller: Caller, parameters: Record<string, unknown>): Promise<MadeBatch> {
  const answer = await caller.post('/api/importfile/batch?Output=Json', parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.json() as unknown as MadeBatch;
}

/** Waits until an import file has ended. */
export function batchEnded(
  { platform }: Pick<TestPlatform, 'platform'>,
  importFileId: number,
  deadlineMs = 30_000,
): Promise<BatchFile> {
  return eventually(
    `import file ${importFileId} has ended`,
    async () => {
      const [file] = await platform.store.query<BatchFile & Record<string, unknown>>(
        `select status, successcount, errorcount, message from importfile where importfileid = $1::bigint
          and importcomplete is not null`,
        [importFileId],
      );
      return file && { ...file };
    },
    deadlineMs,
  );
}

/** Returns the rows of a batch in order. */
export async function batchRows(
  { platform }: Pick<TestPlatform, 'platform'>,
  importFileId: number,
): Promise<BatchRow[]> {
  const rows = await platform.store.query<BatchRow & Record<string, unknown>>(
    `select importfilequeueid as id, importfilequeue as label, status, classname, operation, queue, successdate is not
      null as succeeded, failuredate is not null as failed, executecount, message, result, sourceline as line
     from importfilequeue where importfileid = $1::bigint order by importfilequeueid`,
    [importFileId],
  );
  return rows.map((row) => ({ ...row }));
}

/** Inserts contacts with one last name and the first names `n1`, `n2` …, directly into the table. Returns their IDs. */
export async function insertContacts(
  { platform }: Pick<TestPlatform, 'platform'>,
  lastName: string,
  count: number,
): Promise<number[]> {
  const rows = await platform.store.query<{ id: number }>(
    `insert into contact (recordclass, contact, lastname, firstname, reachorganizationid)
      select 'Contact', $1::text || ', n' || n, $1::text, 'n' || n, '{}' from generate_series(1, $2::integer) n
      returning contactid as id`,
    [lastName, count],
  );
  return rows.map((row) => row.id);
}

/** Counts the contacts that match a condition. */
export async function countContacts({ platform }: Pick<TestPlatform, 'platform'>, where: string): Promise<number> {
  const [row] = await platform.store.query<{ n: number }>(`select count(*)::integer as n from contact where ${where}`);
  return row?.n ?? 0;
}
