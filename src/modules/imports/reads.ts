import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    person: 'Failed rows are queued again only for users who are still active, in one query for all rows.',
  },
  cases: {
    loan: 'A referral finds loans by investor and number, and locks them in that order.',
    process: 'A referral finds the case that it is about, and locks it.',
    property: 'A referral compares the whole stored property with the one that it brings.',
    publicrecord: 'A referral updates the public records of the loan that it finds again.',
  },
  contacts: {
    contact: 'A referral updates the borrowers that it finds again, by their sequence.',
    organization: 'Events name firms by provider code; a piece of a file finds them in one query.',
  },
  documents: {
    attachment: 'A document with the same content is not stored twice; the size of a file shows its progress.',
  },
  kernel: {
    objectsubscription: 'A referral finds and locks its case by the external ID in one query.',
  },
  ledgers: {
    ledger: 'A referral continues the ledger of the same template.',
    ledgeritem: 'A referral updates the lines that a ledger already has, read at once.',
    ledgertemplateitem: 'The lines of a ledger template are cached with the configuration.',
  },
  messages: {
    message: 'A repeated referral does not add the same message again.',
  },
} as const satisfies TableReads;
