import { f } from '../../declare/field.ts';
import { defineRecord } from '../../declare/record.ts';

/** Unexpected failures. See `door/error-log.ts`. */
export const errorLog = defineRecord({
  name: 'ErrorLog',
  title: 'Error',
  doc: 'Unexpected failures, each with the correlation ID that its caller received.',
  reach: 'none',
  history: false,
  labelDoc: 'The message of the failure; values in it are masked.',
  labelMax: 2000,
  fields: {
    ErrorGUID: f.text({ label: 'Error reference', doc: 'The correlation id.', max: 64, exact: true }),
    Operation: f.text({ doc: 'The operation that failed.', max: 200 }),
    Cause: f.text({ doc: 'The chain of calls that led to it.', max: 2000 }),
    Stack: f.text({ label: 'Technical details', doc: 'The code location of the failure.', max: 8000 }),
    PersonID: f.id({ label: 'User', doc: 'Who called.', to: 'Person' }),
  },
});
