/** Finding the borrowers of a loan for a referral. */
import type { Db } from '../../../kernel/database/store.ts';

/** Returns the ids of the borrowers of a loan by their sequence; of several, the oldest. */
export async function borrowersBySequence(db: Db, loanId: number): Promise<Map<number, number>> {
  const rows = await db.query<{ id: number; sequence: number }>(
    `select contactid as id, sequence from contact where object = 'Loan' and objectid = $1::bigint
      and sequence is not null order by contactid desc`,
    [loanId],
  );
  return new Map(rows.map(({ sequence, id }) => [sequence, id]));
}
