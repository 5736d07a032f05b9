/** Time entries: lines with a timekeeper. */
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { entryDay, type TimeFilter } from './time-totals.ts';

/** Which entries are listed, and in which order. */
export interface EntryFilter extends Omit<TimeFilter, 'period'> {
  /** Only entries without a status. */
  readonly isOpen: boolean;
  readonly newestFirst: boolean;
  readonly start: number;
  readonly size: number;
}

/** An entry with its day and its case. */
export interface TimeEntry {
  readonly LedgerItemID: number;
  readonly LedgerItem: string | null;
  readonly LedgerID: number;
  readonly PersonID: number;
  readonly Day: string;
  readonly Object: string | null;
  readonly ObjectID: number | null;
  readonly Units: string | null;
  readonly UnitCount: string | null;
  readonly AmountMoney: string | null;
  readonly Currency: string | null;
  readonly Status: string | null;
  readonly ReviewPersonID: number | null;
  readonly ReviewReason: string | null;
  readonly EntryCount: number;
}

/** Returns a page of entries. The case is what the ledger belongs to; for one below another, what that belongs to. */
export function timeEntries(ctx: Context, filter: EntryFilter): Promise<readonly TimeEntry[]> {
  const order = filter.newestFirst ? 'desc' : 'asc';
  return ctx.db.query<TimeEntry>(
    `with recursive entry as materialized (
       select e.* from (
         select i.*, ${entryDay} as day from ledgeritem i
         where i.personid is not null and ($2::bigint is null or i.personid = $2::bigint)
           and ($3::text is null or i.status = $3::text) and (not $4::boolean or i.status is null)
       ) e
       where ($5::date is null or e.day >= $5::date) and ($6::date is null or e.day <= $6::date)
     ), above (ledgerid, object, objectid) as (
       select l.ledgerid, l.object, l.objectid from ledger l where l.ledgerid in (select e.ledgerid from entry e)
       union
       select a.ledgerid, p.object, p.objectid from above a join ledger p on p.ledgerid = a.objectid
       where a.object = 'Ledger'
     )
     select e.ledgeritemid as "LedgerItemID", e.ledgeritem as "LedgerItem", e.ledgerid as "LedgerID",
       e.personid as "PersonID", e.day::text as "Day", a.object as "Object", a.objectid as "ObjectID",
       e.units as "Units", e.unitcount as "UnitCount", e.amountmoney as "AmountMoney",
       l.currency as "Currency", e.status as "Status", e.reviewpersonid as "ReviewPersonID",
       e.reviewreason as "ReviewReason", count(*) over ()::integer as "EntryCount"
     from entry e
     join ledger l on l.ledgerid = e.ledgerid
     left join above a on a.ledgerid = e.ledgerid and a.object is distinct from 'Ledger'
     where ($7::text is null or a.object = $7::text) and ($8::bigint is null or a.objectid = $8::bigint)
     order by e.day ${order}, e.ledgeritemid ${order}
     limit $9::integer offset $10::bigint`,
    [
      ctx.settings.get(timeZone),
      filter.personId,
      filter.status,
      filter.isOpen,
      filter.from,
      filter.to,
      filter.object,
      filter.objectId,
      filter.size,
      filter.start,
    ],
  );
}
