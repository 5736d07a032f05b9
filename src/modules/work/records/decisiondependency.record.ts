import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionDependency = defineRecord({
  name: 'DecisionDependency',
  title: 'Step dependency',
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
    DecisionTemplateID: required(f.id({ label: 'Workflow template', doc: 'The workflow.', to: 'DecisionTemplate' })),
    DecisionStepTemplate: f.text({ label: 'Step', doc: 'The name of the waiting step; or send its ID.', max: 100 }),
    DecisionStepTemplateID: f.id({
      label: 'Step, record number',
      doc: 'The waiting step.',
      to: 'DecisionStepTemplate',
    }),
    DependencyStepTemplate: f.text({
      label: 'Waits for',
      doc: 'The name of the step it waits for; or send its ID.',
      max: 100,
    }),
    DependencyStepTemplateID: f.id({
      label: 'Waits for, record number',
      doc: 'The step it waits for.',
      to: 'DecisionStepTemplate',
    }),
    IsTrue: f.boolean({
      label: 'With result',
      doc: 'The result that the other step must have. If empty, any; a polling step satisfies both.',
    }),
    GroupNumber: f.integer({
      label: 'Alternative group',
      doc: 'The group. One dependency per group is enough.',
      default: 0,
    }),
  },
});
