import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { assertPayable, moneyText } from '../lib/money.ts';
import { knownPayment, planForLedger } from '../lib/apply-payment.ts';

/** Most lines that are returned of those that the payment would not cover. */
const UNCOVERED_MAX = 20;

const rows = {
  Outcome: required(
    f.choice(['EarlierFunds', 'Covered', 'NotCovered', 'Unapplied'], {
      doc:
        'EarlierFunds: left by earlier payments. Covered: a line that would be paid. NotCovered: one that would not. ' +
        'Unapplied: what would be left.',
      valueLabels: { EarlierFunds: 'Earlier funds', NotCovered: 'Not covered' },
    }),
  ),
  LedgerItemID: f.id({ doc: 'The line; empty for funds.', to: 'LedgerItem' }),
  LedgerItem: f.text({ label: 'Line', doc: 'What the line is for.' }),
  AmountMoney: required(f.money({ label: 'Amount', doc: 'The amount of the line or of the funds.' })),
};

export const operation = defineOperation({
  module: 'ledger',
  name: 'PreviewPayment',
  method: 'GET',
  summary:
    'Returns what ApplyPayment would do with an amount now, without storing anything: the funds that earlier ' +
    'payments left, the lines that would be paid, the next that would not, and what would be left. If a payment of ' +
    'the same amount already has the TransactionNumber, returns no lines, and a warning names that payment.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'LedgerApplyPayment',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The ledger.' })),
    AmountMoney: required(
      f.money({ doc: 'The amount, greater than 0, in whole cents or the smallest unit of its currency.' }),
    ),
    TransactionNumber: f.text({ doc: 'What identifies the payment in its ledger.', max: 255, exact: true }),
  },
  returns: 'list',
  answerName: 'PaymentPreview',
  rows,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'STATE_REFUSES', 'DUPLICATE_KEY'],
  source: 'LED-08',
});

export const run = handle(operation, async (ctx, { ID, AmountMoney, TransactionNumber }) => {
  assertPayable(AmountMoney, namedRow(ctx, ctx.record).Currency);
  const number = TransactionNumber?.trim() ?? '';
  const known = await knownPayment(ctx, ID, { amount: AmountMoney, transactionNumber: number === '' ? null : number });
  if (known) return list('PaymentPreview', rows, []);
  const { earlier, covered, unapplied, lines } = await planForLedger(ctx, ID, { amount: AmountMoney });
  const row = (outcome: string, units: bigint, of?: { readonly id: number; readonly label: string | null }) => ({
    Outcome: outcome,
    LedgerItemID: of?.id ?? null,
    LedgerItem: of?.label ?? null,
    AmountMoney: moneyText(units),
  });
  return list('PaymentPreview', rows, [
    ...(earlier === 0n ? [] : [row('EarlierFunds', earlier)]),
    ...covered.map((line) => row('Covered', line.amount, line)),
    ...lines.slice(covered.length, covered.length + UNCOVERED_MAX).map((line) => row('NotCovered', line.amount, line)),
    row('Unapplied', unapplied),
  ]);
});
