import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const importFormTemplate = defineRecord({
  name: 'ImportFormTemplate',
  kind: { group: 'work', position: 2, icon: 'task', text: 'Tasks and their questions' },
  title: 'Task type',
  doc: 'A task type: the questions of its form, its statuses and the moves between them.',
  reach: 'configuration',
  labelDoc: "The task's name.",
  labelMax: 100,
  triggers: {
    importformtemplate_configuration: 'Notifies all processes that templates changed.',
    importformtemplate_reach: 'Propagates a change of ExtranetEnabled to existing records.',
  },
  fields: {
    ...templateFields,
    Instructions: f.text({ doc: "Instructions shown above the form's questions.", max: 10000 }),
    AssignedCollectionID: f.id({
      label: 'Assigned team',
      doc: 'The default team of its tasks, a collection of users.',
      to: 'Collection',
    }),
    SmartWorklistTemplateID: f.id({
      label: 'Queue template',
      doc: 'The queue for its tasks.',
      to: 'SmartWorklistTemplate',
    }),
  },
});
