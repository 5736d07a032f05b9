import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const loan = defineRecord({
  name: 'Loan',
  doc: "A mortgage loan, identified by its investor's number. Several firms may have cases on one loan.",
  reach: 'many',
  labelDoc: "The investor's loan number.",
  labelMax: 50,
  findBy: ['ServicerLoanID'],
  children: [{ name: 'Borrowers', record: 'Contact', by: 'Object', key: ['Sequence'] }],
  triggers: {
    loan_reach: 'Visible to the firms whose cases on it were assigned the loan.',
  },
  fields: {
    Agency: f.text({ doc: 'The investor.', max: 60 }),
    PropertyID: f.id({ doc: 'The property that secures it.', to: 'Property' }),
    ServicerLoanID: f.text({ doc: "The servicer's loan number.", max: 100 }),
    OriginalBalance: f.money({ doc: 'Original loan amount.' }),
    UPBAmount: f.money({ doc: 'Current unpaid principal balance.' }),
    LienPriorityType: f.integer({ doc: '1 first lien, 2 second.' }),
    SourceOrganizationID: f.id({
      doc: "The firm whose referral created the record. Only that firm's referrals, and staff, can change it.",
      to: 'Organization',
    }),
  },
});
