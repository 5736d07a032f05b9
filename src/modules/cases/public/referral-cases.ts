/** Finding the cases of referrals, of the caller's firm alone. Found cases are locked until the transaction ends. */
import type { Context } from '../../../kernel/door/context.ts';
import { activeCondition } from '../../../kernel/records/save/final-status.ts';
import { externalIdView } from '../../../kernel/records/save/external-id.ts';
import type { LoanKey } from './referral-loans.ts';
import { firmOf } from '../../../kernel/security/identity.ts';
import { process } from '../process/process.record.ts';

/** A case that a referral may be about. */
export interface ReferredCase {
  readonly processid: number;
  readonly recordclass: string;
  readonly processtype: string | null;
  readonly closed: boolean;
  readonly loanid: number | null;
  /** Whether the case's firm has access to its loan. */
  readonly loanassigned: boolean;
}

const COLUMNS = `p.processid, p.recordclass, p.processtype, not (${activeCondition(process, 'p')}) as closed,
  p.loanid, p.loanassigned`;

/** Returns the case with an external ID in the view of the caller's firm, preferring a record type. */
export async function lockCaseByExternalId(
  ctx: Context,
  subscriberId: string,
  record: string,
): Promise<ReferredCase | undefined> {
  const [row] = await ctx.db.query<ReferredCase>(
    `select ${COLUMNS}
      from objectsubscription s join process p on p.processid = s.objectid
     where s.subscriberid = $1::text and s.organizationid = $2::bigint and s.object in ('Foreclosure', 'Bankruptcy')
     order by p.recordclass = $3::text desc for no key update of p`,
    [subscriberId, externalIdView(ctx), record],
  );
  return row;
}

/** What identifies a case without an external ID. */
export interface CaseOfLoan {
  readonly loanKey: LoanKey;
  /** The firm's own case number. */
  readonly caseNumber: string;
  readonly record: string;
  /** The kind of bankruptcy; undefined for any. */
  readonly type: string | undefined;
}

/**
 * Returns the cases of the caller's firm with a number on a loan, those opened last first. The loan itself may be out
 * of the firm's reach: a case that an event created waits on the shared loan, which the firm cannot see.
 */
export function lockCasesOfLoan(
  ctx: Context,
  { loanKey, caseNumber, record, type }: CaseOfLoan,
): Promise<readonly ReferredCase[]> {
  return ctx.transaction().elevated((db) =>
    db.query<ReferredCase>(
      `select ${COLUMNS}
        from process p join loan l on l.loanid = p.loanid
       where l.agency = $1::text and l.loan = $2::text and p.process = $3::text and p.recordclass = $5::text
       and ($6::text is null or p.processtype = $6) and ($4::bigint is null or p.organizationid = $4)
       order by p.dateopened desc nulls last, p.processid desc for no key update of p`,
      [loanKey.agency, loanKey.loan, caseNumber, firmOf(ctx.user), record, type ?? null],
    ),
  );
}
