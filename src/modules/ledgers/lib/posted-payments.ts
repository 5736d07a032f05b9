/** Payments are reversed, never edited: their lines, and the lines they cover, stay as they were posted. */
import type { ColumnName } from '../../../kernel/declare/columns.ts';
import type { WrittenChange } from '../../../kernel/declare/reaction.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { PlatformError, type Alert } from '../../../kernel/door/errors.ts';
import type { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { isWritingLedger } from './ledger-writes.ts';
import { lineBefore, type LineBefore } from './lines-before.ts';
import { moneyUnits } from './money.ts';
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

/** What stays as it is on a line that a payment covers, also one of 0.00. */
const coveredColumns = ['LedgerID', 'PaidDate'] as const;

/** What decides what was paid. */
const paidValues = [
  'LedgerID',
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
] as const;

const paidColumns = [...coveredColumns, ...paidValues] as const;
type PaidColumn = (typeof paidColumns)[number];

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
 * Throws if an update has changed what was paid of a line: its amount, what the amount follows from, how it counts, or
 * the mark itself. The amount of a line with a ledger below follows that ledger, and its mark follows the amount.
 *
 * @throws STATE_REFUSES naming the payment
 */
export function assertPaidUnchanged(
  ctx: Context,
  { id, columns, row }: Pick<WrittenChange<typeof ledgerItem>, 'id' | 'columns' | 'row'>,
): void {
  if (isWritingLedger(ctx) || !paidColumns.some((name) => columns.has(name))) return;
  const before = lineBefore(ctx, id);
  if (!before) return;
  const changed = (names: readonly PaidColumn[]): PaidColumn | undefined =>
    names.find((name) => columns.has(name) && before[name] !== row[name]);
  const covered = before.paymentId === null ? undefined : changed(coveredColumns);
  if (covered !== undefined) throw refused(covered, paidText(id, before.paymentId));
  const paid = paidAmount(before) === 0n ? undefined : changed(paidValues);
  if (paid === undefined) return;
  if (before.paymentId !== null || before.PaidDate === row.PaidDate)
    throw refused(paid, paidText(id, before.paymentId));
}

/** Returns what was paid of a line, in ten-thousandths: what payments applied; all of it, if it was marked by hand. */
function paidAmount({ applied, paymentId, PaidDate, AmountMoney }: LineBefore): bigint {
  if (paymentId !== null) return moneyUnits(applied ?? '0');
  return PaidDate === null ? 0n : moneyUnits(AmountMoney ?? '0');
}

/** Whether a line is paid, so that no calculation changes it. One of 0.00 is paid by any payment. */
export function isPaid({ PaidDate, AmountMoney }: Pick<Line, 'PaidDate' | 'AmountMoney'>): boolean {
  return PaidDate !== null && moneyUnits(AmountMoney ?? '0') !== 0n;
}

/** Returns the warning of a paid line that is left alone. */
function paidAlert(id: number, paymentId: number | null): Alert {
  return { code: 'STATE_REFUSES', text: `L${paidText(id, paymentId).slice(1)}.`, id };
}

function paidText(id: number, paymentId: number | null): string {
  if (paymentId === null)
    return `line ${id} is marked as paid; clear its PaidDate in the same change, or add another line`;
  return (
    `line ${id} was paid by payment ${paymentId}; reverse it with ledger/reversepayment, or with payment/refund if a ` +
    'gateway took it, or add another line'
  );
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

/** Returns why what was paid of a line keeps it from taking values; undefined if nothing does. */
export function paidRefusal(
  line: Line,
  values: Values<typeof ledgerItem>,
  payments: ReadonlyMap<number, number>,
): Alert | undefined {
  const payment = payments.get(line.LedgerItemID);
  const isChanged = paidValues.some((name) => values[name] !== undefined && values[name] !== line[name]);
  if (!isChanged || (payment === undefined && !isPaid(line))) return undefined;
  return paidAlert(line.LedgerItemID, payment ?? null);
}

/** Returns the first payment that has applied an amount to each line and is not reversed. */
export async function coveringPayments(ctx: Context, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.query<{ id: number; payment: number }>(
    `select a.referenceledgeritemid as id, min(p.ledgeritemid) as payment from ledgeritem a
     join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
     where a.referenceledgeritemid = any($1::bigint[]) and a.paymentrole = 'Applied' and not exists (
       select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal')
     group by 1 having sum(a.amountmoney) <> 0`,
    [arrayLiteral(ids)],
  );
  return new Map(rows.map(({ id, payment }) => [id, payment]));
}

function refused(field: string, what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field, message: `${field}: ${what}.` });
}
