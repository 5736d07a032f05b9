import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  searches: {
    militaryservice: 'The local source searches the table of periods of service.',
  },
} as const satisfies TableReads;
