import type { Db } from '../../../../kernel/database/store.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';

/** A case as the palette shows it. */
export interface FoundCase {
  readonly Object: string;
  readonly ObjectID: number;
  readonly CaseNumber: string | null;
  readonly Status: string | null;
  readonly DateClosed: string | null;
  readonly Borrower: string | null;
  readonly Address: string | null;
  readonly LoanID: number | null;
}

/** Ids of what leads to a case: itself, its loan, or the property that secures the loan. */
export interface CaseKeys {
  readonly cases: readonly number[];
  readonly loans: readonly number[];
  readonly properties: readonly number[];
}

/** Most cases that are read for one text. */
const CASES_MAX = 24;

/**
 * Returns the cases of some keys with their borrowers and addresses, open ones first, then the newest. Row security
 * applies to each table, so a firm whose case has a loan that waits for its assignment sees no borrower.
 */
export async function readCases(db: Db, { cases, loans, properties }: CaseKeys): Promise<readonly FoundCase[]> {
  if (cases.length + loans.length + properties.length === 0) return [];
  return db.query<FoundCase>(
    `with wanted as (
       select processid from process where processid = any($1::bigint[])
       union select processid from process where loanid = any($2::bigint[])
       union select p.processid from loan l join process p on p.loanid = l.loanid where l.propertyid = any($3::bigint[])
     )
     select p.recordclass::text as "Object", p.processid as "ObjectID", p.process::text as "CaseNumber",
       p.status::text as "Status", p.dateclosed as "DateClosed", p.loanid as "LoanID",
       (select string_agg(c.contact, ' and ' order by c.sequence nulls last, c.contactid) from contact c
        where c.object = 'Loan' and c.objectid = p.loanid and c.borrowertype is not null) as "Borrower",
       concat_ws(', ', a.address, nullif(concat_ws(' ', a.city, a.state), '')) as "Address"
     from wanted join process p using (processid) left join loan l on l.loanid = p.loanid
       left join property a on a.propertyid = l.propertyid
     order by p.dateclosed is not null, p.processid desc limit ${CASES_MAX}`,
    [arrayLiteral(cases), arrayLiteral(loans), arrayLiteral(properties)],
  );
}
