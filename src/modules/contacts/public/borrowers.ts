/** The borrowers of a loan, for referrals and for assigning them to loans. */
import type { Row } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { requireColumn } from '../../../kernel/declare/values.ts';
import { selectListOf } from '../../../kernel/database/sql.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { protectionPurpose } from '../../../kernel/records/save/protect.ts';
import type { contact } from '../contact/contact.record.ts';

export { mergeBorrower } from '../contact/lib/merge/merge-contacts.ts';

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

/** A borrower of a loan. */
export interface Borrower {
  readonly row: Row<typeof contact>;
  /** The Social Security number in the clear, for comparing; it must not leave the process. */
  readonly number: string | null;
}

/** Returns the borrowers of a loan in their order. The caller has checked that the loan is visible. */
export async function readBorrowers(ctx: Context, loanId: number): Promise<Borrower[]> {
  const record = ctx.registry.recordType('Contact');
  const purpose = protectionPurpose(requireColumn(record, 'USSSN'));
  const rows = await ctx.db.query<Row<typeof contact> & { sealed: Uint8Array | null }>(
    `select ${selectListOf(record)}, contact.usssncipher as sealed
     from contact
     where contact.object = 'Loan' and contact.objectid = $1::bigint
     order by contact.sequence nulls last, contact.contactid`,
    [loanId],
  );
  return rows.map(({ sealed, ...row }) => ({
    row: row as Row<typeof contact>,
    number: sealed === null ? null : ctx.cipher.open(purpose, sealed).toString(),
  }));
}
