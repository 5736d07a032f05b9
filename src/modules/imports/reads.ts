import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    person:
      'Failed rows are queued again only for users who are still active, in one query for all rows; a firm changes ' +
      'only the holds that its own users created.',
  },
  work: {
    decisiontemplate: 'An import type is read with the record type that its workflow is for.',
  },
  contacts: {
    contact: 'What came by sFTP is listed by firm.',
  },
  'surfaces/sftp': {
    sftpfile: 'Firms and operators see which files wait in the homes, and why some were not imported.',
  },
  documents: {
    attachment: 'A document with the same content is not stored twice; the size of a file shows its progress.',
  },
} as const satisfies TableReads;
