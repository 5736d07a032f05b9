import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  cases: {
    bankruptcy: 'The summary of a case shows its chapter; hundreds of cases are summarized in one statement.',
    foreclosure: 'The summary of a case shows the day of its sale, in the same statement.',
    loan: 'The summary of a case shows its loan, in the same statement.',
    process: 'A summary is of a case, and read with all that it shows in one statement.',
    property: 'The summary of a case shows its property, in the same statement.',
  },
  contacts: { contact: 'The summary of a case names its borrowers, in the same statement.' },
  work: {
    decisiondelay: 'The summary of a case shows its hold, in the same statement.',
    importform: 'The summary of a case shows the task that is due next, in the same statement.',
  },
} as const satisfies TableReads;
