import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    person: 'Failed rows are queued again only for users who are still active, in one query for all rows.',
  },
  cases: {
    bankruptcy: 'Events find the bankruptcies of a whole piece of a file in one query.',
    eventcode: 'Events are read by the table of codes, loaded once for a file.',
    loan: 'A referral and events find loans by investor and number, and lock them in that order.',
    process: 'A referral and events find the case that they are about, and lock it.',
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
  work: {
    decision: 'Events return the workflows of the cases that they close, in the statement that closes them.',
    decisiondelay: 'Events find the holds that they created before, in the statement that updates them.',
    decisiondelaytemplate: 'A hold that events create is named after its type.',
    decisionstep: 'The workflow of a step that waits for an import, or for a task, continues when that is complete.',
    importform: 'Events find the tasks of a whole piece of a file in one query.',
    importformtemplate: 'The table of event codes names the task types that events complete.',
  },
} as const satisfies TableReads;
