import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFormStatus = defineRecord({
  name: 'ImportFormStatus',
  title: 'Task status',
  doc: 'A status that tasks of a type can have. New tasks get the first one by Sequence.',
  reach: 'configuration',
  collections: { ImportFormTemplateID: 'Statuses' },
  childKey: 'ImportFormStatus',
  labelDoc: 'The status.',
  labelMax: 100,
  triggers: { importformstatus_configuration: 'Notifies all processes that forms changed.' },
  fields: {
    ImportFormTemplateID: required(f.id({ label: 'Task type', doc: 'The form.', to: 'ImportFormTemplate' })),
    IsFinal: f.boolean({ label: 'Ends the task', doc: 'Whether a task is complete in this status.' }),
    Sequence: f.integer({ label: 'Order', doc: 'Sort order of the statuses.' }),
  },
});
