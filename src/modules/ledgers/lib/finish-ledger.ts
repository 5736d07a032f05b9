/** Approving and posting ledgers, and locking their lines. */
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError, type Alert } from '../../../kernel/door/errors.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { commitOne, commitWritten } from '../../../kernel/records/save/commit-change.ts';
import { updateOf } from '../../../kernel/records/save/update-row.ts';
import type { ledger } from '../ledger/ledger.record.ts';
import { lockedLedgerAlert, mayUpdateLocked, refuseLocked } from './ledger-locks.ts';
import { lockLedgers, type Ledger } from './stored-lines.ts';

/** How a ledger ends. */
export type FinalStatus = 'Approved' | 'Posted';

/** Returns why a ledger cannot be approved or posted; undefined if it can. */
export function finishRefusal(
  ctx: Context,
  { LedgerID, IsLocked, Status }: Ledger,
  status: FinalStatus,
): Alert | undefined {
  if (IsLocked === true && !mayUpdateLocked(ctx)) return lockedLedgerAlert(LedgerID);
  if (Status?.toLowerCase() !== status.toLowerCase()) return undefined;
  return { code: 'STATE_REFUSES', text: `Ledger ${LedgerID} is already ${status}.`, id: LedgerID };
}

/**
 * Throws if a ledger cannot be posted.
 *
 * @throws LOCKED, STATE_REFUSES
 */
export function assertMayPost(ctx: Context, row: Ledger): void {
  const refusal = finishRefusal(ctx, row, 'Posted');
  if (refusal?.code === 'LOCKED') refuseLocked('ID', refusal);
  if (refusal)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: ${refusal.text}`, alerts: [refusal] });
}

/** Approves or posts a ledger: sets its status and date, and locks it and its lines. */
export async function finishLedger(ctx: Context, row: Ledger, status: FinalStatus): Promise<Ledger> {
  const now = ctx.clock.now();
  const date: Values<typeof ledger> = status === 'Approved' ? { Completed: now } : { PostedDate: now };
  await lockLedgers(ctx, [row.LedgerID]);
  await lockLines(ctx, row.LedgerID);
  const values = { Status: status, IsLocked: true, ...date };
  const record = ctx.registry.recordType('Ledger');
  return (await commitOne(ctx, await updateOf(ctx, record, { id: row.LedgerID, values }))).row;
}

/**
 * Locks the lines of a ledger. What a line takes from its template line is stored in it, so that a later change of the
 * template does not change the ledger's balance.
 */
export async function lockLines(ctx: Context, ledgerId: number): Promise<void> {
  const rows = await ctx.db.query<{ id: number }>(
    `update ledgeritem i set islocked = true, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = i.version + 1,
       isdebit = coalesce(i.isdebit,
         (select t.isdebit from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false),
       istotaled = coalesce(i.istotaled,
         (select t.istotaled from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false)
     where i.ledgerid = $1::bigint and i.islocked is not true
     returning i.ledgeritemid as id`,
    [ledgerId, ctx.clock.now(), ctx.user.personId],
  );
  await commitWritten(ctx, {
    record: ctx.registry.recordType('LedgerItem'),
    change: 'update',
    ids: rows.map(({ id }) => id),
    publishedColumns: () => ['IsLocked'],
  });
}
