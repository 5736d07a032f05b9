/** Finding the loans of referrals: across firms, because loans are shared and identified only by their number. */
import type { Db } from '../../../kernel/database/store.ts';

/** A loan that a referral is about. */
export interface StoredLoan {
  readonly loanid: number;
  readonly propertyid: number | null;
  /** The firm whose referral created it. */
  readonly sourceorganizationid: number | null;
  /** Whether the asking firm has access to the loan now. */
  readonly reached: boolean;
}

/** Returns the loan of an investor's number, as a firm finds it; 0 for staff. */
export async function findLoanByNumber(
  db: Db,
  { agency, loan }: { readonly agency: string; readonly loan: string },
  firm: number,
): Promise<StoredLoan | undefined> {
  const [row] = await db.query<StoredLoan>(
    `select loanid, propertyid, sourceorganizationid, $3::bigint = any(reachorganizationid) as reached
     from loan where agency = $1::text and loan = $2::text`,
    [agency, loan, firm],
  );
  return row;
}

/** Returns the loan of an id, as a firm finds it; 0 for staff. */
export async function findLoanById(db: Db, id: number | undefined, firm: number): Promise<StoredLoan | undefined> {
  const [row] = await db.query<StoredLoan>(
    `select loanid, propertyid, sourceorganizationid, $2::bigint = any(reachorganizationid) as reached
     from loan where loanid = $1::bigint`,
    [id, firm],
  );
  return row;
}

type StoredRow = Readonly<Record<string, unknown>>;

/** Returns a loan and its property with all columns as stored. The caller must not reveal another firm's values. */
export async function readLoanWithProperty(
  db: Db,
  { loanid, propertyid }: Pick<StoredLoan, 'loanid' | 'propertyid'>,
): Promise<{ readonly loan: StoredRow | undefined; readonly property: StoredRow | undefined }> {
  const [loan] = await db.query('select * from loan where loanid = $1::bigint', [loanid]);
  const [property] = await db.query('select * from property where propertyid = $1::bigint', [propertyid]);
  return { loan, property };
}

/** Returns the ids of a loan's public records by kind, the oldest first. */
export async function publicRecordsByKind(db: Db, loanId: number): Promise<Map<string, number[]>> {
  const rows = await db.query<{ id: number; publicrecord: string }>(
    'select publicrecordid as id, publicrecord from publicrecord where loanid = $1::bigint order by publicrecordid',
    [loanId],
  );
  const byKind = new Map<string, number[]>();
  for (const { id, publicrecord } of rows) byKind.set(publicrecord, [...(byKind.get(publicrecord) ?? []), id]);
  return byKind;
}
