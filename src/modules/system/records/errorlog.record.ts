import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const errorLog = defineRecord({
  name: 'ErrorLog',
  doc: 'Failures that were not foreseen, each with the correlation id that its caller was told.',
  reach: 'none',
  history: false,
  labelDoc: "The failure's text; values in it are masked.",
  labelMax: 2000,
  fields: {
    ErrorGUID: f.text({ doc: 'The correlation id.', max: 64, exact: true }),
    Operation: f.text({ doc: 'The operation that failed.', max: 200 }),
    Cause: f.text({ doc: 'Who called whom up to there.', max: 2000 }),
    Stack: f.text({ doc: 'Where in the code it failed.', max: 8000 }),
    PersonID: f.id({ doc: 'Who called.', to: 'Person' }),
  },
});
