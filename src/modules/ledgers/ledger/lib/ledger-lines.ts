/** The lines of a ledger as people read them: with running totals. */
import type { Context } from '../../../../kernel/door/context.ts';
import { fromOf, selectListOf } from '../../../../kernel/database/sql.ts';
import { IS_PAYABLE } from '../../lib/payment-lines.ts';
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
  readonly DebitTotal: string;
  readonly CreditTotal: string;
};

/** Which lines of a ledger are returned. */
export interface LineFilter {
  readonly kind?: LineKind | undefined;
  readonly state?: LineState | undefined;
  /** A text in the line's name, type, description or transaction number. */
  readonly contains?: string | undefined;
}

/** Kinds of lines. */
export const lineKinds = ['Debit', 'Credit', 'Payment'] as const;
type LineKind = (typeof lineKinds)[number];

/** States of lines. */
export const lineStates = ['Totaled', 'Excluded', 'Unpaid', 'Paid'] as const;
type LineState = (typeof lineStates)[number];

/** SQL conditions on a line `i` with its template line `t`. */
const conditions: Readonly<Record<LineKind | LineState, string>> = {
  Debit: 'coalesce(i.isdebit, t.isdebit, false)',
  Credit: 'not coalesce(i.isdebit, t.isdebit, false)',
  Payment: 'i.paymentrole is not null',
  Totaled: 'coalesce(i.istotaled, t.istotaled, false)',
  Excluded: 'not coalesce(i.istotaled, t.istotaled, false)',
  Unpaid: IS_PAYABLE,
  Paid: 'i.paiddate is not null',
};

const searchedColumns = ['ledgeritem', 'ledgeritemtype', 'description', 'transactionnumber'];

/** Returns a condition that is true for the lines of a filter; `$4` is the pattern of its text. */
function filterCondition({ kind, state, contains }: LineFilter): string {
  const parts = [kind, state].flatMap((name) => (name === undefined ? [] : [conditions[name]]));
  const texts = searchedColumns.map((name) => `casewright_fold(i.${name}) collate "C" like casewright_fold($4::text)`);
  if (contains !== undefined) parts.push(`(${texts.join(' or ')}) is true`);
  return parts.length === 0 ? 'true' : parts.map((part) => `(${part})`).join(' and ');
}

/**
 * Returns a page of the lines of a ledger that a filter selects. The running sums count all lines of the ledger; the
 * totals those that are selected, on all pages.
 */
export function readLedgerLines(
  ctx: Context,
  ledgerId: number,
  { start, size, filter = {} }: { readonly start: number; readonly size: number; readonly filter?: LineFilter },
): Promise<readonly LedgerLine[]> {
  const record = ctx.registry.recordType('LedgerItem');
  const { contains } = filter;
  const pattern = contains === undefined ? [] : [`%${contains.replace(/[\\%_]/g, '\\$&')}%`];
  return ctx.db.query<LedgerLine>(
    `with line as (
       select i.ledgeritemid, t.matrixid,
         coalesce(i.isdebit, t.isdebit, false) as isdebit, coalesce(i.istotaled, t.istotaled, false) as istotaled,
         t.ledgertemplateitemid is null or coalesce(t.canexclude, false) as canexclude,
         case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end as signed,
         row_number() over (order by i.sequence nulls last, i.ledgeritemid) as n,
         ${filterCondition(filter)} as isselected
       from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
       where i.ledgerid = $1::bigint
     ), summed as (
       select line.*,
         coalesce(sum(signed) over (order by n), 0) as running,
         coalesce(sum(signed) filter (where istotaled) over (order by n), 0) as adjusted
       from line
     ), selected as (
       select summed.*, row_number() over (order by n) as at, count(*) over ()::integer as lines,
         coalesce(sum(signed) filter (where isdebit) over (), 0) as debits,
         coalesce(-sum(signed) filter (where not isdebit) over (), 0) as credits
       from summed where isselected
     )
     select ${selectListOf(record)}, s.isdebit as "IsDebit", s.istotaled as "IsTotaled", s.canexclude as "CanExclude",
       coalesce(ledgeritem.islocked, false) as "IsLocked", s.matrixid as "MatrixID",
       ledgeritem.paymentrole = 'Payment' and exists (
         select from ledgeritem r where r.ledgerid = $1::bigint and r.paymentrole = 'Reversal'
           and r.referenceledgeritemid = ledgeritem.ledgeritemid) is true as "IsReversed",
       s.running as "Running", s.adjusted as "RunningAdjusted", s.lines as "LineCount", s.debits as "DebitTotal",
       s.credits as "CreditTotal"
     from selected s join ${fromOf(record)} on ledgeritem.ledgeritemid = s.ledgeritemid
     where s.at > $2::bigint order by s.at limit $3::integer`,
    [ledgerId, start, size, ...pattern],
  );
}
