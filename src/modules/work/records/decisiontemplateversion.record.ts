import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionTemplateVersion = defineRecord({
  name: 'DecisionTemplateVersion',
  doc: 'A version of a workflow template, with its author and time. A workflow follows the version it started with.',
  reach: 'none',
  history: false,
  labelDoc: "The workflow's name at that time.",
  labelMax: 100,
  fields: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow template.', to: 'DecisionTemplate' })),
    StepCount: computed(f.integer({ doc: 'Number of steps.' })),
    CallID: computed(f.text({ doc: 'The call that made the change.', max: 36, exact: true })),
  },
});
