/** What a statement of account shows, read from the lines of a ledger. */
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** Most lines of a statement: the whole of it is laid out in memory. */
const LINES_MAX = 10_000;

/** The days of a statement, both included; without a first day, from the first line. */
export interface StatementPeriod {
  readonly from: string | null;
  readonly to: string;
}

/** A line in the period. Either debit or credit is set. */
export interface StatementLine {
  readonly id: number;
  readonly day: string;
  readonly label: string | null;
  readonly description: string | null;
  readonly transactionNumber: string | null;
  readonly debit: string | null;
  readonly credit: string | null;
  /** After the line. */
  readonly balance: string;
}

/** A payment in the period. */
export interface StatementPayment {
  readonly id: number;
  readonly day: string;
  readonly label: string | null;
  readonly transactionNumber: string | null;
  readonly amount: string;
  /** What it paid, with funds left from earlier payments. */
  readonly applied: string;
  /** The day of its reversal, if that is in the period or before it. */
  readonly reversed: string | null;
}

/** Sums of a statement. */
export interface StatementTotals {
  readonly opening: string;
  readonly debits: string;
  readonly credits: string;
  /** Payments less reversals of payments, in the period; they are in the debits and credits, too. */
  readonly payments: string;
  readonly closing: string;
  /** What payments through the last day have left. */
  readonly unapplied: string;
  /** What the ledger, or the ledger above it, belongs to. */
  readonly object: string | null;
  readonly objectId: number | null;
}

export interface LedgerStatement {
  readonly totals: StatementTotals;
  readonly lines: readonly StatementLine[];
  readonly payments: readonly StatementPayment[];
}

/**
 * The lines of ledger $1 that are totaled, through day $4, with their signed amounts and their days in time zone $2. $3
 * is the first day of the period.
 */
const LINES = `line as (
    select i.ledgeritemid as id, i.ledgeritem as label, i.description, i.transactionnumber, i.paymentrole,
      i.childledgerid, i.referenceledgeritemid as reference,
      case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end as amount,
      coalesce((i.posteddate at time zone $2::text)::date, i.effectivedate,
        (i.createddate at time zone $2::text)::date) as day
    from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
    where i.ledgerid = $1::bigint and i.amountmoney is not null and coalesce(i.istotaled, t.istotaled, false)
  ), counted as (
    select l.*, coalesce(l.day >= $3::date, true) as isinperiod from line l where l.day <= $4::date
  )`;

/**
 * Reads a statement of a ledger.
 *
 * @throws TOO_LARGE if the period has more than 10,000 lines
 */
export async function readStatement(
  ctx: Context,
  ledgerId: number,
  { from, to }: StatementPeriod,
): Promise<LedgerStatement> {
  const values = [ledgerId, ctx.settings.get(timeZone), from, to];
  const lines = await ctx.db.query<StatementLine>(
    `with ${LINES}, running as (
       select c.*, sum(c.amount) over (order by c.day, c.id) as balance from counted c
     )
     select id, day::text as day, label, description, transactionnumber as "transactionNumber",
       case when amount >= 0 then amount end as debit, case when amount < 0 then -amount end as credit, balance
     from running where isinperiod order by running.day, id limit ${LINES_MAX + 1}`,
    values,
  );
  if (lines.length > LINES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'From',
      message: `From: the period has more than ${LINES_MAX} lines; send a shorter one.`,
    });
  const payments = await ctx.db.query<StatementPayment>(
    `with ${LINES}
     select p.id, p.day::text as day, p.label, p.transactionnumber as "transactionNumber", -p.amount as amount,
       coalesce((select sum(a.amountmoney) from ledgeritem a
         where a.ledgerid = p.childledgerid and a.paymentrole = 'Applied'), 0) as applied,
       (select r.day::text from counted r where r.reference = p.id and r.paymentrole = 'Reversal') as reversed
     from counted p where p.isinperiod and p.paymentrole = 'Payment' order by p.day, p.id`,
    values,
  );
  return { totals: await readTotals(ctx, values), lines, payments };
}

async function readTotals(ctx: Context, values: readonly (string | number | null)[]): Promise<StatementTotals> {
  const [row] = await ctx.db.query<StatementTotals>(
    `with recursive ${LINES}, above (object, objectid) as (
       select l.object, l.objectid from ledger l where l.ledgerid = $1::bigint
       union
       select p.object, p.objectid from above a join ledger p on p.ledgerid = a.objectid where a.object = 'Ledger'
     )
     select coalesce(sum(c.amount) filter (where not c.isinperiod), 0) as opening,
       coalesce(sum(c.amount) filter (where c.isinperiod and c.amount >= 0), 0) as debits,
       coalesce(-sum(c.amount) filter (where c.isinperiod and c.amount < 0), 0) as credits,
       coalesce(-sum(c.amount) filter (
         where c.isinperiod and c.paymentrole in ('Payment', 'Reversal', 'Refund')), 0) as payments,
       coalesce(sum(c.amount), 0) as closing,
       (select coalesce(sum(case when p.paymentrole = 'Payment' then u.amountmoney else -u.amountmoney end), 0)
         from counted p join ledgeritem u on u.ledgerid = p.childledgerid and u.paymentrole = 'Unapplied'
         where p.paymentrole in ('Payment', 'Reversal', 'Refund')) as unapplied,
       (select object from above where object is distinct from 'Ledger' limit 1) as object,
       (select objectid from above where object is distinct from 'Ledger' limit 1) as "objectId"
     from counted c`,
    values,
  );
  if (!row) throw new Error('a query of sums returned no row');
  return row;
}
