import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  imports: {
    importfile: 'A staging table is kept as long as its import runs; a batch reads its own import.',
  },
} as const satisfies TableReads;
