import { list } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertStaff } from '../lib/receiving/assert-staff.ts';
import { activeMailboxes, namedMailboxes } from '../lib/receiving/mailboxes.ts';
import { filterParameters, mailFilters } from '../lib/receiving/mail-filters.ts';
import { receiveMailbox } from '../lib/receiving/receive-mailbox.ts';

const count = (doc: string) => required(f.integer({ doc }));

const rows = {
  Account: required(f.text({ doc: 'The mailbox.' })),
  Received: count('Emails that became a message.'),
  Duplicate: count('Emails that had been received before, such as in another mailbox of the firm.'),
  OwnCopy: count('Copies of emails that were sent here.'),
  Reports: count('Reports of what became of emails that were sent here.'),
  SetAside: count('Emails that could not be stored; `mailreceipt/search?Status=SetAside` lists them.'),
  Behind: f.integer({ doc: 'Emails that are left for the next call; empty if the mailbox could not be read.' }),
  MessageIDs: f.text({ doc: 'The new messages, comma-separated.' }),
  Error: f.text({ doc: 'Why the mailbox could not be read to its end.' }),
} as const;

export const operation = defineOperation({
  module: 'message',
  name: 'Receive',
  method: 'GET',
  summary:
    'Receives the email of mailboxes: each new email becomes a message with its recipients and files, once, and is ' +
    'filed with what it answers. The platform does this itself for active mailboxes; call it to receive at once, or ' +
    'only some emails.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Account: f.textList({ doc: 'The mailboxes by name; by default all that are active.' }),
    MailLibLatest: f.boolean({
      doc: 'Only emails that are newer than the last one received, without looking for others.',
      default: false,
    }),
    ...filterParameters,
  },
  transactions: 'own',
  returns: 'list',
  rows,
  answerName: 'Receive',
  errors: ['BAD_PARAMETER', 'NO_PERMISSION', 'UNAVAILABLE', 'STATE_REFUSES'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Account, MailLibLatest, ...filters }) => {
  assertStaff(ctx, 'Account', 'receive mail');
  const request = { filters: mailFilters(filters), isLatest: MailLibLatest };
  const mailboxes = Account && Account.length > 0 ? await namedMailboxes(ctx, Account) : await activeMailboxes(ctx.db);
  const answers = [];
  for (const mailbox of mailboxes) {
    const none = { Received: 0, Duplicate: 0, OwnCopy: 0, Reports: 0, SetAside: 0, Behind: null, MessageIDs: null };
    try {
      const { counts, behind, messageIds } = await receiveMailbox(ctx, mailbox, request);
      const { Report, ...others } = counts;
      const MessageIDs = messageIds.length === 0 ? null : messageIds.join(',');
      answers.push({ Account: mailbox.name, ...others, Reports: Report, Behind: behind, MessageIDs, Error: null });
    } catch (error) {
      // One mailbox that cannot be read stops no other.
      if (!(error instanceof PlatformError) || mailboxes.length === 1) throw error;
      ctx.alert({ code: error.code, text: `${mailbox.name}: ${error.message}` });
      answers.push({ Account: mailbox.name, ...none, Error: error.message });
    }
  }
  return list('Receive', rows, answers);
});
