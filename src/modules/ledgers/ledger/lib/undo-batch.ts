import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { deleteMany } from '../../../../kernel/records/save/delete-row.ts';
import { ADD_LINES } from './add-lines.ts';
import { assertNone, lockBatch } from './batch-lines.ts';

/** Most lines that are deleted at once: each is checked separately. */
const UNDONE_MAX = 5_000;

/** What an undo did. */
export interface UndoneBatch {
  readonly ImportFileID: number;
  readonly Deleted: number;
  readonly Ledgers: number;
}

/**
 * Deletes the lines of a batch, all or none.
 *
 * @throws STATE_REFUSES if one was changed, paid or reversed since, or has a ledger below it; LOCKED; TOO_LARGE
 */
export async function undoBatch(ctx: Context, importFileId: number): Promise<UndoneBatch> {
  const lines = await lockBatch(ctx, importFileId);
  if (lines.length > UNDONE_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ImportFileID',
      message: `ImportFileID: import ${importFileId} added more than ${UNDONE_MAX} lines. Call ledger/reversebatch.`,
    });
  const what = 'deleted';
  assertNone(lines, 'isPaid', { what, why: 'was paid; reverse the payment first, with ledger/reversepayment' });
  assertNone(lines, 'isReversed', { what, why: 'is reversed already' });
  assertNone(lines, 'hasLedgerBelow', { what, why: 'has a ledger below it' });
  const why = 'was changed since; delete lines one by one, or call ledger/reversebatch';
  assertNone(lines, 'isChanged', { what, why });
  if (lines.length === 0)
    ctx.alert({ code: 'STATE_REFUSES', text: `No line of import ${importFileId} is left to delete.` });
  else
    await deleteLines(
      ctx,
      importFileId,
      lines.map(({ id }) => id),
    );
  const ledgers = new Set(lines.map(({ ledgerId }) => ledgerId));
  return { ImportFileID: importFileId, Deleted: lines.length, Ledgers: ledgers.size };
}

async function deleteLines(ctx: Context, importFileId: number, ids: readonly number[]): Promise<void> {
  const deleted = await deleteMany(ctx, ctx.registry.recordType('LedgerItem'), ids);
  if (deleted.length < ids.length) throw new PlatformError('CONCURRENT_CHANGE');
  const { row } = await ctx.call('importfile/select', { ID: importFileId });
  if (row.ImportFileType === ADD_LINES) await ctx.call('importfile/update', { ID: importFileId, Status: 'Canceled' });
}
