import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { assertPayable } from '../lib/money.ts';
import { applyPayment } from '../lib/apply-payment.ts';

export const operation = defineOperation({
  module: 'ledger',
  name: 'ApplyPayment',
  method: 'POST',
  summary:
    'Adds a payment to a ledger, even to a locked one. The payment and the funds left from earlier ones pay unpaid ' +
    'lines that are totaled in full, by PostedDate and ID; the rest is recorded as unapplied funds. A payment whose ' +
    'TransactionNumber the ledger already has is returned and not applied again.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The ledger.' })),
    AmountMoney: required(
      f.money({ doc: 'The amount, greater than 0, in whole cents or the smallest unit of its currency.' }),
    ),
    Currency: f.text({ doc: "The currency of the amount, which must be the ledger's.", max: 3, exact: true }),
    TransactionNumber: f.text({ doc: 'What identifies the payment in its ledger.', max: 255, exact: true }),
    LedgerItem: f.text({ doc: 'The label. Defaults to the setting ApplyPaymentDefaultLabel.', max: 255 }),
    LedgerItemType: f.text({ doc: 'The type. Defaults to the setting ApplyPaymentType.', max: 100 }),
    Description: f.text({ doc: 'A description.', max: 4000 }),
    EffectiveDate: f.date({ doc: 'The day from which it counts.' }),
    Status: f.text({ doc: 'The status.', max: 100 }),
  },
  returns: 'item',
  answerName: 'LedgerItem',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'STATE_REFUSES', 'DUPLICATE_KEY', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, async (ctx, { AmountMoney, Currency, TransactionNumber, ...sent }) => {
  const ledger = namedRow(ctx, ctx.record);
  assertPayable(AmountMoney, ledger.Currency);
  if (Currency && Currency.toUpperCase() !== ledger.Currency)
    throw bad('Currency', `${ledger.Currency ?? ''}, the currency of the ledger`);
  const { ID: _ledger, ...values } = sent;
  const number = TransactionNumber?.trim() ?? '';
  const payment = await applyPayment(ctx, ledger, {
    ...values,
    amount: AmountMoney,
    transactionNumber: number === '' ? null : number,
  });
  return recordItem(ctx.registry.recordType('LedgerItem'), payment);
});
