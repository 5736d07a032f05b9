import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFormStatus = defineRecord({
  name: 'ImportFormStatus',
  doc: 'A status that the tasks of a form can have. The first one by Sequence is that of a new task.',
  reach: 'configuration',
  collections: { ImportFormTemplateID: 'Statuses' },
  childKey: 'ImportFormStatus',
  labelDoc: 'The status.',
  labelMax: 100,
  triggers: { importformstatus_configuration: 'Tells every process that forms changed.' },
  fields: {
    ImportFormTemplateID: required(f.id({ doc: 'The form.', to: 'ImportFormTemplate' })),
    IsFinal: f.boolean({ doc: 'Whether a task is complete in this status.' }),
    Sequence: f.integer({ doc: 'The order of statuses.' }),
  },
});
