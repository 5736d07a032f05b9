import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  kernel: {
    slowsearch: 'Administrators see which searches were slow and add indexes for them.',
  },
} as const satisfies TableReads;
