/**
 * Stored payments. A payment is a credit with a ledger below it, whose lines say what the payment covered and what it
 * left: they add up to the payment. A reversal is a debit with the same lines below it. Both are locked.
 */
import type { Context } from '../../../kernel/door/context.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { commitWritten } from '../../../kernel/records/save/commit-change.ts';
import { planColumns } from '../../../kernel/records/save/plan.ts';
import { filledColumns } from '../../../kernel/records/save/changed-columns.ts';
import { saveRecord } from '../../../kernel/records/save/save-record.ts';
import type { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { moneyUnits } from './money.ts';
import { writingLedger } from './ledger-writes.ts';
import { linesOf, type Ledger, type Line } from './stored-lines.ts';
import type { PayableLine } from './plan-payment.ts';

/** One line of the child ledger of a payment. */
export interface PaymentPart {
  readonly label: string;
  readonly type: string;
  readonly role: 'Applied' | 'Unapplied';
  readonly amount: string;
  /** The covered line. */
  readonly reference: number | null;
  readonly description: string | null;
}

/** SQL: what each payment `p` of ledger $1 that is not reversed has applied, as lines `a`. */
const APPLIED = `ledgeritem p join ledgeritem a on a.ledgerid = p.childledgerid and a.paymentrole = 'Applied'
  where p.ledgerid = $1::bigint and p.paymentrole = 'Payment' and not exists (
    select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal')`;

/** SQL: what payments applied to a line with a ledger below it, beyond its amount; the amount has fallen since. */
const excessOf = (applied: string): string => `greatest(${applied} - greatest(i.amountmoney, 0), 0)`;

/** SQL that is true for a line `i` with its template line `t` that a payment covers; see {@link payableLines}. */
export const IS_PAYABLE = `i.paiddate is null and i.amountmoney >= 0
       and (i.paymentrole is null or i.paymentrole = 'Refund' and i.childledgerid is null)
       and coalesce(i.isdebit, t.isdebit, false) and coalesce(i.istotaled, t.istotaled, false)
       and not exists (
         select from ledgeritem c where c.referenceledgeritemid = i.ledgeritemid and c.paymentrole = 'Counter')`;

/**
 * Returns the unpaid lines of a ledger in the order in which payments cover them: debits that count in the adjusted
 * balance and are neither paid, negative nor reversed, and no lines of payments except what a refund made owed again;
 * by PostedDate, then by ID. If payments have applied a part of a line, its amount is the rest.
 */
export async function payableLines(ctx: Context, ledgerId: number): Promise<readonly PayableLine[]> {
  const rows = await ctx.db.query<{ id: number; label: string | null; amount: string }>(
    `select i.ledgeritemid as id, i.ledgeritem as label, greatest(i.amountmoney - coalesce(c.applied, 0), 0) as amount
     from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
       left join (
         select a.referenceledgeritemid as id, sum(a.amountmoney) as applied from ${APPLIED} group by 1
       ) c on c.id = i.ledgeritemid
     where i.ledgerid = $1::bigint and ${IS_PAYABLE}
     order by i.posteddate nulls last, i.ledgeritemid`,
    [ledgerId],
  );
  return rows.map(({ id, label, amount }) => ({ id, label, amount: moneyUnits(amount) }));
}

/**
 * Returns the funds of a ledger that pay no line, in ten-thousandths: what its payments left unapplied, and what they
 * applied to lines with a ledger below beyond the present amount of these. Negative if funds of the second kind were
 * used, and the amount rose again.
 */
export async function unappliedFunds(ctx: Context, ledgerId: number): Promise<bigint> {
  const [row] = await ctx.db.query<{ funds: string }>(
    `select coalesce((
         select sum(case when p.paymentrole = 'Payment' then u.amountmoney else -u.amountmoney end)
         from ledgeritem p join ledgeritem u on u.ledgerid = p.childledgerid and u.paymentrole = 'Unapplied'
         where p.ledgerid = $1::bigint and p.paymentrole in ('Payment', 'Reversal', 'Refund')), 0)
       + coalesce((
         select sum(${excessOf('c.applied')}) from (
           select a.referenceledgeritemid as id, sum(a.amountmoney) as applied from ${APPLIED} group by 1
         ) c join ledgeritem i on i.ledgeritemid = c.id and i.childledgerid is not null), 0) as funds`,
    [ledgerId],
  );
  return moneyUnits(row?.funds ?? '0');
}

/**
 * Returns by how much the funds of {@link unappliedFunds} fall if a payment is reversed, apart from what it left, in
 * ten-thousandths.
 */
export async function excessOfPayment(ctx: Context, payment: Line): Promise<bigint> {
  const [row] = await ctx.db.query<{ excess: string }>(
    `select coalesce(sum(${excessOf('c.applied')} - ${excessOf('(c.applied - c.own)')}), 0) as excess from (
       select a.referenceledgeritemid as id, sum(a.amountmoney) as applied,
         sum(a.amountmoney) filter (where p.ledgeritemid = $2::bigint) as own
       from ${APPLIED} group by 1
     ) c join ledgeritem i on i.ledgeritemid = c.id and i.childledgerid is not null
     where c.own is not null`,
    [payment.LedgerID, payment.LedgerItemID],
  );
  return moneyUnits(row?.excess ?? '0');
}

/** Returns the lines below a payment. */
export function partsOf(ctx: Context, payment: Line): Promise<readonly Line[]> {
  return payment.ChildLedgerID === null ? Promise.resolve([]) : linesOf(ctx, payment.ChildLedgerID);
}

/** Adds a payment or its reversal to a ledger, with the ledger below it. Returns the line. */
export async function addPayment(
  ctx: Context,
  ledger: Ledger,
  values: Values<typeof ledgerItem>,
  parts: readonly PaymentPart[],
): Promise<Line> {
  return writingLedger(ctx, async () => {
    const below = await saveRecord(
      ctx,
      planColumns(ctx.registry.recordType('Ledger'), {
        Ledger: values.LedgerItem ?? null,
        Object: 'Ledger',
        ObjectID: ledger.LedgerID,
        Currency: ledger.Currency,
        IsLocked: true,
        IsExpandable: false,
      }),
      'save',
    );
    await insertParts(ctx, below.id, parts);
    const plan = planColumns(ctx.registry.recordType('LedgerItem'), {
      PostedDate: ctx.clock.now(),
      ...values,
      LedgerID: ledger.LedgerID,
      ChildLedgerID: below.id,
      IsTotaled: true,
      IsLocked: true,
    });
    return (await saveRecord(ctx, plan, 'save')).row;
  });
}

/** Inserts all lines below a payment in one statement: it can cover thousands. */
async function insertParts(ctx: Context, ledgerId: number, parts: readonly PaymentPart[]): Promise<void> {
  const record = ctx.registry.recordType('LedgerItem');
  const rows = await ctx.db.query<{ id: number }>(
    `insert into ledgeritem (ledgerid, ledgeritem, ledgeritemtype, paymentrole, amountmoney, referenceledgeritemid,
       description, sequence, isdebit, istotaled, islocked, posteddate, createddate, createdpersonid, updateddate,
       updatedpersonid)
     select $1::bigint, p.label, p.type, p.role, p.amount, p.reference, p.description, p.n, true, true, true,
       $3::timestamptz, $3::timestamptz, $4::bigint, $3::timestamptz, $4::bigint
     from jsonb_to_recordset($2::text::jsonb)
       as p (n integer, label text, type text, role text, amount numeric, reference bigint, description text)
     order by p.n
     returning ledgeritemid as id`,
    [ledgerId, JSON.stringify(parts.map((part, n) => ({ n: n + 1, ...part }))), ctx.clock.now(), ctx.user.personId],
  );
  await commitWritten(ctx, {
    record,
    change: 'insert',
    ids: rows.map(({ id }) => id),
    publishedColumns: (row) => filledColumns(record, row),
  });
}

/**
 * Marks lines as paid, also locked ones. What they take from their template lines is stored in them, so that a later
 * change of the template does not change what was paid.
 */
export async function setPaid(ctx: Context, ids: readonly number[], paid: string): Promise<void> {
  if (ids.length === 0) return;
  await ctx.db.query(
    `update ledgeritem i set paiddate = $2::timestamptz, updateddate = $3::timestamptz, updatedpersonid = $4::bigint,
       version = i.version + 1,
       isdebit = coalesce(i.isdebit,
         (select t.isdebit from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false),
       istotaled = coalesce(i.istotaled,
         (select t.istotaled from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false)
     where i.ledgeritemid = any($1::bigint[])`,
    [arrayLiteral(ids), paid, ctx.clock.now(), ctx.user.personId],
  );
  await publishPaid(ctx, ids);
}

/** Marks lines of a ledger as unpaid, also locked ones, if the payments that are left do not cover them. */
export async function setUnpaid(ctx: Context, ledgerId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await ctx.db.query<{ id: number }>(
    `update ledgeritem i set paiddate = null, updateddate = $3::timestamptz, updatedpersonid = $4::bigint,
       version = i.version + 1
     where i.ledgeritemid = any($2::bigint[]) and not exists (
       select from (select sum(a.amountmoney) as applied from ${APPLIED} and a.referenceledgeritemid = i.ledgeritemid) c
       where c.applied >= i.amountmoney)
     returning i.ledgeritemid as id`,
    [ledgerId, arrayLiteral(ids), ctx.clock.now(), ctx.user.personId],
  );
  await publishPaid(
    ctx,
    rows.map(({ id }) => id),
  );
}

async function publishPaid(ctx: Context, ids: readonly number[]): Promise<void> {
  await commitWritten(ctx, {
    record: ctx.registry.recordType('LedgerItem'),
    change: 'update',
    ids,
    publishedColumns: () => ['PaidDate'],
  });
}
