import type { Db } from '../../../kernel/database/store.ts';

/** Gives a submitted mailing of the demo, and its letters, the time at which it would have been submitted. */
export async function redateSubmission(db: Db, batchId: number, at: string): Promise<void> {
  await db.query('update deliverybatch set requesteddate = $2::timestamptz where deliverybatchid = $1::bigint', [
    batchId,
    at,
  ]);
  await db.query(
    `update delivery set begundate = $2::timestamptz, submitteddate = $2::timestamptz
     where deliverybatchid = $1::bigint and status = 'Submitted'`,
    [batchId, at],
  );
}
