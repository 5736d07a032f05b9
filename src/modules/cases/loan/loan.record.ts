import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const loan = defineRecord({
  name: 'Loan',
  doc:
    "A mortgage loan, identified by its investor's number. Several firms may have cases on one loan. What a firm " +
    'sends under the number of an existing loan is stored apart and waits for assignment.',
  reach: 'many',
  words: ['Loan', 'ServicerLoanID'],
  labelDoc: "The investor's loan number.",
  labelMax: 50,
  labelIdentifies: true,
  findBy: ['ServicerLoanID'],
  sqlFilters: {
    Identified: {
      doc: 'Loans that their number identifies: not those that wait, nor duplicates.',
      condition: 'loan.assignmentstatus is null',
    },
    ToAssign: {
      doc: 'Loans that wait for assignment, and duplicates.',
      condition: 'loan.assignmentstatus is not null',
    },
  },
  keyFilter: 'Identified',
  children: [{ name: 'Borrowers', record: 'Contact', by: 'Object', key: ['Sequence'] }],
  triggers: {
    loan_reach_payments: 'Propagates a change of its firms to its payments.',
    loan_reach: 'Visible to the firms whose cases were assigned to it; while it waits, to those of all its cases.',
    loan_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    Agency: f.text({ label: 'Investor', doc: 'The investor.', max: 60 }),
    PropertyID: f.id({ doc: 'The property that secures it.', to: 'Property' }),
    ServicerLoanID: f.text({ label: 'Loan number', doc: "The servicer's loan number.", max: 100, identifies: true }),
    OriginalBalance: f.money({ doc: 'Original loan amount.' }),
    UPBAmount: f.money({ label: 'Unpaid balance', doc: 'Current unpaid principal balance.' }),
    LienPriorityType: f.integer({ label: 'Lien position', doc: '1 first lien, 2 second.' }),
    SourceOrganizationID: f.id({
      label: 'Servicer',
      doc: "The firm that created the record. Only that firm's referrals, and staff, can change it.",
      to: 'Organization',
    }),
    AssignmentStatus: computed(
      f.choice(['Waiting', 'Duplicate'], {
        label: 'Assignment',
        doc:
          'Empty: the loan of its number. Waiting: what one firm sent under the number of another loan, until staff ' +
          'assign it. Duplicate: one of several loans with the same number from before an upgrade.',
      }),
    ),
  },
});
