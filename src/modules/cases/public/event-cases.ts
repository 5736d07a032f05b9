/** Finding and creating the cases of default events, many in one statement. Runs without row security. */
import { activeCondition } from '../../../kernel/records/save/final-status.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { lockSql } from '../../../kernel/database/advisory-lock.ts';
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';
import { process } from '../process/process.record.ts';

/** A loan found by the investor's number. */
export interface NumberedLoan {
  readonly loanId: number;
  /** Firm whose referral created it; 0 for another source. */
  readonly source: number;
}

/** Returns the loans with the given numbers by number; `'ambiguous'` for the number of several loans. */
export async function findLoansByNumber(
  db: Db,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, NumberedLoan | 'ambiguous'>> {
  const found = await db.query<{ n: number; loanid: number; source: number | null; others: boolean }>(
    `select k.n::integer as n, min(l.loanid) as loanid, min(l.sourceorganizationid) as source, count(*) > 1 as others
     from unnest($1::text[]) with ordinality k (loan, n) join loan l on l.loan = k.loan group by k.n`,
    [arrayLiteral(numbers)],
  );
  return new Map(
    found.map(({ n, loanid, source, others }) => [
      numbers[n - 1] ?? '',
      others ? 'ambiguous' : { loanId: loanid, source: source ?? 0 },
    ]),
  );
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

const FIND_CASES_SQL = `
  select k.n::integer as n, p.processid, coalesce(s.made, false) as made
  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) with ordinality k (loanid, firm, kind, key, n)
  cross join lateral (
    select p.processid from process p left join bankruptcy b on b.bankruptcyid = p.processid
    where p.loanid = k.loanid and p.organizationid = k.firm and p.recordclass = k.kind
      and case k.kind when 'Foreclosure' then p.process = k.key else p.processtype is null and b.bkcaseno = k.key end
    order by not (${activeCondition(process, 'p')}), p.dateopened desc nulls last, p.processid desc limit 1
  ) p
  left join eventstate s on s.processid = p.processid`;

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
  /** Whether the firm has access to the loan. */
  readonly assigned: boolean;
  readonly opened: string | null;
  readonly chapter: string | null;
  readonly court: string | null;
  readonly filed: string | null;
  readonly bar: string | null;
}

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
       select ids.id, label, 'Open', kind, loanid, firm, opened::date, assigned, $2::timestamptz, $3::bigint,
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
