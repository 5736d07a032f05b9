import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { moneyUnits } from '../../lib/money.ts';
import { linesOf, lockLedgers, type Line } from '../../lib/stored-lines.ts';
import {
  addPayment,
  excessOfPayment,
  partsOf,
  setUnpaid,
  unappliedFunds,
  type PaymentPart,
} from '../../lib/payment-lines.ts';

/** The label and type of the lines that offset payments. */
const REVERSAL = 'Payment Reversal';

/**
 * Reverses a payment: adds a debit of its amount with the lines that it has below it, and makes the lines that it
 * covered unpaid. Nothing is deleted. A payment that is reversed already keeps its only reversal, which is returned.
 *
 * @throws STATE_REFUSES if the line is no payment, or if a later payment has used the funds that it left
 */
export async function reversePayment(ctx: Context, paymentId: number, reason: string | null): Promise<Line> {
  const record = ctx.registry.recordType('LedgerItem');
  const { LedgerID } = await readRecord(ctx.db, record, paymentId);
  await lockLedgers(ctx, [LedgerID]);
  const payment = await lockRecord(ctx, record, paymentId);
  assertPayment(payment);
  const known = await findReversal(ctx, payment);
  if (known) {
    ctx.alert({ code: 'STATE_REFUSES', text: `Payment ${paymentId} is already reversed.`, id: paymentId });
    return known;
  }
  const parts = await reversibleParts(ctx, payment);
  const ledger = await readRecord(ctx.db, ctx.registry.recordType('Ledger'), LedgerID);
  const reversal = await addPayment(
    ctx,
    ledger,
    {
      LedgerItem: REVERSAL,
      LedgerItemType: REVERSAL,
      AmountMoney: payment.AmountMoney,
      Description: reason,
      IsDebit: true,
      PaymentRole: 'Reversal',
      ReferenceLedgerItemID: paymentId,
    },
    parts.map(reversedPart),
  );
  const covered = parts.filter(({ PaymentRole }) => PaymentRole === 'Applied');
  await setUnpaid(
    ctx,
    LedgerID,
    covered.flatMap(({ ReferenceLedgerItemID: id }) => (id === null ? [] : [id])),
  );
  return reversal;
}

/**
 * Returns the lines below a payment that its reversal offsets.
 *
 * @throws STATE_REFUSES if the line is no payment, if a part was paid back, or if a later payment has used the funds
 *   that it left
 */
export async function reversibleParts(ctx: Context, payment: Line): Promise<readonly Line[]> {
  assertPayment(payment);
  await assertNotRefunded(ctx, payment);
  const parts = await partsOf(ctx, payment);
  await assertFundsLeft(ctx, payment, parts);
  return parts;
}

function assertPayment({ LedgerItemID: id, PaymentRole }: Line): void {
  if (PaymentRole !== 'Payment')
    throw refused(`line ${id} is not a payment; expected one that ledger/applypayment added`);
}

function reversedPart(part: Line): PaymentPart {
  return {
    label: part.LedgerItem ?? '',
    type: part.LedgerItemType ?? '',
    role: part.PaymentRole === 'Applied' ? 'Applied' : 'Unapplied',
    amount: part.AmountMoney ?? '0',
    reference: part.ReferenceLedgerItemID,
    description: part.Description,
  };
}

/** Throws if the payment was partly refunded: only the rest could be reversed. */
async function assertNotRefunded(ctx: Context, { LedgerID, LedgerItemID }: Line): Promise<void> {
  const [refund] = await linesOf(
    ctx,
    LedgerID,
    `ledgeritem.paymentrole = 'Refund' and ledgeritem.referenceledgeritemid = ${LedgerItemID}`,
  );
  if (refund)
    throw refused(
      `payment ${LedgerItemID} was partly refunded by line ${refund.LedgerItemID}, so it cannot be reversed`,
    );
}

async function findReversal(ctx: Context, { LedgerID, LedgerItemID }: Line): Promise<Line | undefined> {
  const [reversal] = await linesOf(
    ctx,
    LedgerID,
    `ledgeritem.paymentrole = 'Reversal' and ledgeritem.referenceledgeritemid = ${LedgerItemID}`,
  );
  return reversal;
}

/**
 * Throws if the funds that the payment left are no longer there, because a later payment covered lines with them: what
 * it left unapplied, and what it applied to lines whose amount has fallen since.
 */
async function assertFundsLeft(ctx: Context, payment: Line, parts: readonly Line[]): Promise<void> {
  const own = parts
    .filter(({ PaymentRole }) => PaymentRole === 'Unapplied')
    .reduce((sum, { AmountMoney }) => sum + moneyUnits(AmountMoney ?? '0'), 0n);
  const released = own + (await excessOfPayment(ctx, payment));
  if (released <= 0n || (await unappliedFunds(ctx, payment.LedgerID)) >= released) return;
  throw refused(
    `a later payment used the unapplied funds of payment ${payment.LedgerItemID}; reverse the later one first`,
  );
}

function refused(what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'LedgerItemID', message: `LedgerItemID: ${what}.` });
}
