import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const ledgerItem = defineRecord({
  name: 'LedgerItem',
  doc: 'One line of a ledger.',
  reach: 'one',
  collections: { LedgerID: 'Items' },
  labelDoc: 'What the line is for.',
  triggers: {
    ledgeritem_reach: "Keeps the firm that reaches the line: its ledger's.",
    ledgeritem_rollup:
      "Gives a line with a ledger below it that ledger's adjusted balance, and keeps a ledger from standing below itself.",
    ledgeritem_total: 'Re-totals the ledger of changed lines, and the line that the ledger rolls up into.',
  },
  fields: {
    LedgerID: required(f.id({ doc: 'The ledger.', to: 'Ledger' })),
    LedgerTemplateItemID: f.id({ doc: "The template's line.", to: 'LedgerTemplateItem' }),
    Sequence: f.integer({ doc: 'The order of lines.' }),
    AmountMoney: f.money({ doc: 'The amount.' }),
    AmountMoneyCountered: f.money({ doc: 'Of a payment: what is left unapplied.' }),
    AmountDecimal: f.decimal({ doc: 'An amount that is not money.' }),
    Units: f.text({ doc: 'What is counted.', max: 100 }),
    UnitCount: f.decimal({ doc: 'How many.' }),
    Rate: f.decimal({ doc: 'What one costs.' }),
    IsDebit: f.boolean({ doc: "Whether it is a debit; the template's line decides where it is empty." }),
    IsTotaled: f.boolean({
      doc: "Whether it counts in the adjusted balance; the template's line decides where it is empty.",
    }),
    IsLocked: f.boolean({ doc: 'Whether it may no longer change.' }),
    PostedDate: f.timestamp({ doc: 'When it was posted.' }),
    PaidDate: f.timestamp({ doc: 'When it was paid.' }),
    TransactionNumber: f.text({ doc: "The payment gateway's number.", max: 255, exact: true }),
    ChildLedgerID: f.id({ doc: 'The ledger that holds its details and rolls up into it.', to: 'Ledger' }),
    Description: f.text({ doc: 'More about it.', max: 4000 }),
  },
});
