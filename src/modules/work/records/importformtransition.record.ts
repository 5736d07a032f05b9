import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFormTransition = defineRecord({
  name: 'ImportFormTransition',
  doc: "A move of a form's tasks from one status to another. Where a form has statuses, no other moves are possible.",
  reach: 'configuration',
  collections: { ImportFormTemplateID: 'Transitions' },
  childKey: ['ToStatus', 'FromStatus'],
  transferKey: ['ImportFormTemplateID', 'FromStatus', 'ToStatus'],
  labelDoc: 'What the move is called where people choose it; both statuses where none is sent.',
  labelMax: 255,
  triggers: { importformtransition_configuration: 'Tells every process that forms changed.' },
  fields: {
    ImportFormTemplateID: required(f.id({ doc: 'The form.', to: 'ImportFormTemplate' })),
    FromStatus: f.text({ doc: 'The status that a task leaves; empty: any, or none.', max: 100 }),
    ToStatus: required(f.text({ doc: 'The status that it gets.', max: 100 })),
    Roles: f.text({
      doc: 'The roles that may make the move, with commas between them; empty: everybody who may save the task.',
      max: 1000,
    }),
    SmartWorklistTemplateID: f.id({
      doc: 'The worklist on which the task is worked in its new status.',
      to: 'SmartWorklistTemplate',
    }),
  },
});
