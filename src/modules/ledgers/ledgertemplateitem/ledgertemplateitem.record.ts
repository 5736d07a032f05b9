import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const ledgerTemplateItem = defineRecord({
  name: 'LedgerTemplateItem',
  title: 'Ledger template line',
  doc: 'A line of a ledger template, with the defaults for the lines created from it.',
  reach: 'configuration',
  collections: { LedgerTemplateID: 'Items' },
  childKey: 'LedgerTemplateItem',
  labelDoc: "The line's name.",
  labelMax: 100,
  triggers: {
    ledgertemplateitem_configuration: 'Notifies all processes that templates changed.',
    ledgertemplateitem_total: 'Recalculates the ledgers whose lines have the changed defaults.',
  },
  fields: {
    LedgerTemplateID: required(f.id({ label: 'Ledger template', doc: 'The ledger template.', to: 'LedgerTemplate' })),
    ChildLedgerTemplateID: f.id({
      label: 'Ledger below',
      doc: "The ledger template for the line's details, which rolls up into it.",
      to: 'LedgerTemplate',
    }),
    Sequence: f.integer({ label: 'Order', doc: 'Sort order of the lines.' }),
    AmountMoney: f.money({ label: 'Amount', doc: 'The amount of a new line.' }),
    Units: f.text({ label: 'Unit', doc: 'The unit that is counted.', max: 100 }),
    UnitCount: f.decimal({ label: 'Units', doc: 'How many.' }),
    Rate: f.decimal({ doc: 'The price per unit.' }),
    IsDebit: f.boolean({ doc: 'Whether lines are debits; if empty, credits.' }),
    IsTotaled: f.boolean({ label: 'In the total', doc: 'Whether lines count in the adjusted balance.' }),
    Account: f.text({
      doc: 'The account against which its lines are posted, such as Income:Fees. Its own name if empty.',
      max: 255,
      exact: true,
    }),
    CanExclude: f.boolean({ label: 'May be left out', doc: 'Whether a line may be excluded from the total.' }),
    CanRefresh: f.boolean({
      label: 'May be recalculated',
      doc: 'Whether calculation refreshes a line. Only false prevents it.',
    }),
    ManualInsert: f.integer({
      label: 'Added by hand',
      doc: 'Whether a new ledger gets the line: 0, 2 and empty yes, 1 only manually.',
    }),
    MatrixID: f.id({ label: 'Decision table', doc: 'The matrix whose outputs determine the line.', to: 'Matrix' }),
  },
});
