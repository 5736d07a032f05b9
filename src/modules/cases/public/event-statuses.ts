/** Statuses and opening dates of cases as reported by default events. Runs without row security. */
import type { Context } from '../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';
import { process } from '../process/process.record.ts';

/** An event that reports its case's status. Empty instants are `-infinity`. */
export interface StatusEvent {
  readonly caseId: number;
  /** When it happened, was created and was recorded, as PostgreSQL reads it. */
  readonly at: string;
  readonly created: string;
  readonly recorded: string;
  readonly code: string;
  readonly status: string;
  /** Why the case is closed, if the status is final. */
  readonly reason: string | null;
}

/**
 * Stores for each case the last event with a status, by the events' dates, across files and rows. {@link
 * applyEventStatuses} updates the cases after the file is read: updating in each piece would change a case of a large
 * file several times, and changing a case costs more than everything else done for a row.
 */
export async function recordEventStatuses(db: Db, importFileId: number, events: readonly StatusEvent[]): Promise<void> {
  await db.query(
    `insert into eventstate as s (processid, at, created, recorded, code, status, reason, importfileid)
     select distinct on (id) id, at, created, recorded, code, status, reason, $8::bigint
     from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[],
     $7::text[]) with ordinality e (id, at, created, recorded, code, status, reason, n)
     order by id, at desc, created desc, recorded desc, code collate "C" desc, n
     on conflict (processid) do update
     set at = excluded.at, created = excluded.created, recorded = excluded.recorded, code = excluded.code, status =
     excluded.status, reason = excluded.reason, importfileid = excluded.importfileid
     where (excluded.at, excluded.created, excluded.recorded, excluded.code) > (s.at, s.created, s.recorded, s.code)`,
    [
      arrayLiteral(events.map((each) => each.caseId)),
      arrayLiteral(events.map((each) => each.at)),
      arrayLiteral(events.map((each) => each.created || '-infinity')),
      arrayLiteral(events.map((each) => each.recorded || '-infinity')),
      arrayLiteral(events.map((each) => each.code)),
      arrayLiteral(events.map((each) => each.status)),
      arrayLiteral(events.map((each) => each.reason)),
      importFileId,
    ],
  );
}

/** Which statuses to apply: those that a file's events brought, at most `max` cases. */
export interface StatusBatch {
  readonly importFileId: number;
  readonly max: number;
}

/** The result of applying a batch of statuses. */
export interface AppliedStatuses {
  /** Number of cases that were settled. */
  readonly n: number;
  /** Open workflows of cases that were closed. */
  readonly workflows: readonly number[] | null;
}

/**
 * Sets the status of cases that a file mentions. A final status closes the case on the event's day, in the session's
 * time zone; a closed case is changed only by events of that day or later. Idempotent.
 */
export async function applyEventStatuses(
  own: Context,
  db: Db,
  { importFileId, max }: StatusBatch,
): Promise<AppliedStatuses> {
  const finals = arrayLiteral(process.finalStatuses ?? []);
  const values = [importFileId, max, finals, own.clock.now(), own.user.personId];
  const [row] = await db.query<AppliedStatuses>(APPLY_STATUSES_SQL, values);
  return row ?? { n: 0, workflows: null };
}

const APPLY_STATUSES_SQL = `
  with e as (
    select processid as id, at, status, reason, status = any($3::text[]) as final from eventstate
    where importfileid = $1::bigint order by processid limit $2::integer for update
  ), k as (
    select id, status, at::date as day, case when final then at::date end as closed, case
    when final then reason end as reason from e
  ), closed as (
    select p.processid, p.recordclass from k join process p on p.processid = k.id where k.closed is not null
    and p.dateclosed is null
  ), changed as (
    update process p set status = k.status, dateclosed = k.closed, closedreason = k.reason, updateddate =
    $4::timestamptz, updatedpersonid = $5::bigint, version = p.version + 1
    from k where p.processid = k.id and (p.dateclosed is null or k.day >= p.dateclosed)
      and (p.status collate "C" is distinct from k.status or p.dateclosed is distinct
      from k.closed or p.closedreason collate "C" is distinct from k.reason)
  ), settled as (
    update eventstate s set importfileid = null from e where s.processid = e.id returning 1
  )
  select (select count(*)::integer from settled) as n,
    (select json_agg(d.decisionid order by d.decisionid) from closed c join decision d on d.objectid = c.processid
    and d.object = c.recordclass where d.actualcompletion is null and d.canceleddate is null) as workflows`;

/** Moves the opening dates of cases that events created back to earlier events, by case; instants. */
export async function moveOpeningDates(own: Context, db: Db, dates: ReadonlyMap<number, string>): Promise<void> {
  await db.query(
    `update process p set dateopened = k.at::date, updateddate = $3::timestamptz, updatedpersonid = $4::bigint,
      version = p.version + 1
     from unnest($1::bigint[], $2::timestamptz[]) k (id, at) where p.processid = k.id
     and (p.dateopened is null or p.dateopened > k.at::date)`,
    [arrayLiteral([...dates.keys()]), arrayLiteral([...dates.values()]), own.clock.now(), own.user.personId],
  );
}
