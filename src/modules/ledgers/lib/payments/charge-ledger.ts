import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { fromOf, selectListOf } from '../../../../kernel/database/sql.ts';
import { payableLines } from '../payment-lines.ts';
import type { paymentMethod } from '../../paymentmethod/paymentmethod.record.ts';
import { assertMonthOpen } from '../closed-months.ts';
import { assertMayPost, finishLedger } from '../finish-ledger.ts';
import { moneyText, moneyUnits } from '../money.ts';
import { lockLedgers, type Ledger } from '../stored-lines.ts';
import { paymentAttempt } from './attempts.ts';
import { gatewayById } from './gateways.ts';
import { gatewayCustomerOf, type Payment } from './payment-rows.ts';
import { assertAccepted, customerText, requestPayment, sendPayment, type PaymentToSend } from './send-payment.ts';

/** A stored card or bank account. */
export type PaymentMethod = Row<typeof paymentMethod>;

/** A charged ledger, with the payment; without one if nothing was owed. */
export interface ChargedLedger {
  readonly ledger: Ledger;
  readonly payment: Payment | undefined;
}

/** What a caller may say of a charge. */
export interface ChargeChoices {
  /** The payment method; by default the active one of the ledger's parent record. */
  readonly methodId?: number;
  /** The amount that the caller expects to be charged. */
  readonly expectedAmount: string | null | undefined;
}

/**
 * Charges what a ledger owes to a payment method, by default the active one of the ledger's parent record, then records
 * the payment in the ledger and posts it. A ledger that owes nothing is only posted.
 *
 * @throws LOCKED, STATE_REFUSES, PAYMENT_DECLINED, UNAVAILABLE if the outcome is not known
 */
export async function chargeLedger(ctx: Context, ledgerId: number, by: ChargeChoices): Promise<ChargedLedger> {
  const requested = await ctx.inTransaction((own) => requestCharge(own, ledgerId, by));
  const payment = requested && assertAccepted(await sendPayment(ctx, requested, 'charge'));
  const ledger = await ctx.inTransaction((own) => readRecord(own.db, own.registry.recordType('Ledger'), ledgerId));
  return { ledger, payment };
}

/** Records the payment of a ledger; posts one that owes nothing. Needs a transaction. */
async function requestCharge(
  own: Context,
  ledgerId: number,
  { methodId, expectedAmount }: ChargeChoices,
): Promise<PaymentToSend | undefined> {
  const attempt = await paymentAttempt(own);
  if ('earlier' in attempt) return attempt;
  await lockLedgers(own, [ledgerId]);
  const ledger = await readRecord(own.db, own.registry.recordType('Ledger'), ledgerId);
  assertMayPost(own, ledger);
  const owed = ledger.BalanceAdjusted ?? ledger.Balance ?? '0';
  assertExpected(ledger, owed, expectedAmount);
  if (moneyUnits(owed) <= 0n) {
    await finishLedger(own, ledger, 'Posted');
    return undefined;
  }
  const method = await activeMethod(own, ledger, methodId);
  await assertCanPay(own, ledger);
  return requestPayment(own, {
    ...attempt,
    Purpose: 'AuthorizeAndCapture',
    Object: ledger.Object,
    ObjectID: ledger.ObjectID,
    LedgerID: ledgerId,
    PaymentMethodID: method.PaymentMethodID,
    gateway: await gatewayById(own, method.PaymentProviderID),
    money: { amount: owed, currency: ledger.Currency ?? 'USD' },
    method: { vaulted: method.GatewayMethodID ?? '' },
    customer: await gatewayCustomerOf(own, method.PaymentMethodID),
    description: customerText(ledger.Ledger, `Ledger ${ledgerId}`),
  });
}

/** Throws STATE_REFUSES if a ledger owes another amount than the caller expects. */
function assertExpected(ledger: Ledger, owed: string, expected: string | null | undefined): void {
  if (expected === undefined || expected === null || moneyUnits(expected) === moneyUnits(owed)) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ExpectedAmount',
    message:
      `ExpectedAmount: ledger ${ledger.LedgerID} owes ${moneyText(moneyUnits(owed))} ${ledger.Currency ?? 'USD'} now` +
      `, not ${moneyText(moneyUnits(expected))}. Nothing was charged.`,
    details: { ExpectedAmount: expected, Amount: owed },
  });
}

/**
 * Throws unless a payment can be recorded in a ledger now: nothing is charged that could not be.
 *
 * @throws STATE_REFUSES
 */
export async function assertCanPay(own: Context, { LedgerID }: Ledger): Promise<void> {
  assertMonthOpen(own, own.clock.now());
  if ((await payableLines(own, LedgerID)).length === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'LedgerID',
      message: `LedgerID: ledger ${LedgerID} has no lines to pay.`,
    });
}

/** Returns the active method of a ledger's parent record; with an ID, that method, which must be the active one. */
async function activeMethod(own: Context, ledger: Ledger, methodId?: number): Promise<PaymentMethod> {
  const record = own.registry.recordType('PaymentMethod');
  const [method] = await own.db.query<PaymentMethod>(
    `select ${selectListOf(record)} from ${fromOf(record)}
     where paymentmethod.object = $1::text and paymentmethod.objectid = $2::bigint
       and paymentmethod.status = 'Active' and ($3::bigint is null or paymentmethod.paymentmethodid = $3::bigint)
     for share of paymentmethod`,
    [ledger.Object, ledger.ObjectID, methodId ?? null],
  );
  if (method) return method;
  const parent = ledger.Object === null ? `ledger ${ledger.LedgerID}` : `${ledger.Object} ${String(ledger.ObjectID)}`;
  const outermost = await outermostLedger(own, ledger);
  const hint = outermost === ledger.LedgerID ? '' : ` Charge ledger ${outermost}, which contains it, instead.`;
  throw new PlatformError('STATE_REFUSES', {
    field: 'PaymentMethodID',
    message: `PaymentMethodID: Invalid PaymentMethod; expected the active one of ${parent}.${hint}`,
  });
}

/** Returns the ledger that contains a ledger and is below no other; the ledger itself if it is below none. */
async function outermostLedger(own: Context, { LedgerID: id }: Ledger): Promise<number> {
  const [row] = await own.db.query<{ id: number }>(
    `with recursive above (id, depth, path) as (
       select $1::bigint, 0, array[$1::bigint]
       union all
       select p.ledgerid, a.depth + 1, a.path || p.ledgerid
       from above a
       join ledger l on l.ledgerid = a.id
       join ledger p on l.object = 'Ledger' and p.ledgerid = l.objectid
       where not p.ledgerid = any(a.path)
     )
     select id from above order by depth desc limit 1`,
    [id],
  );
  return row?.id ?? id;
}
