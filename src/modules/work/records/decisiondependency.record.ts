import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionDependency = defineRecord({
  name: 'DecisionDependency',
  doc: 'Says that a step of a kind of workflow waits for another. Of the dependencies of one group one is enough; every group must have one.',
  reach: 'configuration',
  collections: { DecisionTemplateID: 'Dependencies' },
  childKey: ['DecisionStepTemplate', 'DependencyStepTemplate', 'GroupNumber'],
  transferKey: ['DecisionTemplateID', 'DecisionStepTemplate', 'DependencyStepTemplate', 'GroupNumber'],
  labelMax: 100,
  triggers: {
    decisiondependency_configuration: 'Tells every process that templates changed.',
    decisiondependency_unsubscribe:
      'Takes away the outside identifiers of dependencies that go, also with their steps.',
  },
  fields: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow.', to: 'DecisionTemplate' })),
    DecisionStepTemplate: f.text({ doc: 'The name of the step that waits; its id can be sent instead.', max: 100 }),
    DecisionStepTemplateID: f.id({ doc: 'The step that waits.', to: 'DecisionStepTemplate' }),
    DependencyStepTemplate: f.text({
      doc: 'The name of the step that it waits for; its id can be sent instead.',
      max: 100,
    }),
    DependencyStepTemplateID: f.id({ doc: 'The step that it waits for.', to: 'DecisionStepTemplate' }),
    IsTrue: f.boolean({
      doc: 'The result that the other step must have completed with; any where it is empty, and of a polling step always.',
    }),
    GroupNumber: f.integer({ doc: 'The group: one dependency of it is enough.', default: 0 }),
  },
});
