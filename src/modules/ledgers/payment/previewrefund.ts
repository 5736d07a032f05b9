import { list } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { moneyText, moneyUnits } from '../lib/money.ts';
import { previewRefund } from '../lib/payments/refunds/preview-refund.ts';
import { refundAmount } from '../lib/payments/refunds/refund-payment.ts';

const rows = {
  Outcome: required(
    f.choice(['Refunded', 'Unpaid', 'Funds', 'Owed'], {
      doc:
        'Refunded: the amount that the customer gets. Unpaid: a line that the payment covered and that is unpaid ' +
        'again. Funds: the amount taken from unapplied funds. Owed: the amount of a new line, which is owed again.',
      valueLabels: { Unpaid: 'Unpaid again', Funds: 'From unapplied funds', Owed: 'Owed again' },
    }),
  ),
  LedgerItemID: f.id({ doc: 'The line that is unpaid again.', to: 'LedgerItem' }),
  LedgerItem: f.text({ label: 'Line', doc: 'What the line is for.' }),
  AmountMoney: required(f.money({ label: 'Amount', doc: 'The amount.' })),
};

export const operation = defineOperation({
  module: 'payment',
  name: 'PreviewRefund',
  method: 'GET',
  summary:
    'Returns what Refund would do with an amount now, without storing or sending anything: the lines that would be ' +
    'unpaid again, the amount taken from unapplied funds, and the amount owed again.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'PaymentRefund',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The payment.' })),
    Amount: f.money({ doc: 'The amount to refund. Defaults to everything not refunded yet.' }),
  },
  returns: 'list',
  answerName: 'RefundPreview',
  rows,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: 'LED-11',
});

export const run = handle(operation, async (ctx, { ID, Amount }) => {
  const payment = namedRow(ctx, ctx.record);
  if (payment.Status !== 'Captured')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: payment ${ID} is ${String(payment.Status)}; expected one that is Captured.`,
    });
  const amount = await refundAmount(ctx, payment, Amount ?? undefined);
  const row = (outcome: string, money: string, of?: { readonly id: number | null; readonly label: string | null }) => ({
    Outcome: outcome,
    LedgerItemID: of?.id ?? null,
    LedgerItem: of?.label ?? null,
    AmountMoney: money,
  });
  const refunded = row('Refunded', moneyText(moneyUnits(amount)));
  const { LedgerItemID: lineId } = payment;
  if (lineId === null) return list('RefundPreview', rows, [refunded]);
  const captured = payment.CapturedAmount ?? '0';
  const { covered, fromFunds, owed } = await previewRefund(ctx, lineId, { amount, captured });
  return list('RefundPreview', rows, [
    refunded,
    ...covered.map((part) =>
      row('Unpaid', part.AmountMoney ?? '0', { id: part.ReferenceLedgerItemID, label: part.Description }),
    ),
    ...(fromFunds > 0n ? [row('Funds', moneyText(fromFunds))] : []),
    ...(owed > 0n ? [row('Owed', moneyText(owed))] : []),
  ]);
});
