import { defineCheck, defineGuard, defineReaction } from '../../../kernel/declare/reaction.ts';
import { currentImport } from '../../../kernel/records/save/current-import.ts';
import { assertEntriesDeletable, assertReviewIntact } from '../lib/approved-entries.ts';
import { assertLineMonthOpen } from '../lib/closed-months.ts';
import {
  assertLineChanges,
  assertLineFits,
  assertLinesChange,
  assertNewLineFits,
  readStateAhead,
} from '../lib/ledger-locks.ts';
import { assertMayRollUp } from '../lib/ledger-path.ts';
import { noteLines } from '../lib/lines-before.ts';
import { assertPaidUnchanged } from '../lib/posted-payments.ts';
import { scheduleTotals } from '../lib/total-ledger.ts';
import { ledgerItem } from './ledgeritem.record.ts';

export const checks = [
  defineCheck({
    on: ledgerItem,
    doc: 'A new line that an import adds names the import.',
    run(ctx, { values, id }) {
      const importFileId = currentImport(ctx);
      if (id === undefined && importFileId !== undefined) values.ImportFileID = importFileId;
    },
  }),
  defineCheck({
    on: ledgerItem,
    doc: 'The ledger below a line does not contain its own ledger, and has its currency.',
    async run(ctx, { values, id }) {
      const child = values.ChildLedgerID;
      if (typeof child !== 'number') return;
      const ledgerId = values.LedgerID ?? (id === undefined ? undefined : await ledgerOf(ctx, id));
      if (typeof ledgerId === 'number') await assertMayRollUp(ctx, ledgerId, child);
    },
  }),
];

async function ledgerOf(ctx: Parameters<typeof scheduleTotals>[0], lineId: number): Promise<number | undefined> {
  const [row] = await ctx.db.query<{ id: number }>(
    'select ledgerid as id from ledgeritem where ledgeritemid = $1::bigint',
    [lineId],
  );
  return row?.id;
}

/** Columns of a line that decide which months it belongs to. */
const monthColumns = ['PostedDate', 'LedgerID', 'ChildLedgerID'] as const;

export const guards = [
  defineGuard({
    on: ledgerItem,
    decidesBy: 'record',
    doc: 'A line that is locked or of a payment is not changed. A ledger that is locked or complete gets no lines.',
    async before(ctx, { id, columns }) {
      const ledgerId = await assertLineChanges(ctx, id, columns);
      if (ledgerId !== undefined) await scheduleTotals(ctx, ledgerId);
    },
    async beforeMany(ctx, { ids, columns }) {
      for (const ledgerId of await assertLinesChange(ctx, ids, columns)) await scheduleTotals(ctx, ledgerId);
    },
    readAhead: (ctx, { LedgerID }) => readStateAhead(ctx, LedgerID),
    async after(ctx, { id, change, columns, row }) {
      if (change === 'insert') await assertNewLineFits(ctx, row.LedgerID);
      else if (change !== 'update' || columns.has('LedgerID')) await assertLineFits(ctx, id);
    },
  }),
  defineGuard({
    on: ledgerItem,
    decidesBy: 'record',
    doc: 'No line is added, changed or deleted in a closed month, or where one in a closed month rolls it up.',
    before: (ctx, { id, ...change }) => assertLineMonthOpen(ctx, { ids: [id], ...change }),
    beforeMany: assertLineMonthOpen,
    async after(ctx, { id, ...change }) {
      if (change.change === 'update' && !monthColumns.some((name) => change.columns.has(name))) return;
      await assertLineMonthOpen(ctx, { ids: [id], ...change });
    },
  }),
  // After the first guard, which locks the ledger.
  defineGuard({
    on: ledgerItem,
    decidesBy: 'record',
    changes: ['update'],
    doc: 'A paid line keeps its amount, what the amount follows from, and its ledger until the payment is reversed.',
    before: (ctx, { id, columns }) => noteLines(ctx, [id], columns),
    beforeMany: (ctx, { ids, columns }) => noteLines(ctx, ids, columns),
    after: async (ctx, change) => assertPaidUnchanged(ctx, change),
  }),
  // After the guard above, which reads the line as it was.
  defineGuard({
    on: ledgerItem,
    decidesBy: 'record',
    changes: ['insert', 'update', 'delete'],
    doc: 'An approved time entry is not deleted and keeps what was approved; only a review approves or rejects one.',
    async before(ctx, { id, change }) {
      if (change === 'delete') await assertEntriesDeletable(ctx, [id]);
    },
    async beforeMany(ctx, { ids, change }) {
      if (change === 'delete') await assertEntriesDeletable(ctx, ids);
    },
    after: async (ctx, change) => assertReviewIntact(ctx, change),
  }),
];

export const reactions = [
  defineReaction({
    on: ledgerItem,
    after: ['insert', 'update'],
    doc: 'A ledger whose template has a CalculateMethod is totaled by it, and so are those above.',
    run: (ctx, row) => scheduleTotals(ctx, row.LedgerID),
  }),
];
