import type { Context } from '../../../../../kernel/door/context.ts';
import { lockNames } from '../../../../../kernel/database/advisory-lock.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import { orNull, type EventRow } from '../rows/event-row.ts';

/**
 * Creates and updates the delays of loans reported by a piece's events. A delay belongs to a firm and a loan and is
 * identified by its type and start day. Its last event contains the expected end, or reports that it has ended.
 */
export async function writeDelays(own: Context, db: Db, rows: readonly EventRow[]): Promise<void> {
  const message = rows.filter((row) => row.outcome === 'kept' && row.kind === 'Delay');
  if (message.length === 0) return;
  const ids = await findOrCreateDelays(own, db, message);
  for (const [n, row] of message.entries()) row.delayId = ids[n] ?? 0;
  await updateDelays(own, db, message);
}

/** A delay without a type has the event's code; one without a start begins with the event. */
const delayType = (row: EventRow): string => orNull(row.values?.['DelayTypeCode']) ?? row.code;
const delayStart = (row: EventRow): string | null =>
  orNull(row.values?.['DelayActualStartDate']) ?? (row.at === '' ? null : row.at.slice(0, 10));

/** Returns the delay of each row, creating missing ones. */
async function findOrCreateDelays(own: Context, db: Db, rows: readonly EventRow[]): Promise<number[]> {
  const requested = rows.map((row, n) => ({
    n,
    loanid: row.loanId,
    firm: row.firm,
    type: delayType(row),
    start: delayStart(row),
    templateid: row.meaning?.delayTemplateId ?? null,
  }));
  // Serialize pieces that create the same delay concurrently.
  await lockNames(db, [...new Set(rows.map((row) => `delays ${row.firm}`))].sort());
  const found = await db.query<{ n: number; id: number }>(
    `with k as (
       select n, loanid, firm, type, coalesce(start, '-infinity') as start, templateid
       from jsonb_to_recordset($1::text::jsonb) as k (n integer, loanid bigint, firm bigint, type text collate "C",
       start timestamptz, templateid bigint)
     ), known as (
       select k.n, s.objectid as id from k join eventstate s on s.loanid = k.loanid and s.organizationid = k.firm
       and s.delaytype = k.type and s.delaystart = k.start
       join decisiondelay d on d.decisiondelayid = s.objectid where s.object = 'DecisionDelay'
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
       insert into eventstate (object, objectid, loanid, organizationid, delaytype, delaystart)
       select 'DecisionDelay', id, loanid, firm, type, start from ids
     )
     select n, id from known union all select k.n, ids.id from k join ids on ids.loanid = k.loanid
     and ids.firm = k.firm and ids.type = k.type and ids.start = k.start`,
    [JSON.stringify(requested), own.clock.now(), own.user.personId],
  );
  const ids: number[] = [];
  for (const { n, id } of found) ids[n] = id;
  return ids;
}

/** Applies the latest event of each delay. */
async function updateDelays(own: Context, db: Db, rows: readonly EventRow[]): Promise<void> {
  const message = rows.map((row, n) => ({
    n,
    id: row.delayId,
    at: row.at || null,
    created: row.created || null,
    recorded: row.recorded || null,
    code: row.code,
    projected: orNull(row.values?.['DelayProjectedEndDate']),
    reason: orNull(row.values?.['DelayEndReasonCode']),
    details: orNull(row.values?.['DelayDetails']),
  }));
  await db.query(
    `with e as (
       select distinct on (id) * from (
         select n, id, coalesce(at, '-infinity') as at, coalesce(created, '-infinity') as created, coalesce(recorded,
         '-infinity') as recorded, code, projected, reason, details
         from jsonb_to_recordset($1::text::jsonb) as k (n integer, id bigint, at timestamptz, created timestamptz,
         recorded timestamptz, code text collate "C", projected timestamptz, reason text, details text)
       ) k order by id, at desc, created desc, recorded desc, code desc, n
     ), s as (
       update eventstate s set at = e.at, created = e.created, recorded = e.recorded, code = e.code from e
       where s.object = 'DecisionDelay' and s.objectid = e.id
       and (e.at, e.created, e.recorded, e.code) > (s.at, s.created, s.recorded, s.code) returning s.objectid
     )
     update decisiondelay d set projectedcompletion = e.projected, reasondetail = e.details, status = case
     when e.reason is null then 'Active' else 'Complete' end,
       actualcompletion = case when e.reason is not null then nullif(e.at, '-infinity') end, updateddate =
       $2::timestamptz, updatedpersonid = $3::bigint, version = d.version + 1
     from e join s on s.objectid = e.id where d.decisiondelayid = e.id
       and (d.projectedcompletion, d.reasondetail collate "C", d.status collate "C", d.actualcompletion) is distinct
       from (e.projected, e.details collate "C", case when e.reason is null then 'Active' else 'Complete' end, case
       when e.reason is not null then nullif(e.at, '-infinity') end)`,
    [JSON.stringify(message), own.clock.now(), own.user.personId],
  );
}
