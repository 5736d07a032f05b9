/** Totals of time entries: lines with a timekeeper. */
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { columnList, fromOf, idOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** Lengths of the periods by which time is totaled. */
export const TIME_PERIODS = ['Day', 'Week', 'Month', 'Quarter', 'Year'] as const;

/** Most rows of an answer: timekeepers × cases × periods × statuses. */
export const TOTALS_MAX = 5_000;

/** Which entries are totaled; null: all. Days are dates, both included. */
export interface TimeFilter {
  readonly from: string | null;
  readonly to: string | null;
  readonly period: (typeof TIME_PERIODS)[number];
  readonly personId: number | null;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly status: string | null;
}

/** The day of an entry, which is that of a line in a statement of account. `$1` is the time zone. */
export const entryDay = `coalesce((i.posteddate at time zone $1::text)::date, i.effectivedate,
             (i.createddate at time zone $1::text)::date)`;

/** Entries of one timekeeper, case, period, status, unit and currency. */
export interface TimeTotal {
  readonly PersonID: number;
  readonly Person: string | null;
  readonly Object: string | null;
  readonly ObjectID: number | null;
  readonly From: string;
  readonly Status: string | null;
  readonly Units: string | null;
  readonly Currency: string | null;
  readonly Entries: number;
  readonly UnitCount: string;
  readonly AmountMoney: string;
  readonly UnitCountTotaled: string;
  readonly AmountTotaled: string;
}

/**
 * Returns the totals, at most one more than {@link TOTALS_MAX}. The case is what the ledger belongs to; for a ledger
 * below another one, what that belongs to.
 */
export function timeTotals(ctx: Context, filter: TimeFilter): Promise<readonly TimeTotal[]> {
  return ctx.db.query<TimeTotal>(
    `with recursive entry as materialized (
       select e.* from (
         select i.personid, i.ledgerid, i.status, i.units, coalesce(i.unitcount, 0) as unitcount,
           case when coalesce(i.isdebit, t.isdebit, false) then coalesce(i.amountmoney, 0)
             else -coalesce(i.amountmoney, 0) end as amount,
           coalesce(i.istotaled, t.istotaled, false) as istotaled,
           ${entryDay} as day
         from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
         where i.personid is not null and ($2::bigint is null or i.personid = $2::bigint)
           and ($3::text is null or i.status = $3::text)
       ) e
       where ($4::date is null or e.day >= $4::date) and ($5::date is null or e.day <= $5::date)
     ), above (ledgerid, object, objectid) as (
       select l.ledgerid, l.object, l.objectid from ledger l where l.ledgerid in (select e.ledgerid from entry e)
       union
       select a.ledgerid, p.object, p.objectid from above a join ledger p on p.ledgerid = a.objectid
       where a.object = 'Ledger'
     )
     select g.*, p.person as "Person" from (
       select e.personid as "PersonID", a.object as "Object", a.objectid as "ObjectID",
         date_trunc($6::text, e.day::timestamp)::date::text as "From", e.status as "Status", e.units as "Units",
         l.currency as "Currency", count(*)::integer as "Entries", sum(e.unitcount) as "UnitCount",
         sum(e.amount) as "AmountMoney",
         coalesce(sum(e.unitcount) filter (where e.istotaled), 0) as "UnitCountTotaled",
         coalesce(sum(e.amount) filter (where e.istotaled), 0) as "AmountTotaled"
       from entry e
       join ledger l on l.ledgerid = e.ledgerid
       left join above a on a.ledgerid = e.ledgerid and a.object is distinct from 'Ledger'
       where ($7::text is null or a.object = $7::text) and ($8::bigint is null or a.objectid = $8::bigint)
       group by 1, 2, 3, 4, 5, 6, 7
     ) g
     left join person p on p.personid = g."PersonID"
     order by p.person nulls last, g."PersonID", g."Object" nulls last, g."ObjectID", g."From", g."Status" nulls first,
       g."Units", g."Currency"
     limit ${TOTALS_MAX + 1}`,
    [
      ctx.settings.get(timeZone),
      filter.personId,
      filter.status,
      filter.from,
      filter.to,
      filter.period.toLowerCase(),
      filter.object,
      filter.objectId,
    ],
  );
}

/** Adds the names of the cases, with one query for each record type; null where the caller cannot access the case. */
export async function withCaseNames(
  ctx: Context,
  totals: readonly TimeTotal[],
): Promise<(TimeTotal & { readonly Case: string | null })[]> {
  const names = new Map<string, ReadonlyMap<number, string | null>>();
  for (const [object, of] of Map.groupBy(totals, ({ Object: object }) => object))
    if (object !== null) names.set(object, await caseNames(ctx, object, of));
  return totals.map((total) => ({
    ...total,
    Case: names.get(total.Object ?? '')?.get(total.ObjectID ?? 0) ?? null,
  }));
}

async function caseNames(
  ctx: Context,
  object: string,
  totals: readonly TimeTotal[],
): Promise<ReadonlyMap<number, string | null>> {
  const record = ctx.registry.record(object);
  const label = record?.columns.get(record.name.toLowerCase());
  if (!record || !label) return new Map();
  const rows = await ctx.db.query<{ id: number; name: string | null }>(
    `select n.id, n."${label.name}" as name
     from (select ${idOf(record)} as id, ${columnList([label])} from ${fromOf(record)}
       where ${idOf(record)} = any($1::bigint[])) n`,
    [arrayLiteral([...new Set(totals.flatMap(({ ObjectID }) => ObjectID ?? []))])],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
