import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  kernel: {
    objectsubscription: 'A referral finds and locks its case by the external ID in one query.',
  },
  ledgers: {
    ledger: "The lines of a case's ledgers are below the case.",
  },
  work: {
    decision: 'Events return the workflows of the cases that they close, in the statement that closes them.',
    importformtemplate: 'The table of event codes names the task types that events complete.',
    importform: "The messages of a case's tasks are below the case.",
  },
} as const satisfies TableReads;
