import type { TableReads } from '../kernel/declare/table-reads.ts';

export const reads = {
  documents: {
    attachment: 'A backup copies the files of documents; it runs in a process without the door.',
  },
  kernel: {
    history: 'A backup also copies files that history names, so that a restored document can be rolled back.',
  },
} as const satisfies TableReads;
