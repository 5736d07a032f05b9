import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const process = defineRecord({
  name: 'Process',
  title: 'Case',
  derivedOnly: true,
  doc: 'A case: a foreclosure or a bankruptcy.',
  reach: 'one',
  words: ['Process'],
  labelDoc: "The firm's own case number, its Attorney Case ID.",
  labelMax: 50,
  labelIdentifies: true,
  finalStatuses: ['Closed', 'Canceled', 'Cancelled', 'Rejected'],
  collections: { LoanID: 'Processes' },
  children: [
    { name: 'Forms', record: 'ImportForm', by: 'Object' },
    { name: 'Delays', record: 'DecisionDelay', by: 'Object' },
  ],
  alsoBelow: {
    Contact:
      "(contact.object = 'Loan' and contact.objectid = any(" +
      'array(select p.loanid from process p where p.processid = any($P))))',
    Loan: 'loan.loanid = any(array(select p.loanid from process p where p.processid = any($P)))',
    Property:
      'property.propertyid = any(array(' +
      'select l.propertyid from process p join loan l on l.loanid = p.loanid where p.processid = any($P)))',
    PublicRecord: 'publicrecord.loanid = any(array(select p.loanid from process p where p.processid = any($P)))',
    Message:
      "(message.object = 'ImportForm' and message.objectid = any(array(" +
      'select i.importformid from importform i join process p on p.processid = any($P) ' +
      'where i.object = p.recordclass and i.objectid = p.processid)))',
    LedgerItem:
      'ledgeritem.ledgerid in (' +
      'select l.ledgerid from ledger l join process p on p.processid = any($P) ' +
      'where l.object = p.recordclass and l.objectid = p.processid)',
  },
  triggers: {
    process_reach_changed: 'Propagates a change of the firm to the loan and to the records below the case.',
    process_case_created: 'Notes that the summary of its case is out of date.',
    process_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    RecordClass: computed(
      f.text({ label: 'Case kind', doc: 'The concrete record type, such as Foreclosure.', max: 60, exact: true }),
    ),
    LoanID: f.id({ doc: 'The loan.', to: 'Loan' }),
    OrganizationID: f.id({
      label: 'Firm',
      doc: 'The firm that handles the case.',
      to: 'Organization',
      grantsReach: true,
    }),
    AssignedPersonID: f.id({
      label: 'Assignee',
      doc: 'The user who is responsible for the case.',
      to: 'Person',
    }),
    DateOpened: f.date({ label: 'Opened', doc: 'The day the case was opened.' }),
    DateClosed: f.date({ label: 'Closed', doc: 'The day the case was closed.' }),
    ClosedReason: f.text({ label: 'Reason for closing', doc: 'Why it was closed.', max: 255 }),
    LoanAssigned: f.boolean({
      label: 'Loan assigned',
      doc: "Whether the case's firm can see the loan, its property and borrowers.",
      default: true,
    }),
  },
});
