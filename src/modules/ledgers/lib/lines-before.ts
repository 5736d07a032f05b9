/** Lines as they were before the update that is being written: guards compare them with what was written. */
import type { ColumnName } from '../../../kernel/declare/columns.ts';
import { columnList, fromOf } from '../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { scratch } from '../../../kernel/door/scratch.ts';
import { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import type { Line } from './stored-lines.ts';

/** The columns of a line that decide what it comes to, and for whose work. */
export const valuedColumns = [
  'LedgerID',
  'PersonID',
  'AmountMoney',
  'AmountDecimal',
  'Units',
  'UnitCount',
  'Rate',
  'IsDebit',
  'IsTotaled',
  'EffectiveDate',
  'ChildLedgerID',
  'LedgerTemplateItemID',
] as const satisfies readonly ColumnName<typeof ledgerItem>[];

const comparedColumns = ['Status', 'ReviewDate', 'PaidDate', ...valuedColumns] as const;

/** The columns of a line that guards compare. */
export type ComparedLine = Pick<Line, (typeof comparedColumns)[number]>;

/** A line before its update. */
export interface LineBefore extends ComparedLine {
  /** What payments that are not reversed have applied to it; null if none covers it. */
  readonly applied: string | null;
  /** The first of these payments. */
  readonly paymentId: number | null;
}

const linesBefore = scratch('ledger lines before their update', () => new Map<number, LineBefore>());

/** Reads lines that are about to be updated, if a column that guards compare is. Their ledgers are locked. */
export async function noteLines(ctx: Context, ids: readonly number[], columns: ReadonlySet<string>): Promise<void> {
  if (!comparedColumns.some((name) => columns.has(name))) return;
  const list = comparedColumns.flatMap((name) => ledgerItem.columns.get(name.toLowerCase()) ?? []);
  const rows = await ctx.db.query<LineBefore & { readonly id: number }>(
    `select ${columnList(list)}, ledgeritem.ledgeritemid as id, covered.applied, covered.payment as "paymentId"
     from ${fromOf(ledgerItem)} cross join lateral (
       select sum(a.amountmoney) as applied, min(p.ledgeritemid) as payment
       from ledgeritem a join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
       where a.referenceledgeritemid = ledgeritem.ledgeritemid and a.paymentrole = 'Applied' and not exists (
         select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal')
     ) covered
     where ledgeritem.ledgeritemid = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  const noted = ctx.scratch(linesBefore);
  for (const { id, ...line } of rows) noted.set(id, line);
}

/** Returns a line as it was before the update that is being written; undefined if no compared column was sent. */
export function lineBefore(ctx: Context, id: number): LineBefore | undefined {
  return ctx.scratch(linesBefore).get(id);
}
