import type { TableReads } from '../kernel/declare/table-reads.ts';

export const reads = {
  documents: { fileobject: 'Housekeeping reads the certificates of storage locations.' },
  integrations: { webhook: 'Housekeeping reads the certificates of the receivers of webhooks.' },
  messages: { mailoutbound: 'Housekeeping reads the certificates of mail servers.' },
} as const satisfies TableReads;
