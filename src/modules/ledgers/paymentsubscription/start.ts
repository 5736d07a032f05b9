import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow, namedRowIfSent } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { ledgerCurrency } from '../ledger/settings.ts';
import { moneyUnits } from '../lib/money.ts';
import { assertNoCardNumber } from '../lib/payments/card-numbers.ts';
import { assertMethodOf } from '../lib/payments/one-time.ts';
import { startSubscription } from '../lib/payments/subscriptions/start-subscription.ts';

export const operation = defineOperation({
  module: 'paymentsubscription',
  name: 'Start',
  method: 'POST',
  summary:
    'Starts a subscription: the payment gateway charges a stored card or bank account now and at each interval. Each ' +
    'payment is added to the ledger as a line. If the gateway does not answer, the outcome is looked up later.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['PaymentMethodID', 'LedgerID'],
  reach: 'row',
  params: {
    PaymentMethodID: required(f.id({ doc: 'The stored card or bank account.', to: 'PaymentMethod' })),
    LedgerID: f.id({ doc: 'The ledger to which the payments are applied; empty for none.', to: 'Ledger' }),
    Amount: required(f.money({ doc: 'The amount of each payment, greater than 0.' })),
    Currency: f.text({ doc: "The currency, such as USD. Defaults to the ledger's.", max: 3, exact: true }),
    Every: required(f.choice(['Week', 'Month', 'Year'], { doc: 'How often it is charged.' })),
    Description: required(f.text({ doc: 'What the customer sees, for example on a card statement.', max: 200 })),
  },
  checkQueued: (_ctx, { Description }) => assertNoCardNumber({ Description }),
  transactions: 'own',
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNAVAILABLE', 'UNKNOWN_PROVIDER'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, params) => {
  const { PaymentMethodID, LedgerID, Amount, Currency, Every, Description } = params;
  if (moneyUnits(Amount) <= 0n) throw bad('Amount', 'an amount greater than 0');
  assertNoCardNumber({ Description });
  const ledger = namedRowIfSent(ctx, ctx.registry.recordType('Ledger'), 'LedgerID');
  if (ledger) assertMethodOf(namedRow(ctx, ctx.registry.recordType('PaymentMethod'), 'PaymentMethodID'), ledger);
  const currency = ledger?.Currency ?? ctx.settings.get(ledgerCurrency);
  if (Currency && Currency.toUpperCase() !== currency) throw bad('Currency', `${currency}, the currency of the ledger`);
  const row = await startSubscription(ctx, {
    methodId: PaymentMethodID,
    ledgerId: LedgerID ?? null,
    amount: Amount,
    currency,
    every: Every,
    description: Description,
  });
  return recordItem(ctx.record, row);
});
