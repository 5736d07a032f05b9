/** The lines of a ledger as people read them: with running totals. */
import type { Context } from '../../../../kernel/door/context.ts';
import { fromOf, selectListOf } from '../../../../kernel/database/sql.ts';
import type { Line } from '../../lib/stored-lines.ts';

/** A line with what it takes from its template line, and with the sums through it. */
type LedgerLine = Line & {
  readonly IsDebit: boolean;
  readonly IsTotaled: boolean;
  readonly CanExclude: boolean;
  readonly IsLocked: boolean;
  readonly MatrixID: number | null;
  readonly IsReversed: boolean;
  readonly Running: string;
  readonly RunningAdjusted: string;
  readonly LineCount: number;
};

/** Returns a page of the lines of a ledger. The sums count all lines before the page. */
export function readLedgerLines(
  ctx: Context,
  ledgerId: number,
  { start, size }: { readonly start: number; readonly size: number },
): Promise<readonly LedgerLine[]> {
  const record = ctx.registry.recordType('LedgerItem');
  return ctx.db.query<LedgerLine>(
    `with line as (
       select i.ledgeritemid, t.matrixid,
         coalesce(i.isdebit, t.isdebit, false) as isdebit, coalesce(i.istotaled, t.istotaled, false) as istotaled,
         t.ledgertemplateitemid is null or coalesce(t.canexclude, false) as canexclude,
         case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end as signed,
         row_number() over (order by i.sequence nulls last, i.ledgeritemid) as n
       from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
       where i.ledgerid = $1::bigint
     ), summed as (
       select line.*, count(*) over ()::integer as lines,
         coalesce(sum(signed) over (order by n), 0) as running,
         coalesce(sum(signed) filter (where istotaled) over (order by n), 0) as adjusted
       from line
     )
     select ${selectListOf(record)}, s.isdebit as "IsDebit", s.istotaled as "IsTotaled", s.canexclude as "CanExclude",
       coalesce(ledgeritem.islocked, false) as "IsLocked", s.matrixid as "MatrixID",
       ledgeritem.paymentrole = 'Payment' and exists (
         select from ledgeritem r where r.ledgerid = $1::bigint and r.paymentrole = 'Reversal'
           and r.referenceledgeritemid = ledgeritem.ledgeritemid) is true as "IsReversed",
       s.running as "Running", s.adjusted as "RunningAdjusted", s.lines as "LineCount"
     from summed s join ${fromOf(record)} on ledgeritem.ledgeritemid = s.ledgeritemid
     where s.n > $2::bigint order by s.n limit $3::integer`,
    [ledgerId, start, size],
  );
}
