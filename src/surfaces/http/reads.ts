import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  system: { publicaddresscheck: 'The answer by which the check of the public address recognizes this installation.' },
} as const satisfies TableReads;
