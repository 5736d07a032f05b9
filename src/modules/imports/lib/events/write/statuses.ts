import type { Context } from '../../../../../kernel/door/context.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import { orNull, type EventRow } from '../rows/event-row.ts';

/**
 * Stores for each case the last event with a status, by the events' dates, across files and rows. {@link applyStatuses}
 * updates the cases after the file is read: with an update in each piece, a case of a large file would change several
 * times, and changing a case costs more than everything else done for a row.
 */
export async function recordStatuses(db: Db, importFileId: number, rows: readonly EventRow[]): Promise<void> {
  const message = rows.filter(
    (row) =>
      row.outcome === 'kept' &&
      row.caseId !== 0 &&
      row.at !== '' &&
      row.meaning?.status !== undefined &&
      row.key !== '',
  );
  if (message.length === 0) return;
  await db.query(
    `insert into eventstate as s (object, objectid, at, created, recorded, code, status, reason, importfileid)
     select distinct on (id) 'Process', id, at, created, recorded, code, status, reason, $8::bigint
     from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[],
     $7::text[]) with ordinality e (id, at, created, recorded, code, status, reason, n)
     order by id, at desc, created desc, recorded desc, code collate "C" desc, n
     on conflict (objectid, object) do update
     set at = excluded.at, created = excluded.created, recorded = excluded.recorded, code = excluded.code, status =
     excluded.status, reason = excluded.reason, importfileid = excluded.importfileid
     where (excluded.at, excluded.created, excluded.recorded, excluded.code) > (s.at, s.created, s.recorded, s.code)`,
    [
      arrayLiteral(message.map((row) => row.caseId)),
      arrayLiteral(message.map((row) => row.at)),
      arrayLiteral(message.map((row) => row.created || '-infinity')),
      arrayLiteral(message.map((row) => row.recorded || '-infinity')),
      arrayLiteral(message.map((row) => row.code)),
      arrayLiteral(message.map((row) => row.meaning?.status ?? '')),
      arrayLiteral(message.map((row) => orNull(row.values?.['FCFileClosedReasonType']))),
      importFileId,
    ],
  );
}

/** Cases whose status is set in one transaction. */
const CASES_UPDATED_MAX = 5_000;

/**
 * Sets the status of the cases that a file mentions. A final status closes the case on the event's day; a closed case
 * is changed only by events of that day or later. The open workflows of closed cases are canceled from the queue with
 * the Status `canceledStatus`, since one file may close thousands of cases; without one they stay open. Idempotent.
 */
export async function applyStatuses(
  ctx: Context,
  importFileId: number,
  finalStatuses: readonly string[],
  canceledStatus: string | undefined,
): Promise<void> {
  for (;;) {
    const settled = await ctx.inTransaction(async (own) => {
      const { n, workflows } = await own
        .transaction()
        .elevated((db) => applyStatusBatch(own, db, importFileId, finalStatuses));
      if (canceledStatus !== undefined && workflows !== null) {
        await own.actingAs('Workflow', async (workflow) => {
          for (const ID of workflows)
            await workflow.enqueue({
              route: 'decision/cancel',
              parameters: { ID, Status: canceledStatus },
              label: `Decision ${ID}`,
            });
        });
      }
      return n;
    });
    if (settled < CASES_UPDATED_MAX) return;
  }
}

interface StatusBatch {
  readonly n: number;
  /** Open workflows of cases that were closed. */
  readonly workflows: readonly number[] | null;
}

async function applyStatusBatch(
  own: Context,
  db: Db,
  importFileId: number,
  finalStatuses: readonly string[],
): Promise<StatusBatch> {
  await db.query("select set_config('TimeZone', $1::text, true)", [own.settings.get(timeZone)]);
  const [row] = await db.query<StatusBatch>(APPLY_STATUSES_SQL, [
    importFileId,
    CASES_UPDATED_MAX,
    arrayLiteral(finalStatuses),
    own.clock.now(),
    own.user.personId,
  ]);
  await db.query("select set_config('TimeZone', 'UTC', true)");
  return row ?? { n: 0, workflows: null };
}

const APPLY_STATUSES_SQL = `
  with e as (
    select objectid as id, at, status, reason, status = any($3::text[]) as final from eventstate
    where importfileid = $1::bigint order by objectid limit $2::integer for update
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
    update eventstate s set importfileid = null from e where s.objectid = e.id and s.object = 'Process' returning 1
  )
  select (select count(*)::integer from settled) as n,
    (select json_agg(d.decisionid order by d.decisionid) from closed c join decision d on d.objectid = c.processid
    and d.object = c.recordclass where d.actualcompletion is null and d.canceleddate is null) as workflows`;

/** Moves the opening date of an event-created case to its first event, even if that is reported later. */
export async function updateOpeningDates(own: Context, db: Db, rows: readonly EventRow[]): Promise<void> {
  const days = new Map<number, string>();
  for (const row of rows) {
    if (row.outcome !== 'kept' || row.key === '' || row.at === '' || !row.isCaseMade) continue;
    const known = days.get(row.caseId);
    if (known === undefined || row.at < known) days.set(row.caseId, row.at);
  }
  if (days.size === 0) return;
  await db.query(
    `update process p set dateopened = k.at::date, updateddate = $3::timestamptz, updatedpersonid = $4::bigint,
      version = p.version + 1
     from unnest($1::bigint[], $2::timestamptz[]) k (id, at) where p.processid = k.id
     and (p.dateopened is null or p.dateopened > k.at::date)`,
    [arrayLiteral([...days.keys()]), arrayLiteral([...days.values()]), own.clock.now(), own.user.personId],
  );
}
