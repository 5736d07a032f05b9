import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    apikey: 'What a user holds includes their API keys.',
    apikeyuse: 'It says when each of these keys was last used.',
    person: 'The entries of a timeline name who made them; notes mention users by name.',
    preference: 'Users are not notified of kinds that they have muted.',
    session: 'What a user holds includes their open sessions.',
  },
  cases: {
    bankruptcy: 'The summary of a case shows its chapter; hundreds of cases are summarized in one statement.',
    event: 'A timeline merges what several areas store about a case, sorted and paged in one statement.',
    foreclosure: 'The summary of a case shows the day of its sale, in the same statement.',
    loan: 'The summary of a case shows its loan; a timeline has the changes of it.',
    process: 'A summary is of a case, and read with all that it shows in one statement; so is a timeline.',
    property: 'The summary of a case shows its property, in the same statement.',
  },
  contacts: {
    collection: 'What a user holds names the teams with which they share views; the inbox of a team is of its members.',
    contact: 'The summary of a case names its borrowers, in the same statement.',
  },
  documents: { attachment: 'A timeline has the documents of the case; an inbox marks mail with attachments.' },
  imports: {
    importfile: 'A timeline names the imports that changed the case.',
    importfilequeue: 'Undoing a deactivation leaves out handed over work on which somebody has worked since.',
    importlog: 'A timeline has the imports that changed the case.',
    sftpaccount: 'What a user holds includes the sFTP accounts whose files are imported as that user.',
  },
  kernel: {
    history: 'Notifications are written of changes, with the values before.',
    recordadded: 'Notifications are written of documents, notes, holds and tasks that were added.',
  },
  ledgers: {
    payment: 'Users are notified of disputes of the payments that they requested, or of cases that they follow.',
    paymentdispute: 'The same; it says whether a dispute was won.',
  },
  messages: {
    maildelivery: 'A timeline has the mails of the case.',
    message: 'A timeline has the notes of the case; an inbox has the mail of many cases, by conversation.',
    messageread: 'An inbox shows what its user has not read, in the same statement.',
    messagerecipient: 'An inbox has the mail whose recipient is the user.',
  },
  work: {
    decision: 'A timeline has the workflows of the case.',
    decisiondelay: 'The summary of a case shows its hold; a timeline has all of them.',
    decisionsteptemplate: 'A step that is a milestone is a stage of its case.',
    decisionstep: 'A timeline has the steps of the workflows of the case.',
    importform: 'The summary of a case shows the task that is due next; a timeline has all tasks.',
    importformtemplate: 'The tasks that a user holds are counted by type.',
    smartworklist: 'Work items that are given to a user are one notification for each queue, which it names.',
    smartworklistmember: 'Users are notified of work items that are given to them.',
  },
} as const satisfies TableReads;
