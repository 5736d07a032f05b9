/** Finding the borrowers of a loan for a referral. */
import type { Db } from '../../../kernel/database/store.ts';

/** A borrower, as far as a referral recognizes a person. */
export interface KnownBorrower {
  readonly id: number;
  readonly sequence: number;
  readonly lastname: string | null;
  readonly firstname: string | null;
  /** The last four digits of the Social Security number; null if it is not known. */
  readonly usssn4: string | null;
}

/** Returns the borrowers of a loan by their sequence; of several, the oldest. */
export async function borrowersBySequence(db: Db, loanId: number): Promise<Map<number, KnownBorrower>> {
  const rows = await db.query<KnownBorrower>(
    `select contactid as id, sequence, lastname, firstname, usssn4
     from contact where object = 'Loan' and objectid = $1::bigint and sequence is not null order by contactid desc`,
    [loanId],
  );
  return new Map(rows.map((row) => [row.sequence, row]));
}
