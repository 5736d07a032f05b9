/** Writing the holds that default events report, many in one statement. Runs without row security. */
import type { Context } from '../../../kernel/door/context.ts';
import { lockNames } from '../../../kernel/database/advisory-lock.ts';
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';

/** A hold of a loan, as a firm's event reports it. Instants are as PostgreSQL reads them. */
export interface ReportedHold {
  readonly loanid: number;
  readonly firm: number;
  /** The firm's type of hold. */
  readonly type: string;
  readonly start: string | null;
  /** The hold type of a new hold. */
  readonly templateid: number | null;
}

/**
 * Returns the id of each hold, creating missing ones. A hold belongs to a firm and a loan and is identified by its type
 * and start day. The caller has checked that the firm may report holds of the loan.
 */
export async function findOrCreateHolds(own: Context, db: Db, holds: readonly ReportedHold[]): Promise<number[]> {
  // Serialize pieces that create the same hold concurrently. Equal holds meet where loans are assigned; the oldest then
  // takes what is reported.
  await lockNames(db, [...new Set(holds.map((hold) => `delays ${hold.firm}`))].sort());
  const found = await db.query<{ n: number; id: number }>(
    `with k as (
       select n, loanid, firm, type, coalesce(start, '-infinity') as start, templateid
       from jsonb_to_recordset($1::text::jsonb) as k (n integer, loanid bigint, firm bigint, type text collate "C",
       start timestamptz, templateid bigint)
     ), known as (
       select k.n, min(d.decisiondelayid) as id from k join decisiondelaystate s on s.loanid = k.loanid
       and s.organizationid = k.firm and s.delaytype = k.type and s.delaystart = k.start
       join decisiondelay d on d.decisiondelayid = s.decisiondelayid group by k.n
     ), lacking as (
       select loanid, firm, type, start, min(templateid) as templateid, min(n) as n from k where not exists (select
       from known where known.n = k.n) group by 1, 2, 3, 4
     ), ids as (
       select *, nextval((select pg_get_serial_sequence('decisiondelay', 'decisiondelayid')::regclass)) as id
       from (select * from lacking order by n) o
     ), made as (
       insert into decisiondelay (decisiondelayid, decisiondelay, decisiondelaytype, object, objectid,
       decisiondelaytemplateid, actualstart, createddate, createdpersonid, updateddate, updatedpersonid) overriding
       system value
       select id, coalesce((select decisiondelaytemplate from decisiondelaytemplate t
       where t.decisiondelaytemplateid = ids.templateid), type), type, 'Loan', loanid, templateid, nullif(start,
       '-infinity'), $2::timestamptz, $3::bigint, $2::timestamptz, $3::bigint from ids
     ), states as (
       insert into decisiondelaystate (decisiondelayid, loanid, organizationid, delaytype, delaystart, projectedkey,
       detailskey)
       select id, loanid, firm, type, start, '', '' from ids
     )
     select n, id from known union all select k.n, ids.id from k join ids on ids.loanid = k.loanid
     and ids.firm = k.firm and ids.type = k.type and ids.start = k.start`,
    [JSON.stringify(holds.map((hold, n) => ({ n, ...hold }))), own.clock.now(), own.user.personId],
  );
  const ids: number[] = [];
  for (const { n, id } of found) ids[n] = id;
  return ids;
}

/** A firm's holds that move to another loan. */
export interface HoldMove {
  readonly firm: number;
  readonly fromLoanIds: readonly number[];
  readonly toLoanId: number;
}

/**
 * Moves the holds that a firm's events have put on loans to the loan that the firm now has for their number, where its
 * later events look for them. Runs without row security: the firm may have no access to the loans. The caller has
 * checked that the new loan is the firm's.
 */
export async function moveEventHolds(ctx: Context, { firm, fromLoanIds, toLoanId }: HoldMove): Promise<void> {
  if (fromLoanIds.length === 0) return;
  await ctx.transaction().elevated((db) =>
    db.query(
      `with moved as (
         update decisiondelaystate set loanid = $3::bigint
         where loanid = any($2::bigint[]) and organizationid = $1::bigint
         returning decisiondelayid
       )
       update decisiondelay d set objectid = $3::bigint, updateddate = $4::timestamptz, updatedpersonid = $5::bigint,
         version = version + 1
       from moved where d.decisiondelayid = moved.decisiondelayid and d.object = 'Loan'`,
      [firm, arrayLiteral(fromLoanIds), toLoanId, ctx.clock.now(), ctx.user.personId],
    ),
  );
}

