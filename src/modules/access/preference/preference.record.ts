import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { preferenceFields } from './lib/preference-fields.ts';

export const preference = defineRecord({
  name: 'Preference',
  doc: 'How the console looks and behaves for one user. Whoever has none has the defaults.',
  reach: 'none',
  inSummary: false,
  labelDoc: 'Not used.',
  fields: {
    PersonID: required(f.id({ label: 'User', doc: 'Whose preferences.', to: 'Person' })),
    ...preferenceFields,
  },
});
