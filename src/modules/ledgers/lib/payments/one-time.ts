/** Payments of a chosen amount, with a stored method or with one that is used once. */
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { assertGatewayId } from '../../../../contracts/payment-validation.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import type { Parsed } from '../../../../kernel/declare/field-types.ts';
import { ledgerCurrency } from '../../ledger/settings.ts';
import { lockLedgers, type Ledger } from '../stored-lines.ts';
import { paymentAttempt } from './attempts.ts';
import { assertNoCardNumber } from './card-numbers.ts';
import { assertCanPay, type PaymentMethod } from './charge-ledger.ts';
import { gatewayById, gatewayByName } from './gateways.ts';
import { gatewayCustomerOf } from './payment-rows.ts';
import { customerText, requestPayment, type PaymentOrder, type PaymentToSend } from './send-payment.ts';

/** Parameters of payments of a chosen amount. */
export const oneTimeParams = {
  Amount: required(f.money({ doc: 'The amount, greater than 0.' })),
  Currency: f.text({
    doc: "The currency, such as USD. Defaults to the ledger's, then to the setting LedgerCurrency.",
    max: 3,
    exact: true,
  }),
  Description: f.personal({ doc: 'What the customer sees.', max: 200 }),
  PaymentMethodID: f.id({ doc: 'A stored card or bank account.', to: 'PaymentMethod' }),
  Token: f.secret({
    doc: "Instead of PaymentMethodID: a token from the gateway's form. Never a card number.",
    max: 255,
  }),
  Provider: f.text({
    doc: 'The name of the payment gateway that issued the token. Defaults to the first one.',
    max: 100,
  }),
  LedgerID: f.id({ doc: 'The ledger to which it is applied.', to: 'Ledger' }),
  Object: f.text({ doc: 'Without a ledger: the type of the record that the payment is for.', max: 60, exact: true }),
  ObjectID: f.id({ doc: 'The record that it pays for.' }),
};

/** The parsed {@link oneTimeParams}. */
type OneTime = Parsed<typeof oneTimeParams>;

/** Throws BAD_PARAMETER for a card number: before it is sent anywhere, and before the call is queued. */
export function assertNoCardSent({ Description, Token, Provider }: Partial<OneTime>): void {
  assertNoCardNumber({ Description, Provider });
  if (Token) assertGatewayId('Token', Token);
}

/**
 * Throws unless a method is that of the record which a payment is for: nobody pays for another record.
 *
 * @throws STATE_REFUSES
 */
export function assertMethodOf(
  method: PaymentMethod,
  record: { readonly Object?: string | null; readonly ObjectID?: number | null },
): void {
  const isOwn = method.Object?.toLowerCase() === record.Object?.toLowerCase() && method.ObjectID === record.ObjectID;
  if (isOwn) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'PaymentMethodID',
    message:
      `PaymentMethodID: payment method ${method.PaymentMethodID} pays for another record; expected one of ` +
      `${record.Object ?? 'no record'} ${record.ObjectID ?? ''}`.trim() +
      '.',
  });
}

/**
 * Records a payment of a chosen amount. Needs a transaction.
 *
 * @throws STATE_REFUSES, BAD_PARAMETER, MISSING_PARAMETER, UNKNOWN_PROVIDER
 */
export async function requestOneTime(
  own: Context,
  sent: OneTime,
  purpose: 'Authorize' | 'Charge',
): Promise<PaymentToSend> {
  assertNoCardSent(sent);
  const attempt = await paymentAttempt(own);
  if ('earlier' in attempt) return attempt;
  return requestPayment(own, await orderOf(own, sent, { ...attempt, Purpose: purpose }));
}

async function orderOf(
  own: Context,
  sent: OneTime,
  requested: Pick<PaymentOrder, 'key' | 'Purpose'>,
): Promise<PaymentOrder> {
  const ledger = await payableLedger(own, sent);
  const method = await sendableMethod(own, sent);
  if (method) assertMethodOf(method, ledger ?? (sent.ObjectID ? sent : method));
  const currency = currencyOf(own, sent, ledger);
  return {
    ...requested,
    ...subjectOf(sent, ledger, method),
    LedgerID: sent.LedgerID ?? null,
    PaymentMethodID: sent.PaymentMethodID ?? null,
    gateway: await (method ? gatewayById(own, method.PaymentProviderID) : gatewayByName(own, sent.Provider ?? null)),
    money: { amount: sent.Amount, currency },
    method: method ? { vaulted: method.GatewayMethodID ?? '' } : { token: sent.Token ?? '' },
    customer: await gatewayCustomerOf(own, sent.PaymentMethodID ?? null),
    description: customerText(sent.Description ?? ledger?.Ledger ?? null, 'Payment'),
  };
}

function currencyOf(own: Context, { Currency }: OneTime, ledger: Ledger | undefined): string {
  const currency = (Currency ?? ledger?.Currency ?? own.settings.get(ledgerCurrency)).toUpperCase();
  if (ledger && currency !== ledger.Currency)
    throw bad('Currency', `${ledger.Currency ?? ''}, the currency of the ledger`);
  return currency;
}

/** Returns the record that is paid for: the ledger's, else the one that was sent, else the method's. */
function subjectOf(
  sent: OneTime,
  ledger: Ledger | undefined,
  method: PaymentMethod | undefined,
): { readonly Object: string | null; readonly ObjectID: number | null } {
  const { Object, ObjectID } = ledger ?? (sent.ObjectID ? sent : (method ?? sent));
  return { Object: Object ?? null, ObjectID: ObjectID ?? null };
}

/** Returns the ledger that is paid, locked; undefined for none. */
async function payableLedger(own: Context, { LedgerID }: OneTime): Promise<Ledger | undefined> {
  if (!LedgerID) return undefined;
  await lockLedgers(own, [LedgerID]);
  const ledger = await readRecord(own.db, own.registry.recordType('Ledger'), LedgerID);
  await assertCanPay(own, ledger);
  return ledger;
}

/** Returns the stored method; undefined for a token. */
async function sendableMethod(own: Context, { PaymentMethodID, Token }: OneTime): Promise<PaymentMethod | undefined> {
  const token = Token?.trim() ?? '';
  if (PaymentMethodID && token !== '') throw bad('Token', 'either a token or a PaymentMethodID, not both');
  if (!PaymentMethodID) {
    if (token === '')
      throw new PlatformError('MISSING_PARAMETER', {
        field: 'PaymentMethodID',
        message: 'PaymentMethodID: expected a stored card or bank account, or a Token.',
      });
    return undefined;
  }
  const method = await readRecord(own.db, own.registry.recordType('PaymentMethod'), PaymentMethodID);
  if (method.Status !== 'Active' && method.Status !== 'Inactive')
    throw new PlatformError('STATE_REFUSES', {
      field: 'PaymentMethodID',
      message: `PaymentMethodID: payment method ${PaymentMethodID} is ${String(method.Status)}.`,
    });
  return method;
}
