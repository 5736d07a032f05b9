import type { TableReads } from '../../kernel/declare/table-reads.ts';

const summary = 'A case is read with all that its summary shows in one statement, for hundreds of cases at once.';

export const reads = {
  cases: { bankruptcy: summary, foreclosure: summary, loan: summary, process: summary, property: summary },
  contacts: { contact: summary },
  work: { decisiondelay: summary, importform: summary },
} as const satisfies TableReads;
