import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const securityLog = defineRecord({
  name: 'SecurityLog',
  title: 'Security event',
  doc: 'Security events: refused calls and sign-ins, changed keys and roles, unmasked numbers.',
  reach: 'none',
  history: false,
  labelDoc: "The event's name.",
  labelMax: 60,
  fields: {
    PersonID: f.id({ label: 'User', doc: 'The user who did it, where known.', to: 'Person' }),
    Object: f.text({ label: 'Record type', doc: 'The record type or operation concerned.', max: 60 }),
    ObjectID: f.id({ label: 'Number of the record', doc: 'The record concerned.' }),
    Address: f.text({ label: 'Network address', doc: 'The network address of the caller.', max: 60, exact: true }),
    Detail: f.text({ doc: 'Further details, never a secret.', max: 500 }),
    CorrelationID: f.text({
      label: 'Correlation ID',
      doc: 'The correlation ID of the call, as in the logs.',
      max: 64,
      exact: true,
    }),
  },
});
