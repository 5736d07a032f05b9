import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: { person: 'The refusal of a legal hold names who set it.' },
  kernel: {
    history: 'A stored file stays as long as history names it, so that its document can be rolled back.',
  },
} as const satisfies TableReads;
