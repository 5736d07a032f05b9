import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const importFormTemplate = defineRecord({
  name: 'ImportFormTemplate',
  doc: 'A kind of task: a tracked step with a form, whose questions, statuses and moves between statuses stand below it.',
  reach: 'configuration',
  labelDoc: "The task's name.",
  labelMax: 100,
  triggers: {
    importformtemplate_configuration: 'Tells every process that templates changed.',
    importformtemplate_reach: 'Hands a change of ExtranetEnabled on to the instances that there are.',
  },
  fields: {
    ...templateFields,
    Instructions: f.text({ doc: "What people are told above the form's questions.", max: 10000 }),
    AssignedCollectionID: f.id({
      doc: 'The team that its tasks go to: a collection of persons. A new task that names none is given this one.',
      to: 'Collection',
    }),
    SmartWorklistTemplateID: f.id({ doc: 'The worklist on which its tasks are worked.', to: 'SmartWorklistTemplate' }),
  },
});
