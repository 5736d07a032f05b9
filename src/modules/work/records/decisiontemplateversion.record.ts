import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionTemplateVersion = defineRecord({
  name: 'DecisionTemplateVersion',
  title: 'Workflow template version',
  doc: 'A version of a workflow template, with its author and time. A workflow follows the version it started with.',
  reach: 'none',
  history: false,
  labelDoc: "The workflow's name at that time.",
  labelMax: 100,
  fields: {
    DecisionTemplateID: required(
      f.id({ label: 'Workflow template', doc: 'The workflow template.', to: 'DecisionTemplate' }),
    ),
    StepCount: computed(f.integer({ label: 'Steps', doc: 'Number of steps.' })),
    CallID: computed(
      f.text({ label: 'Reference of the change', doc: 'The call that made the change.', max: 36, exact: true }),
    ),
  },
});
