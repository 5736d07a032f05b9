/** The reversal of lines that an import added. */
import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { commitWritten } from '../../../../kernel/records/save/commit-change.ts';
import { filledColumns } from '../../../../kernel/records/save/changed-columns.ts';
import { assertLineMonthOpen } from '../../lib/closed-months.ts';
import { assertLineFits } from '../../lib/ledger-locks.ts';
import { scheduleTotals } from '../../lib/total-ledger.ts';
import { assertNone, lockBatch, type BatchLine } from './batch-lines.ts';

/** What a reversal did. */
export interface ReversedBatch {
  readonly ImportFileID: number;
  readonly Lines: number;
  readonly Reversed: number;
  readonly Ledgers: number;
}

/**
 * Adds an offsetting line for every line that an import added and that has none yet, in one statement.
 *
 * @throws STATE_REFUSES if the import has not ended, if a line was paid or has a ledger below it, or if a month is
 * closed; LOCKED for locked ledgers
 */
export async function reverseBatch(ctx: Context, importFileId: number, reason: string | null): Promise<ReversedBatch> {
  const lines = (await lockBatch(ctx, importFileId)).filter(({ hasAmount }) => hasAmount);
  const open = lines.filter(({ isReversed }) => !isReversed);
  const what = 'reversed';
  assertNone(open, 'isPaid', { what, why: 'was paid; reverse the payment first, with ledger/reversepayment' });
  const why = 'has the amount of a ledger below it; reverse the lines of that ledger';
  assertNone(open, 'hasLedgerBelow', { what, why });
  if (open.length > 0) await offset(ctx, open, reason);
  else ctx.alert({ code: 'STATE_REFUSES', text: `No line of import ${importFileId} is left to reverse.` });
  const ledgers = new Set(lines.map(({ ledgerId }) => ledgerId));
  return { ImportFileID: importFileId, Lines: lines.length, Reversed: open.length, Ledgers: ledgers.size };
}

/**
 * Inserts the offsetting lines, and locks both: with the values of their template lines, so that a
 * later change of these changes neither. Negative amounts on the same side keep both on the account of their template
 * line, and hours of time entries add up to zero.
 */
async function offset(ctx: Context, lines: readonly BatchLine[], reason: string | null): Promise<void> {
  const ids = arrayLiteral(lines.map(({ id }) => id));
  const locked = await ctx.db.query<{ id: number }>(
    `update ledgeritem i set islocked = true, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = i.version + 1,
       isdebit = coalesce(i.isdebit,
         (select t.isdebit from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false),
       istotaled = coalesce(i.istotaled,
         (select t.istotaled from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false)
     where i.ledgeritemid = any($1::bigint[])
       and (i.islocked is not true or i.isdebit is null or i.istotaled is null)
     returning i.ledgeritemid as id`,
    [ids, ctx.clock.now(), ctx.user.personId],
  );
  const made = await ctx.db.query<{ id: number; ledgerId: number }>(
    `insert into ledgeritem (ledgerid, ledgeritem, ledgeritemtype, ledgertemplateitemid, status, sequence, amountmoney,
       units, unitcount, rate, isdebit, istotaled, islocked, effectivedate, personid, posteddate, paymentrole,
       referenceledgeritemid, description, createddate, createdpersonid, updateddate, updatedpersonid)
     select i.ledgerid, left('Reversal of ' || coalesce(i.ledgeritem, 'line ' || i.ledgeritemid), 255),
       i.ledgeritemtype, i.ledgertemplateitemid, i.status, i.sequence, -i.amountmoney, i.units, -i.unitcount, i.rate,
       i.isdebit, i.istotaled, true, i.effectivedate, i.personid, $2::timestamptz,
       'Counter', i.ledgeritemid, $4::text, $2::timestamptz, $3::bigint, $2::timestamptz, $3::bigint
     from ledgeritem i where i.ledgeritemid = any($1::bigint[]) order by i.ledgeritemid
     returning ledgeritemid as id, ledgerid as "ledgerId"`,
    [ids, ctx.clock.now(), ctx.user.personId, reason],
  );
  for (const [ledgerId, id] of new Map(made.map((line) => [line.ledgerId, line.id]))) {
    await assertLineFits(ctx, id);
    await assertLineMonthOpen(ctx, { ids: [id], change: 'insert', columns: new Set(['ChildLedgerID']) });
    await scheduleTotals(ctx, ledgerId);
  }
  const record = ctx.registry.recordType('LedgerItem');
  const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);
  await commitWritten(ctx, { record, change: 'update', ids: idsOf(locked), publishedColumns: () => ['IsLocked'] });
  await commitWritten(ctx, {
    record,
    change: 'insert',
    ids: idsOf(made),
    publishedColumns: (row) => filledColumns(record, row),
  });
}
