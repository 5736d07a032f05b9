import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const ledgerTemplateItem = defineRecord({
  name: 'LedgerTemplateItem',
  doc: 'A line of a ledger template, with the defaults for the lines created from it.',
  reach: 'configuration',
  collections: { LedgerTemplateID: 'Items' },
  childKey: 'LedgerTemplateItem',
  labelDoc: "The line's name.",
  labelMax: 100,
  triggers: { ledgertemplateitem_configuration: 'Notifies all processes that templates changed.' },
  fields: {
    LedgerTemplateID: required(f.id({ doc: 'The ledger template.', to: 'LedgerTemplate' })),
    ChildLedgerTemplateID: f.id({
      doc: "The ledger template for the line's details, which rolls up into it.",
      to: 'LedgerTemplate',
    }),
    Sequence: f.integer({ doc: 'Sort order of the lines.' }),
    AmountMoney: f.money({ doc: 'The amount of a new line.' }),
    Units: f.text({ doc: 'The unit that is counted.', max: 100 }),
    UnitCount: f.decimal({ doc: 'How many.' }),
    Rate: f.decimal({ doc: 'The price per unit.' }),
    IsDebit: f.boolean({ doc: 'Whether lines are debits; if empty, credits.' }),
    IsTotaled: f.boolean({ doc: 'Whether lines count in the adjusted balance.' }),
    CanExclude: f.boolean({ doc: 'Whether a line may be excluded from the total.' }),
    CanRefresh: f.boolean({ doc: 'Whether calculation refreshes a line.' }),
    ManualInsert: f.integer({ doc: 'Whether a new ledger gets the line: 0 and 2 yes, 1 only manually.' }),
    MatrixID: f.id({ doc: 'The matrix whose outputs determine the line.', to: 'Matrix' }),
  },
});
