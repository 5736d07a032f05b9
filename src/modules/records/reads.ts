import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  kernel: {
    objectsubscription: 'A search over all record types finds records by external ID in the same query as by label.',
  },
} as const satisfies TableReads;
