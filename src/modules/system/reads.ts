import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    securitylog: 'The health check counts the refused sign-ins of the last day.',
  },
  kernel: {
    errorlog: 'The health check counts the unexpected errors of the last day.',
    slowsearch: 'Administrators see which searches were slow, and add indexes for them.',
  },
} as const satisfies TableReads;
