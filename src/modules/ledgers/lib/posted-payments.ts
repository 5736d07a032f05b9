/** Payments are reversed, never edited: their lines and what they cover stay as they were posted. */
import type { ColumnName } from '../../../kernel/declare/columns.ts';
import type { GuardedChange } from '../../../kernel/declare/reaction.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { isWritingLedger } from './ledger-writes.ts';
import type { Line } from './stored-lines.ts';

type LineColumn = ColumnName<typeof ledgerItem>;

/** Columns of a line of a payment by which it would no longer be what was paid, covered or reversed. */
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

/** Columns of a line that a payment covers. */
const coveredColumns: readonly LineColumn[] = ['LedgerID', 'PaidDate'];

interface PaymentState {
  readonly role: Line['PaymentRole'];
  /** The payment that covers the line and is not reversed. */
  readonly coveredBy: number | null;
}

/**
 * Throws if a line of a payment would be changed or deleted, also one that was unlocked, or if a line that a payment
 * covers would be moved, or marked as unpaid. Its ledger is locked.
 *
 * @throws STATE_REFUSES naming what reverses it
 */
export async function assertPaymentUnchanged(
  ctx: Context,
  { id, change, columns }: Pick<GuardedChange<typeof ledgerItem>, 'id' | 'change' | 'columns'>,
): Promise<void> {
  if (isWritingLedger(ctx)) return;
  const posted = postedColumns.find((name) => columns.has(name));
  const covered = coveredColumns.find((name) => columns.has(name));
  if (change === 'update' && posted === undefined && covered === undefined) return;
  const state = await stateOf(ctx, id);
  if (!state) return;
  const { role, coveredBy } = state;
  if (role !== null && (change === 'delete' || posted !== undefined))
    throw refused(posted ?? 'ID', `line ${id} belongs to a payment or a reversal; undo it with ${reversedBy[role]}`);
  if (coveredBy !== null && covered !== undefined)
    throw refused(covered, `line ${id} is paid by payment ${coveredBy}; reverse that with ledger/reversepayment`);
}

/** What undoes a line of each role. */
const reversedBy: Readonly<Record<NonNullable<Line['PaymentRole']>, string>> = {
  Payment: 'ledger/reversepayment',
  Applied: 'ledger/reversepayment',
  Unapplied: 'ledger/reversepayment',
  Reversal: 'another payment, with ledger/applypayment',
  Counter: 'a new line',
  Refund: 'another payment, with ledger/applypayment',
};

async function stateOf(ctx: Context, id: number): Promise<PaymentState | undefined> {
  const [state] = await ctx.db.query<PaymentState>(
    `select i.paymentrole as role, (
       select min(p.ledgeritemid) from ledgeritem a
       join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
       where a.referenceledgeritemid = i.ledgeritemid and a.paymentrole = 'Applied' and not exists (
         select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal')
     ) as "coveredBy"
     from ledgeritem i where i.ledgeritemid = $1::bigint`,
    [id],
  );
  return state;
}

function refused(field: string, what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field, message: `${field}: ${what}.` });
}
