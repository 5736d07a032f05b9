import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  app: {
    installation: 'The health report says whether the store is a copy.',
  },
  kernel: {
    history: 'The changes of a setting include those of its earlier rows: a reset to the default deletes the row.',
    slowsearch: 'Administrators see which searches were slow and add indexes for them.',
  },
} as const satisfies TableReads;
