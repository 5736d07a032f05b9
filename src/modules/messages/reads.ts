import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    person: 'Messages to teams go to the addresses of their users, all of which one query finds.',
  },
  cases: {
    process: "A received mail is filed by a case's number in its subject, if its sender has a part in that case.",
    bankruptcy: 'The number in a subject may be that of the court.',
    loan: 'The number in a subject may be that of the loan.',
  },
  contacts: {
    contact: 'The contacts of a case and its loan may answer messages on the case.',
    contactmethod: 'Their email addresses.',
  },
  documents: {
    documentversion: 'A secure link lists documents as they were when it was sent.',
    attachment: 'The documents of all messages of a conversation are listed in one query.',
  },
  records: {
    objectlink: 'Documents of a case that were sent with a message are linked to it.',
  },
} as const satisfies TableReads;
