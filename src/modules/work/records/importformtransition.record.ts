import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFormTransition = defineRecord({
  name: 'ImportFormTransition',
  title: 'Task transition',
  doc: 'A move of tasks from one status to another. If a task type has statuses, no other moves are possible.',
  reach: 'configuration',
  collections: { ImportFormTemplateID: 'Transitions' },
  childKey: ['ToStatus', 'FromStatus'],
  transferKey: ['ImportFormTemplateID', 'FromStatus', 'ToStatus'],
  labelDoc: 'The name that users choose; both statuses if none is sent.',
  labelMax: 255,
  triggers: { importformtransition_configuration: 'Notifies all processes that forms changed.' },
  fields: {
    ImportFormTemplateID: required(f.id({ label: 'Task type', doc: 'The form.', to: 'ImportFormTemplate' })),
    FromStatus: f.text({ label: 'From', doc: 'The status it leaves; if empty, any or none.', max: 100 }),
    ToStatus: required(f.text({ label: 'To', doc: 'The status it leads to.', max: 100 })),
    Roles: f.text({
      label: 'Allowed roles',
      names: 'Role',
      doc: 'The roles that may make the move, separated by commas. If empty, every user who may save the task.',
      max: 1000,
    }),
    SmartWorklistTemplateID: f.id({
      label: 'Queue template',
      doc: 'The queue for the task in its new status.',
      to: 'SmartWorklistTemplate',
    }),
  },
});
