import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const ledgerTemplate = defineRecord({
  name: 'LedgerTemplate',
  doc: 'A kind of ledger.',
  reach: 'configuration',
  labelDoc: "The ledger's name.",
  labelMax: 100,
  triggers: {
    ledgertemplate_configuration: 'Tells every process that templates changed.',
    ledgertemplate_reach: 'Hands a change of ExtranetEnabled on to the instances that there are.',
  },
  fields: {
    ...templateFields,
    RefreshOnInsert: f.boolean({ doc: 'Whether a new ledger is calculated before it is answered.' }),
    CalculateMethod: f.text({
      doc: 'The method signature that answers Balance and BalanceAdjusted.',
      max: 2000,
      exact: true,
    }),
    ProjectMethod: f.text({ doc: 'The method signature that answers projected lines.', max: 2000, exact: true }),
    InvoiceTemplateID: f.id({ doc: 'The document that is the invoice.', to: 'AttachmentTemplate' }),
    InvoiceMatrixID: f.id({ doc: 'The matrix that picks the invoice.', to: 'Matrix' }),
  },
});