/** An event about a hold. Instants are as PostgreSQL reads them. */
export interface HoldEvent {
  /** The hold. */
  readonly id: number;
  /** When it happened, was created and was recorded: which of two events is the later one. */
  readonly at: string | null;
  readonly created: string | null;
  readonly recorded: string | null;
  readonly code: string;
  /** The expected end. */
  readonly projected: string | null;
  /** Why the hold has ended; null for one that has not. */
  readonly reason: string | null;
  readonly details: string | null;
}

/** SQL for a text that sorts by the order of events, of a row with their columns; '' sorts before each. */
function orderKey(row: string): string {
  const instant = (name: string): string =>
    `case when isfinite(${row}.${name}) then to_char(${row}.${name} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
      else '' end`;
  return `concat_ws(' ', ${instant('at')}, ${instant('created')}, ${instant('recorded')}, ${row}.code) collate "C"`;
}

/** SQL for the latest event of each hold, or the latest one that has a value in a column. */
function latestEvents(column?: string): string {
  const where = column === undefined ? '' : `where ${column} is not null`;
  return `select distinct on (id) *, ${orderKey('k')} as key from k ${where}
    order by id, at desc, created desc, recorded desc, code desc, n`;
}

/**
 * Applies events to holds. The latest event decides whether a hold has ended. Its expected end and its details are
 * those of the latest event that reports them: a column that an event leaves empty is not reported, and stays.
 */
export async function applyHoldEvents(own: Context, db: Db, events: readonly HoldEvent[]): Promise<void> {
  await db.query(
    `with k as (
       select n, id, coalesce(at, '-infinity') as at, coalesce(created, '-infinity') as created, coalesce(recorded,
       '-infinity') as recorded, code, projected, reason, details
       from jsonb_to_recordset($1::text::jsonb) as k (n integer, id bigint, at timestamptz, created timestamptz,
       recorded timestamptz, code text collate "C", projected timestamptz, reason text, details text)
     ), e as (${latestEvents()}), p as (${latestEvents('projected')}), d as (${latestEvents('details')}), news as (
       select e.id, e.at, e.created, e.recorded, e.code, e.reason, p.projected, p.key as projectedkey, d.details,
         d.key as detailskey, (e.at, e.created, e.recorded, e.code) > (s.at, s.created, s.recorded, s.code) as islater,
         coalesce(p.key > coalesce(s.projectedkey, ${orderKey('s')}), false) as isprojected,
         coalesce(d.key > coalesce(s.detailskey, ${orderKey('s')}), false) as isdetailed
       from e join decisiondelaystate s on s.decisiondelayid = e.id
         left join p on p.id = e.id left join d on d.id = e.id
     ), state as (
       update decisiondelaystate s set
         at = case when islater then news.at else s.at end,
         created = case when islater then news.created else s.created end,
         recorded = case when islater then news.recorded else s.recorded end,
         code = case when islater then news.code else s.code end,
         projectedkey = case when isprojected then news.projectedkey else s.projectedkey end,
         detailskey = case when isdetailed then news.detailskey else s.detailskey end
       from news where s.decisiondelayid = news.id and (islater or isprojected or isdetailed)
     ), after as (
       select d.decisiondelayid as id,
         case when isprojected then news.projected else d.projectedcompletion end as projected,
         case when isdetailed then news.details else d.reasondetail end as details,
         case when not islater then d.status when news.reason is null then 'Active' else 'Complete' end as status,
         case when not islater then d.actualcompletion
           when news.reason is not null then nullif(news.at, '-infinity') end as ended
       from decisiondelay d join news on news.id = d.decisiondelayid where islater or isprojected or isdetailed
     )
     update decisiondelay d set projectedcompletion = after.projected, reasondetail = after.details, status =
       after.status, actualcompletion = after.ended, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = d.version + 1
     from after where d.decisiondelayid = after.id
       and (d.projectedcompletion, d.reasondetail collate "C", d.status collate "C", d.actualcompletion) is distinct
       from (after.projected, after.details collate "C", after.status collate "C", after.ended)`,
    [JSON.stringify(events.map((event, n) => ({ n, ...event }))), own.clock.now(), own.user.personId],
  );
}
