import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFormStatus = defineRecord({
  name: 'ImportFormStatus',
  doc: 'A status that tasks of a type can have. New tasks get the first one by Sequence.',
  reach: 'configuration',
  collections: { ImportFormTemplateID: 'Statuses' },
  childKey: 'ImportFormStatus',
  labelDoc: 'The status.',
  labelMax: 100,
  triggers: { importformstatus_configuration: 'Notifies all processes that forms changed.' },
  fields: {
    ImportFormTemplateID: required(f.id({ doc: 'The form.', to: 'ImportFormTemplate' })),
    IsFinal: f.boolean({ doc: 'Whether a task is complete in this status.' }),
    Sequence: f.integer({ doc: 'Sort order of the statuses.' }),
  },
});
