import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

/** Most characters of names and of texts that other records supply. */
const TEXT_MAX = 255;

/** The platform keeps it current: triggers note which cases changed, and casesummary/refresh reads those again. */
export const caseSummary = defineRecord({
  name: 'CaseSummary',
  title: 'Case',
  titlePlural: 'Cases',
  doc: 'A case as lists show it: its borrowers, property, stage, hold and next task in one row.',
  // A firm sees only some of the tasks, holds and loans from which a row is made. Its lists show the cases themselves.
  reach: 'none',
  staffReports: true,
  history: false,
  labelDoc: 'The case number.',
  labelMax: 50,
  sqlFilters: {
    Open: { doc: 'Cases that are not closed.', condition: 'casesummary.isopen' },
    SaleSoon: {
      doc: 'Open cases whose sale is scheduled within 30 days.',
      condition: '(casesummary.isopen and casesummary.scheduledsaledate between current_date and current_date + 30)',
    },
    Late: {
      doc: 'Open cases that are in their stage longer than its target.',
      condition: '(casesummary.isopen and casesummary.stagetarget < current_date)',
    },
  },
  fields: {
    ProcessID: computed(f.id({ label: 'Case record', doc: 'The case.', to: 'Process' })),
    RecordClass: computed(
      f.choice(['Foreclosure', 'Bankruptcy'], { label: 'Case kind', doc: 'What kind of case it is.' }),
    ),
    IsOpen: computed(
      f.boolean({ label: 'Open', doc: 'Whether the case is open: it has neither a closing date nor a final status.' }),
    ),
    LoanID: computed(f.id({ label: 'Loan record', doc: 'The loan.', to: 'Loan' })),
    LoanNumber: computed(f.text({ label: 'Loan', doc: "The investor's loan number.", max: 50 })),
    Borrower: computed(f.personal({ doc: 'The borrowers, the first one by the last name.', max: TEXT_MAX })),
    Address: computed(f.personal({ doc: "The property's street address.", max: 100 })),
    City: computed(f.personal({ doc: "The property's city.", max: 50 })),
    State: computed(f.text({ doc: "The property's state, as two letters.", max: 50 })),
    Agency: computed(f.text({ label: 'Investor', doc: 'The investor.', max: 60 })),
    UPBAmount: computed(f.money({ label: 'Unpaid balance', doc: 'Current unpaid principal balance.' })),
    OrganizationID: computed(f.id({ label: 'Firm', doc: 'The firm that handles the case.', to: 'Organization' })),
    AssignedPersonID: computed(
      f.id({ label: 'Assignee', doc: 'The user who is responsible for the case.', to: 'Person' }),
    ),
    DateOpened: computed(f.date({ label: 'Opened', doc: 'The day the case was opened.' })),
    DateClosed: computed(f.date({ label: 'Closed', doc: 'The day the case was closed.' })),
    ScheduledSaleDate: computed(f.date({ label: 'Sale date', doc: 'The scheduled day of the sale.' })),
    Chapter: computed(f.text({ doc: 'The chapter of a bankruptcy.', max: 10 })),
    Stage: computed(f.text({ doc: 'The milestone that the case works towards.', max: 60 })),
    StageNumber: computed(
      f.integer({ label: 'Stage number', doc: 'Its place among the milestones of the case, from 1.' }),
    ),
    StageCount: computed(f.integer({ label: 'Number of stages', doc: 'Number of milestones of the case.' })),
    StageBegan: computed(f.timestamp({ label: 'In stage since', doc: 'Since when the case works towards it.' })),
    StageTarget: computed(f.timestamp({ label: 'Stage target', doc: 'When the milestone should be reached.' })),
    TargetDays: computed(f.integer({ label: 'Target days', doc: 'Business days that the stage should take.' })),
    Hold: computed(f.text({ doc: 'What the case is on hold for.', max: TEXT_MAX })),
    HeldDate: computed(f.timestamp({ label: 'On hold since', doc: 'Since when it is on hold.' })),
    NextTask: computed(f.text({ label: 'Next task', doc: 'The open task that is due first.', max: TEXT_MAX })),
    NextTaskID: computed(f.id({ label: 'Next task record', doc: 'That task.', to: 'ImportForm' })),
    NextDue: computed(f.timestamp({ label: 'Due', doc: 'When that task is due.' })),
  },
});
