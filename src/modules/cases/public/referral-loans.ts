/** Finding the loans of referrals: across firms, because loans are shared and identified only by their number. */
import type { Context } from '../../../kernel/door/context.ts';
import { scratch } from '../../../kernel/door/scratch.ts';
import type { Db } from '../../../kernel/database/store.ts';

/** The code of the warning of a loan that waits. */
export const WAITS_FOR_ASSIGNMENT = 'WAITS_FOR_ASSIGNMENT';

/** The warning to a firm whose loan waits. It reveals nothing of the other loan but that there is one. */
export const WAITS_TEXT =
  'Waiting for assignment: another source created a loan with this number. Your data is stored for your own ' +
  "cases until the investor's staff assign the loan.";

/** A stored loan that a referral may be about, as its firm finds it. */
export interface StoredLoan {
  readonly loanid: number;
  readonly agency: string | null;
  readonly loan: string | null;
  readonly propertyid: number | null;
  /** The firm that created it. */
  readonly sourceorganizationid: number | null;
  readonly assignmentstatus: 'Waiting' | 'Duplicate' | null;
  /** Whether the firm has access to the loan now. */
  readonly reached: boolean;
  /** Whether a case of the firm is on the loan without being assigned to it. */
  readonly withheld: boolean;
}

const COLUMNS = `l.loanid, l.agency, l.loan, l.propertyid, l.sourceorganizationid, l.assignmentstatus,
  $1::bigint = any(l.reachorganizationid) as reached,
  exists (select from process p where p.loanid = l.loanid and p.organizationid = $1::bigint and not p.loanassigned)
    as withheld`;

/** Identifies a loan: the investor and the investor's loan number. */
export interface LoanKey {
  readonly agency: string | null;
  readonly loan: string;
}

/** Returns the loans with an investor's number, the one that the number identifies first. `firm`: null for staff. */
export function findLoansOfNumber(db: Db, { agency, loan }: LoanKey, firm: number | null): Promise<StoredLoan[]> {
  return db.query<StoredLoan>(
    `select ${COLUMNS} from loan l where l.agency is not distinct from $2::text and l.loan = $3::text
     order by l.assignmentstatus is not null, l.loanid`,
    [firm ?? 0, agency, loan],
  );
}

/** Returns the loan of an id, as a firm finds it; null for staff. */
export function findLoansById(db: Db, id: number | undefined, firm: number | null): Promise<StoredLoan[]> {
  return db.query<StoredLoan>(`select ${COLUMNS} from loan l where l.loanid = $2::bigint`, [firm ?? 0, id]);
}

/**
 * Returns the loan that a number means for a firm (null for staff), undefined if it means none. A number alone opens
 * nothing. A firm's are the loans that it has access to, those that it created and that staff have not withheld from
 * it, and what it sent under the number of another source's loan.
 */
export function loanForFirm(loans: readonly StoredLoan[], firm: number | null): StoredLoan | undefined {
  const identified = loans.find((loan) => loan.assignmentstatus === null);
  if (firm === null) return identified;
  const own = (loan: StoredLoan): boolean => loan.sourceorganizationid === firm;
  return (
    loans.find((loan) => loan.reached && loan.assignmentstatus !== 'Waiting') ??
    loans.find((loan) => loan.assignmentstatus === 'Waiting' && own(loan)) ??
    (identified && own(identified) && !identified.withheld ? identified : undefined)
  );
}

/**
 * Returns the name of the lock of a loan number. Referrals, events, saves by firms and assignments take it, so that
 * none of them creates or moves what another one is deciding about.
 */
export function loanLockName({ agency, loan }: LoanKey): string {
  return `loan ${(agency ?? '').toLowerCase()} ${loan}`;
}

const checkedNumbers = scratch('loan numbers of referrals', () => new Map<string, boolean>());

const numberKey = ({ agency, loan }: LoanKey): string => `${(agency ?? '').toLowerCase()} ${loan}`;

/**
 * Notes for the check of a new loan's number whether another loan has it, which saves the check its statements. The
 * caller has locked the number.
 */
export function noteLoanNumber(ctx: Context, key: LoanKey, isTaken: boolean): void {
  ctx.scratch(checkedNumbers).set(numberKey(key), isTaken);
}

/** Returns what was noted of a loan number, and forgets it; undefined for nothing. */
export function takeNotedNumber(ctx: Context, key: LoanKey): boolean | undefined {
  const noted = ctx.scratch(checkedNumbers);
  const isTaken = noted.get(numberKey(key));
  noted.delete(numberKey(key));
  return isTaken;
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
