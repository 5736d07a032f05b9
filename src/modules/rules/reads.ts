import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  documents: {
    attachment:
      "A rule's stylesheet and a score's rendering are documents, found by their parent and the newest first.",
  },
} as const satisfies TableReads;
