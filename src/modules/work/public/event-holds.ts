/** Writing the holds that default events report, many in one statement. Runs without row security. */
import type { Context } from '../../../kernel/door/context.ts';
import { lockNames } from '../../../kernel/database/advisory-lock.ts';
import type { Db } from '../../../kernel/database/store.ts';

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
  // Serialize pieces that create the same hold concurrently.
  await lockNames(db, [...new Set(holds.map((hold) => `delays ${hold.firm}`))].sort());
  const found = await db.query<{ n: number; id: number }>(
    `with k as (
       select n, loanid, firm, type, coalesce(start, '-infinity') as start, templateid
       from jsonb_to_recordset($1::text::jsonb) as k (n integer, loanid bigint, firm bigint, type text collate "C",
       start timestamptz, templateid bigint)
     ), known as (
       select k.n, d.decisiondelayid as id from k join decisiondelaystate s on s.loanid = k.loanid
       and s.organizationid = k.firm and s.delaytype = k.type and s.delaystart = k.start
       join decisiondelay d on d.decisiondelayid = s.decisiondelayid
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
       insert into decisiondelaystate (decisiondelayid, loanid, organizationid, delaytype, delaystart)
       select id, loanid, firm, type, start from ids
     )
     select n, id from known union all select k.n, ids.id from k join ids on ids.loanid = k.loanid
     and ids.firm = k.firm and ids.type = k.type and ids.start = k.start`,
    [JSON.stringify(holds.map((hold, n) => ({ n, ...hold }))), own.clock.now(), own.user.personId],
  );
  const ids: number[] = [];
  for (const { n, id } of found) ids[n] = id;
  return ids;
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

/** Applies the latest event of each hold: its expected end, or that it has ended. An older one changes nothing. */
export async function applyHoldEvents(own: Context, db: Db, events: readonly HoldEvent[]): Promise<void> {
  await db.query(
    `with e as (
       select distinct on (id) * from (
         select n, id, coalesce(at, '-infinity') as at, coalesce(created, '-infinity') as created, coalesce(recorded,
         '-infinity') as recorded, code, projected, reason, details
         from jsonb_to_recordset($1::text::jsonb) as k (n integer, id bigint, at timestamptz, created timestamptz,
         recorded timestamptz, code text collate "C", projected timestamptz, reason text, details text)
       ) k order by id, at desc, created desc, recorded desc, code desc, n
     ), s as (
       update decisiondelaystate s set at = e.at, created = e.created, recorded = e.recorded, code = e.code from e
       where s.decisiondelayid = e.id
       and (e.at, e.created, e.recorded, e.code) > (s.at, s.created, s.recorded, s.code) returning s.decisiondelayid
     )
     update decisiondelay d set projectedcompletion = e.projected, reasondetail = e.details, status = case
     when e.reason is null then 'Active' else 'Complete' end,
       actualcompletion = case when e.reason is not null then nullif(e.at, '-infinity') end, updateddate =
       $2::timestamptz, updatedpersonid = $3::bigint, version = d.version + 1
     from e join s on s.decisiondelayid = e.id where d.decisiondelayid = e.id
       and (d.projectedcompletion, d.reasondetail collate "C", d.status collate "C", d.actualcompletion) is distinct
       from (e.projected, e.details collate "C", case when e.reason is null then 'Active' else 'Complete' end, case
       when e.reason is not null then nullif(e.at, '-infinity') end)`,
    [JSON.stringify(events.map((event, n) => ({ n, ...event }))), own.clock.now(), own.user.personId],
  );
}
