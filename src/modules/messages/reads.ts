import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  documents: {
    attachment: 'The documents of all messages of a conversation are listed in one query.',
  },
  records: {
    objectlink: 'Documents of a case that were sent with a message are linked to it.',
  },
} as const satisfies TableReads;
