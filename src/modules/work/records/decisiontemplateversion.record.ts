import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionTemplateVersion = defineRecord({
  name: 'DecisionTemplateVersion',
  doc: 'What a kind of workflow was from one change on, who made the change and when. A workflow goes by the version that it started with.',
  reach: 'none',
  history: false,
  labelDoc: "The workflow's name at that time.",
  labelMax: 100,
  fields: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow template.', to: 'DecisionTemplate' })),
    StepCount: computed(f.integer({ doc: 'How many steps it had.' })),
    CallID: computed(f.text({ doc: 'The call that made the change.', max: 36, exact: true })),
  },
});
