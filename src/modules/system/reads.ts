import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  app: {
    installation: 'The health report says whether the store is a copy.',
  },
  documents: { fileobject: 'Housekeeping reads the certificates of storage locations.' },
  integrations: { webhook: 'Housekeeping reads the certificates of the receivers of webhooks.' },
  kernel: {
    history: 'The changes of a setting include those of its earlier rows: a reset to the default deletes the row.',
    slowsearch: 'Administrators see which searches were slow and add indexes for them.',
  },
  messages: { mailoutbound: 'Housekeeping reads the certificates of mail servers.' },
} as const satisfies TableReads;
