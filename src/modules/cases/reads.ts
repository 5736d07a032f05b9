import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  ledgers: {
    ledger: "The lines of a case's ledgers are below the case.",
  },
  work: {
    importform: "The messages of a case's tasks are below the case.",
  },
} as const satisfies TableReads;
