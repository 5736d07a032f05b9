import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  'surfaces/worker': { queuecontrol: 'The state and throttle of a queue are listed together with its jobs.' },
} as const satisfies TableReads;
