/** Payments are reversed, never edited: their lines, and the lines they cover, stay as they were posted. */
import type { ColumnName } from '../../../kernel/declare/columns.ts';
import type { GuardedChange } from '../../../kernel/declare/reaction.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { isWritingLedger } from './ledger-writes.ts';
import type { Line } from './stored-lines.ts';

type LineColumn = ColumnName<typeof ledgerItem>;

/** Columns of a payment's line that must keep the posted values. */
const postedColumns: readonly LineColumn[] = [
  'AmountMoney',
  'AmountMoneyCountered',
  'ChildLedgerID',
  'IsDebit',
  'IsTotaled',
  'LedgerID',
  'LedgerTemplateItemID',
  'PostedDate',
  'ReferenceLedgerItemID',
];

/** Columns that must not change on a line that a payment covers. */
const coveredColumns: readonly LineColumn[] = ['LedgerID', 'PaidDate'];

/**
 * Throws if a line of a payment would be changed or deleted, even if it is unlocked. A delete has no `columns`.
 *
 * @throws STATE_REFUSES naming the operation that reverses it
 */
export function assertPostedUnchanged(id: number, role: Line['PaymentRole'], columns: ReadonlySet<string>): void {
  const posted = postedColumns.find((name) => columns.has(name));
  if (role !== null && (columns.size === 0 || posted !== undefined))
    throw refused(posted ?? 'ID', `line ${id} belongs to a payment or a reversal; undo it with ${reversedBy[role]}`);
}

/**
 * Throws if a line that a payment covers would be moved, or marked as unpaid. Its ledger is locked.
 *
 * @throws STATE_REFUSES
 */
export async function assertCoveredUnchanged(
  ctx: Context,
  { id, columns }: Pick<GuardedChange<typeof ledgerItem>, 'id' | 'columns'>,
): Promise<void> {
  const covered = coveredColumns.find((name) => columns.has(name));
  if (covered === undefined || isWritingLedger(ctx)) return;
  const payment = await coveringPayment(ctx, id);
  if (payment !== null)
    throw refused(covered, `line ${id} was paid by payment ${payment}; reverse it with ledger/reversepayment`);
}

/** How a line of each role is undone. */
const reversedBy: Readonly<Record<NonNullable<Line['PaymentRole']>, string>> = {
  Payment: 'ledger/reversepayment',
  Applied: 'ledger/reversepayment',
  Unapplied: 'ledger/reversepayment',
  Reversal: 'a new payment (ledger/applypayment)',
  Counter: 'a new line',
  Refund: 'a new payment (ledger/applypayment)',
};

/** Returns the payment that covers a line and is not reversed; null for none. */
async function coveringPayment(ctx: Context, id: number): Promise<number | null> {
  const [row] = await ctx.db.query<{ payment: number | null }>(
    `select min(p.ledgeritemid) as payment from ledgeritem a
     join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
     where a.referenceledgeritemid = $1::bigint and a.paymentrole = 'Applied' and not exists (
       select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal')`,
    [id],
  );
  return row?.payment ?? null;
}

function refused(field: string, what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field, message: `${field}: ${what}.` });
}
