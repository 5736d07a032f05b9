import type { Context } from '../../../../kernel/door/context.ts';

/** A case that waits for its loan, or a loan that waits without a case. */
interface WaitingCase {
  readonly ProcessID: number | null;
  readonly Object: string | null;
  readonly Case: string | null;
  readonly OrganizationID: number | null;
  readonly WaitingLoanID: number | null;
  readonly AssignmentStatus: string | null;
  readonly LoanID: number | null;
  readonly Agency: string | null;
  readonly Loan: string | null;
  readonly CreatedDate: string | null;
}

/**
 * Returns what waits for assignment, the oldest first: cases, then loans without a waiting case. Each half has a
 * partial index of what waits, so it reads no more than that.
 */
export function waitingCases(
  ctx: Context,
  { firm, max }: { readonly firm: number | null; readonly max: number },
): Promise<WaitingCase[]> {
  return ctx.db.query<WaitingCase>(
    `select w."ProcessID", w."Object", w."Case", w."OrganizationID", w.agency as "Agency", w.loan as "Loan",
       case when w.status is not null then w.loanid end as "WaitingLoanID", w.status as "AssignmentStatus",
       case when w.status is null then w.loanid else s.loanid end as "LoanID", w.at as "CreatedDate"
     from (
       (select p.processid as "ProcessID", p.recordclass as "Object", p.process as "Case",
          p.organizationid as "OrganizationID", l.loanid, l.agency, l.loan, l.assignmentstatus as status,
          p.createddate as at, 1 as part
        from process p join loan l on l.loanid = p.loanid
        where not p.loanassigned and ($1::bigint is null or p.organizationid = $1)
        order by p.processid limit $2::integer)
       union all
       (select null, null, null, l.sourceorganizationid, l.loanid, l.agency, l.loan, l.assignmentstatus,
          l.createddate, 2
        from loan l
        where l.assignmentstatus is not null and ($1::bigint is null or l.sourceorganizationid = $1)
          and not exists (select from process p where p.loanid = l.loanid and not p.loanassigned)
        order by l.loanid limit $2::integer)
     ) w
     left join lateral (
       select s.loanid from loan s
       where s.loan = w.loan and s.agency is not distinct from w.agency and s.assignmentstatus is null limit 1
     ) s on w.status is not null
     order by w.part, w.at, w.loanid limit $2::integer`,
    [firm, max],
  );
}
