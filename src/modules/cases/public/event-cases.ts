/** Finding and creating the cases of default events, many in one statement. Runs without row security. */
import { activeCondition } from '../../../kernel/records/save/final-status.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { lockSql } from '../../../kernel/database/advisory-lock.ts';
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';
import { process } from '../process/process.record.ts';

/** A loan found by the investor's number. */
export interface NumberedLoan {
  readonly loanId: number;
  /** Firm that created it; 0 for another source. */
  readonly source: number;
  /** Whether it holds what that firm sent under the number of another loan, and waits for assignment. */
  readonly waits: boolean;
}

/** The loans with one number. */
export interface LoansOfNumber {
  /** The loan that the number identifies; `'ambiguous'` for several. */
  readonly identified: NumberedLoan | 'ambiguous' | undefined;
  /** By firm, where it has no access to the identified loan: what the firm sent, which waits for assignment. */
  readonly waiting: ReadonlyMap<number, NumberedLoan>;
}

/** Returns the loans with the given numbers, by number. */
export async function findLoansByNumber(
  db: Db,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, LoansOfNumber>> {
  const found = await db.query<{ n: number; loanid: number; source: number | null; status: string | null }>(
    `select k.n::integer as n, l.loanid, l.sourceorganizationid as source, l.assignmentstatus as status
     from unnest($1::text[]) with ordinality k (loan, n) join loan l on l.loan = k.loan
     where case when l.assignmentstatus = 'Waiting' then not exists (
       select from loan s where s.loan = l.loan and s.agency is not distinct from l.agency
         and s.assignmentstatus is null and l.sourceorganizationid = any(s.reachorganizationid)) else true end`,
    [arrayLiteral(numbers)],
  );
  const byNumber = new Map<string, { identified: LoansOfNumber['identified']; waiting: Map<number, NumberedLoan> }>();
  for (const { n, loanid, source, status } of found) {
    const number = numbers[n - 1] ?? '';
    let loans = byNumber.get(number);
    if (!loans) byNumber.set(number, (loans = { identified: undefined, waiting: new Map() }));
    const loan = { loanId: loanid, source: source ?? 0, waits: status === 'Waiting' };
    if (loan.waits) loans.waiting.set(loan.source, loan);
    else loans.identified = loans.identified === undefined ? loan : 'ambiguous';
  }
  return byNumber;
}

/** What identifies the case of an event. */
export interface EventCaseKey {
  readonly loanId: number;
  readonly firm: number;
  /** `Foreclosure` or `Bankruptcy`; there is no case of another kind. */
  readonly kind: string;
  /** The firm's file number, or the court's case number. */
  readonly key: string;
}

/** A case that events belong to. */
export interface CaseOfEvents {
  readonly id: number;
  /** Whether an event created it. */
  readonly isEventMade: boolean;
}

/**
 * Grouped with the cases of the loans, not joined: the planner underestimates how many cases a loan has, and would
 * compare each key with each of them.
 */
const FIND_CASES_SQL = `
  with k as (
    select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
      with ordinality k (loanid, firm, kind, key, n)
  ), listed as (
    select loanid, firm, kind collate "C" as kind, key collate casewright_text as key, n,
      null::bigint as processid, null::boolean as isactive, null::date as dateopened
    from k
    union all
    select p.loanid, p.organizationid, p.recordclass,
      case p.recordclass when 'Foreclosure' then p.process else b.bkcaseno end, null,
      p.processid, ${activeCondition(process, 'p')}, p.dateopened
    from (select distinct loanid from k) l join process p on p.loanid = l.loanid
      left join bankruptcy b on b.bankruptcyid = p.processid
    where p.organizationid = any($2::bigint[])
      and (p.recordclass = 'Foreclosure' or p.recordclass = 'Bankruptcy' and p.processtype is null)
  ), matched as (
    select array_agg(n) filter (where n is not null) as keys,
      (array_agg(processid order by isactive desc, dateopened desc nulls last, processid desc)
        filter (where processid is not null))[1] as processid
    from listed group by loanid, firm, kind, key
    having bool_or(n is not null) and bool_or(processid is not null)
  )
  select key.n::integer as n, m.processid, coalesce(s.made, false) as made
  from matched m cross join unnest(m.keys) key (n) left join eventstate s on s.processid = m.processid`;

/**
 * Returns the case of each key, undefined where there is none. A foreclosure is the firm's case with that number on the
 * loan, created by a referral or an event: the open one, else the one opened last. A bankruptcy is the one that events
 * created for the court's number; referred bankruptcies have other numbers.
 */
export async function findEventCases(
  db: Db,
  keys: readonly EventCaseKey[],
): Promise<readonly (CaseOfEvents | undefined)[]> {
  const cases: (CaseOfEvents | undefined)[] = Array.from(keys, () => undefined);
  const found = await db.query<{ n: number; processid: number; made: boolean }>(FIND_CASES_SQL, [
    arrayLiteral(keys.map((each) => each.loanId)),
    arrayLiteral(keys.map((each) => each.firm)),
    arrayLiteral(keys.map((each) => each.kind)),
    arrayLiteral(keys.map((each) => each.key)),
  ]);
  for (const { n, processid, made } of found) cases[n - 1] = { id: processid, isEventMade: made };
  return cases;
}

/** Returns the IDs for which no case exists any more. */
export async function findDeletedCases(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const gone = await db.query<{ id: number }>(
    'select k.id from unnest($1::bigint[]) k (id) where not exists (select from process p where p.processid = k.id)',
    [arrayLiteral(ids)],
  );
  return new Set(gone.map((row) => row.id));
}

/** Takes the locks that referrals take, so that a referral and an event cannot create the same case concurrently. */
export async function lockLoans(db: Db, loanIds: readonly number[]): Promise<void> {
  await db.query(
    `select ${lockSql('l.key')}
     from (select distinct 'loan ' || lower(agency collate "C") || ' ' || loan as key from loan
     where loanid = any($1::bigint[]) order by 1) l`,
    [arrayLiteral(loanIds)],
  );
}

/** A case that an event creates. Dates and instants are as PostgreSQL reads them. */
export interface NewEventCase {
  readonly kind: string;
  /** The firm's file number, or the court's case number. */
  readonly label: string;
  readonly loanid: number;
  readonly firm: number;
  /** Whether the firm gets access to the loan, unless staff withhold it from another case of the firm. */
  readonly assigned: boolean;
  readonly opened: string | null;
  readonly chapter: string | null;
  readonly court: string | null;
  readonly filed: string | null;
  readonly bar: string | null;
}

/** Whether the firm has access to the loan already, or gets it. */
const ASSIGNED_SQL = `(exists (select from loan l where l.loanid = k.loanid and l.assignmentstatus is null
    and k.firm = any(l.reachorganizationid))
  or k.assigned and not exists (
    select from process p where p.loanid = k.loanid and p.organizationid = k.firm and not p.loanassigned))`;

/**
 * Creates open cases in this order. The caller has locked their loans, found none of them, and checked that the firm
 * may send events for the loan.
 */
export async function insertEventCases(own: Context, db: Db, cases: readonly NewEventCase[]): Promise<void> {
  await db.query(
    `with k as (
       select * from jsonb_to_recordset($1::text::jsonb) as k (n integer, kind text, label text, loanid bigint, firm
       bigint, assigned boolean, opened timestamptz, chapter text, court text, filed date, bar date)
     ), ids as (
       select n, nextval((select pg_get_serial_sequence('process', 'processid')::regclass)) as id from (select n
       from k order by n) o
     ), made as (
       insert into process (processid, process, status, recordclass, loanid, organizationid, dateopened, loanassigned,
       createddate, createdpersonid, updateddate, updatedpersonid) overriding system value
       select ids.id, label, 'Open', kind, loanid, firm, opened::date, ${ASSIGNED_SQL}, $2::timestamptz, $3::bigint,
       $2::timestamptz, $3::bigint from k join ids using (n) order by n returning processid
     ), foreclosures as (
       insert into foreclosure (foreclosureid, reachorganizationid) select ids.id, firm from k join ids using (n)
       where kind = 'Foreclosure'
     ), bankruptcies as (
       insert into bankruptcy (bankruptcyid, reachorganizationid, bkcaseno, chapter, court, filingdate, bardate)
       select ids.id, firm, label, chapter, court, filed, bar from k join ids using (n) where kind = 'Bankruptcy'
     )
     insert into eventstate (processid, made) select processid, true from made`,
    [JSON.stringify(cases.map((each, n) => ({ n, ...each }))), own.clock.now(), own.user.personId],
  );
}
