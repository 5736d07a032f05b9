import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const publicRecord = defineRecord({
  name: 'PublicRecord',
  doc: 'A recorded instrument of a loan, such as its deed of trust.',
  reach: 'many',
  collections: { LoanID: 'PublicRecords' },
  childKey: 'PublicRecord',
  labelDoc: 'What was recorded.',
  triggers: { publicrecord_reach: 'Visible to the firms of its loan.' },
  fields: {
    LoanID: f.id({ doc: 'The loan.', to: 'Loan' }),
    FilingDate: f.date({ label: 'Filed', doc: 'The day on which the instrument was dated.' }),
    RecordingDate: f.date({ label: 'Recorded', doc: 'The day on which it was recorded.' }),
  },
});
