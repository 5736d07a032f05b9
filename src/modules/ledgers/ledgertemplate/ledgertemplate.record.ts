import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const ledgerTemplate = defineRecord({
  name: 'LedgerTemplate',
  kind: { group: 'rules', position: 4, icon: 'money', text: 'Ledgers and their lines' },
  doc: 'A kind of ledger and the lines that it has.',
  reach: 'configuration',
  labelDoc: "The ledger's name.",
  labelMax: 100,
  triggers: {
    ledgertemplate_configuration: 'Notifies all processes that templates changed.',
    ledgertemplate_total: 'Recalculates its ledgers when they are totaled in another way.',
    ledgertemplate_reach: 'Propagates a change of ExtranetEnabled to existing records.',
  },
  fields: {
    ...templateFields,
    Currency: f.text({
      doc: 'The currency of its ledgers, such as USD. If empty, that of the setting LedgerCurrency.',
      max: 3,
      exact: true,
    }),
    RefreshOnInsert: f.boolean({
      label: 'Calculate when created',
      doc: 'Whether a new ledger is calculated before it is returned.',
    }),
    CalculateMethod: f.staff({
      label: 'Calculated by',
      doc: 'The method signature that returns Balance and BalanceAdjusted.',
      max: 2000,
      exact: true,
    }),
    ProjectMethod: f.staff({
      label: 'Projected by',
      doc: 'The method signature that returns projected lines.',
      max: 2000,
      exact: true,
    }),
    InvoiceTemplateID: f.id({
      label: 'Invoice document type',
      doc: 'The document type of the invoice.',
      to: 'AttachmentTemplate',
    }),
    InvoiceMatrixID: f.id({ label: 'Invoice decision table', doc: 'The matrix that picks the invoice.', to: 'Matrix' }),
  },
});
