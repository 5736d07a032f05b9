import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    person: 'Totals of time name the users whose time it is, in the same statement.',
  },
  kernel: {
    history: 'Undoing an approval or rejection restores the values before it.',
  },
} as const satisfies TableReads;
