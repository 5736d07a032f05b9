import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const decisionTemplate = defineRecord({
  name: 'DecisionTemplate',
  kind: { group: 'work', position: 1, icon: 'workflow', text: 'Steps of a case, in order' },
  title: 'Workflow template',
  doc: 'A workflow template: steps and their dependencies.',
  reach: 'configuration',
  labelDoc: "The workflow's name.",
  labelMax: 100,
  triggers: { decisiontemplate_configuration: 'Notifies all processes that templates changed.' },
  fields: {
    ...templateFields,
    ExtranetEnabled: f.choice(['Self'], {
      label: 'Firms see it',
      valueLabels: { Self: 'When it is theirs' },
      doc: "Always Self: a firm's users see the workflows of the cases they can access.",
      default: 'Self',
    }),
    EnforceStartDates: f.boolean({
      label: 'Wait for start dates',
      doc: 'Whether a ready step waits in the job queue until its EstimatedStart.',
      default: false,
    }),
    EnforceDelay: f.boolean({
      label: 'Holds stop completion',
      doc: 'Whether the steps of a workflow on hold neither start nor complete.',
      default: true,
    }),
  },
});
