import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  contacts: { contact: 'An example of a saved statement in the description; nothing runs it.' },
} as const satisfies TableReads;
