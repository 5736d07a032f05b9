import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const ledgerTemplateItem = defineRecord({
  name: 'LedgerTemplateItem',
  doc: 'A line of a kind of ledger, with what its lines have by default.',
  reach: 'configuration',
  collections: { LedgerTemplateID: 'Items' },
  childKey: 'LedgerTemplateItem',
  labelDoc: "The line's name.",
  labelMax: 100,
  triggers: { ledgertemplateitem_configuration: 'Tells every process that templates changed.' },
  fields: {
    LedgerTemplateID: required(f.id({ doc: 'The kind of ledger.', to: 'LedgerTemplate' })),
    ChildLedgerTemplateID: f.id({
      doc: "The kind of ledger that holds the line's details and rolls up into it.",
      to: 'LedgerTemplate',
    }),
    Sequence: f.integer({ doc: 'The order of lines.' }),
    AmountMoney: f.money({ doc: 'The amount of a new line.' }),
    Units: f.text({ doc: 'What is counted.', max: 100 }),
    UnitCount: f.decimal({ doc: 'How many.' }),
    Rate: f.decimal({ doc: 'What one costs.' }),
    IsDebit: f.boolean({ doc: 'Whether lines are debits; empty counts as credit.' }),
    IsTotaled: f.boolean({ doc: 'Whether lines count in the adjusted balance.' }),
    CanExclude: f.boolean({ doc: 'Whether a line may be taken out of the total.' }),
    CanRefresh: f.boolean({ doc: 'Whether calculating renews a line.' }),
    ManualInsert: f.integer({ doc: 'Whether a new ledger gets the line: 0 and 2 yes, 1 by hand only.' }),
    MatrixID: f.id({ doc: 'The matrix whose measures make the line.', to: 'Matrix' }),
  },
});
