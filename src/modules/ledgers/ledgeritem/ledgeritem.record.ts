import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const ledgerItem = defineRecord({
  name: 'LedgerItem',
  title: 'Ledger line',
  doc: 'A debit or credit in a ledger.',
  reach: 'one',
  combinedBy: 'LedgerID',
  collections: { LedgerID: 'Items' },
  labelDoc: 'What the line is for.',
  triggers: {
    ledgeritem_reach: 'Sets the firm that can access a new line, from its ledger.',
    ledgeritem_reach_update: 'Sets the firm that can access a moved line, from its ledger.',
    ledgeritem_rollup:
      "Sets a line with a child ledger to that ledger's adjusted balance, and prevents cycles of ledgers.",
    ledgeritem_total: 'Recalculates the ledger of changed lines, and the line that the ledger rolls up into.',
  },
  fields: {
    LedgerID: required(f.id({ doc: 'The ledger.', to: 'Ledger' })),
    LedgerTemplateItemID: f.id({
      label: 'Ledger template line',
      doc: 'The line of the template.',
      to: 'LedgerTemplateItem',
    }),
    Sequence: f.integer({ label: 'Order', doc: 'Sort order of the lines.' }),
    AmountMoney: f.money({ label: 'Amount', doc: 'The amount.' }),
    AmountMoneyCountered: f.money({
      label: 'Unapplied funds',
      doc: 'The part of a payment, and of unapplied funds before it, that covered no line.',
    }),
    AmountDecimal: f.decimal({ label: 'Quantity', doc: 'A non-monetary amount.' }),
    Units: f.text({ label: 'Unit', doc: 'The unit that is counted.', max: 100 }),
    UnitCount: f.decimal({ label: 'Units', doc: 'How many.' }),
    Rate: f.decimal({ doc: 'The price per unit.' }),
    IsDebit: f.boolean({ label: 'Debit', doc: "Whether it is a debit. Defaults to the template line's value." }),
    IsTotaled: f.boolean({
      label: 'In the total',
      doc: "Whether it counts in the adjusted balance. Defaults to the template line's value.",
    }),
    IsLocked: f.boolean({ doc: 'Whether it is locked against changes.' }),
    EffectiveDate: f.date({
      label: 'Effective',
      doc: 'The day from which it counts, such as the first of a per diem or the day of a time entry.',
    }),
    PersonID: f.id({
      label: 'Timekeeper',
      doc: 'The user whose time the line records. A line with a timekeeper is a time entry.',
      to: 'Person',
    }),
    ReviewPersonID: computed(
      f.id({ label: 'Reviewed by', doc: 'The user who approved or rejected it last.', to: 'Person' }),
    ),
    ReviewDate: computed(f.timestamp({ label: 'Reviewed', doc: 'When it was approved or rejected last.' })),
    ReviewReason: computed(f.text({ doc: 'Why it was approved or rejected.', max: 1000 })),
    PostedDate: f.timestamp({ label: 'Posted', doc: 'When it was posted.' }),
    PaidDate: f.timestamp({ label: 'Paid', doc: 'When it was paid.' }),
    TransactionNumber: f.text({ doc: "The payment gateway's transaction number.", max: 255, exact: true }),
    ChildLedgerID: f.id({ doc: 'The ledger with its details, which rolls up into it.', to: 'Ledger' }),
    ReferenceLedgerItemID: f.id({
      label: 'For line',
      doc: 'The line that it pays, or the payment or line that it reverses.',
      to: 'LedgerItem',
    }),
    PaymentRole: computed(
      f.choice(['Payment', 'Applied', 'Unapplied', 'Reversal', 'Counter', 'Refund'], {
        label: 'Role',
        doc:
          'The role of the line in a payment; Counter: the offsetting line of an imported line; empty for all other ' +
          'lines.',
        valueLabels: { Counter: 'Offsetting line' },
      }),
    ),
    ImportFileID: computed(
      f.id({ label: 'Imported by', doc: 'The import that added the line: its batch.', to: 'ImportFile' }),
    ),
    Description: f.text({ doc: 'A description.', max: 4000 }),
  },
});
