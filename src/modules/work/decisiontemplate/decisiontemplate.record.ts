import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const decisionTemplate = defineRecord({
  name: 'DecisionTemplate',
  doc: 'A kind of workflow: steps, and which of them must be complete before which.',
  reach: 'configuration',
  labelDoc: "The workflow's name.",
  labelMax: 100,
  triggers: { decisiontemplate_configuration: 'Tells every process that templates changed.' },
  fields: {
    ...templateFields,
    ExtranetEnabled: f.choice(['Self'], {
      doc: "Always Self: a firm's users see the workflows of the cases that they reach.",
      default: 'Self',
    }),
    EnforceStartDates: f.boolean({
      doc: 'A step that is ready waits, queued, until its EstimatedStart.',
      default: false,
    }),
    EnforceDelay: f.boolean({
      doc: 'While a workflow is on hold its steps neither start nor complete.',
      default: true,
    }),
  },
});
