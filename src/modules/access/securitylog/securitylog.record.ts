import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const securityLog = defineRecord({
  name: 'SecurityLog',
  doc: 'What happened to access: refused calls and sign-ins, keys and roles changed, numbers unmasked.',
  reach: 'none',
  history: false,
  labelDoc: "The event's name.",
  labelMax: 60,
  fields: {
    PersonID: f.id({ doc: 'Who did it, where that is known.', to: 'Person' }),
    Object: f.text({ doc: 'The record type or operation concerned.', max: 60 }),
    ObjectID: f.id({ doc: 'The record concerned.' }),
    Address: f.text({ doc: 'The network address of the caller.', max: 60, exact: true }),
    Detail: f.text({ doc: 'What else is known, never a secret.', max: 500 }),
    CorrelationID: f.text({ doc: 'Finds the call in the logs.', max: 64, exact: true }),
  },
});
