import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionDependency = defineRecord({
  name: 'DecisionDependency',
  doc:
    'A dependency of a workflow template: a step waits for another. One dependency per group is enough; ' +
    'every group must be satisfied.',
  reach: 'configuration',
  collections: { DecisionTemplateID: 'Dependencies' },
  childKey: ['DecisionStepTemplate', 'DependencyStepTemplate', 'GroupNumber'],
  transferKey: ['DecisionTemplateID', 'DecisionStepTemplate', 'DependencyStepTemplate', 'GroupNumber'],
  labelMax: 100,
  triggers: {
    decisiondependency_configuration: 'Notifies all processes that templates changed.',
    decisiondependency_unsubscribe:
      'Deletes the external IDs of deleted dependencies, also when their step is deleted.',
  },
  fields: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow.', to: 'DecisionTemplate' })),
    DecisionStepTemplate: f.text({ doc: 'The name of the waiting step; or send its ID.', max: 100 }),
    DecisionStepTemplateID: f.id({ doc: 'The waiting step.', to: 'DecisionStepTemplate' }),
    DependencyStepTemplate: f.text({
      doc: 'The name of the step it waits for; or send its ID.',
      max: 100,
    }),
    DependencyStepTemplateID: f.id({ doc: 'The step it waits for.', to: 'DecisionStepTemplate' }),
    IsTrue: f.boolean({
      doc: 'The result that the other step must have. If empty, any; a polling step satisfies both.',
    }),
    GroupNumber: f.integer({ doc: 'The group. One dependency per group is enough.', default: 0 }),
  },
});
