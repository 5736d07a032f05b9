import { list } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { cursorText, parseCursor } from './lib/inbox-cursor.ts';
import { inboxSubjects, type InboxSubjects } from './lib/inbox-subjects.ts';
import { INBOX_VIEWS, inboxThreads } from './lib/inbox-threads.ts';

/** Conversations of a page, if the caller does not say how many, and most of them. */
const SIZE = 50;
const SIZE_MAX = 200;

const rows = {
  Cursor: required(f.text({ doc: 'Send that of the last conversation as Before for the next page.' })),
  ThreadID: required(f.id({ doc: 'The conversation: its first message.' })),
  MessageID: required(f.id({ doc: 'Its latest message.' })),
  Message: f.personal({ label: 'Subject', doc: 'The subject of the latest message.' }),
  Snippet: f.personal({ label: 'Text', doc: 'The beginning of its text.' }),
  FromName: f.personal({ label: 'Sender', doc: 'Who sent it.' }),
  FromAddress: f.personal({ label: 'Sender address', doc: 'The address of the sender.' }),
  CreatedPersonID: f.id({ label: 'Created by', doc: 'The user who wrote it, if it is ours.' }),
  IsReceived: required(f.boolean({ label: 'Received', doc: 'Whether a mailbox received it.' })),
  Status: f.text({ doc: 'Its status.' }),
  LatestDate: required(f.timestamp({ label: 'Latest', doc: 'When it was received or sent.' })),
  Object: f.text({ label: 'Record type', doc: 'The type of the record that it is about.' }),
  ObjectID: f.id({ label: 'Record', doc: 'The record that it is about.' }),
  Messages: required(f.integer({ doc: 'Messages of the conversation that the caller sees.' })),
  Unread: required(f.integer({ doc: 'How many of them the caller has not read.' })),
  HasAttachments: required(f.boolean({ label: 'Attachments', doc: 'Whether the latest message has attachments.' })),
  Recipients: f.personal({ label: 'To', doc: 'The first recipients of the latest message.' }),
};

export const operation = defineOperation({
  module: 'inbox',
  name: 'Threads',
  method: 'GET',
  summary:
    'Returns conversations by mail: on records that the caller follows or is responsible for, that the caller sent, ' +
    'or that were sent to the caller; with TeamID those of the users of a team, with Object those on one record. ' +
    'Unread ones first, then the latest.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MessageSearch',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    TeamID: f.id({ doc: 'A team: a collection of users. Empty: only the caller.', to: 'Collection' }),
    Object: f.text({ doc: 'With ObjectID: the record whose conversations are returned.', max: 60 }),
    ObjectID: f.id({ doc: 'Its ID.' }),
    Show: f.choice(INBOX_VIEWS, {
      doc:
        'Received: conversations with received mail. Unread: with unread mail. Sent: with mail that the caller or ' +
        'the team sent. All: any, the latest first.',
      default: 'Received',
    }),
    Before: f.text({ doc: 'The Cursor of the last conversation of the page before.', max: 100, exact: true }),
    DisplaySize: f.integer({ doc: `How many to return, ${SIZE_MAX} at most.`, default: SIZE, max: SIZE_MAX }),
  },
  returns: 'list',
  answerName: 'InboxThread',
  rows,
  errors: ['BAD_PARAMETER'],
  source: 'MSG-11',
});

export const run = handle(operation, (ctx, { TeamID, Object: object, ObjectID: id, Show, Before, DisplaySize }) =>
  ctx.inTransaction(async (own) => {
    const before = parseCursor(Before);
    const subjects = object && id ? subjectsOf(own, object, id) : await inboxSubjects(own, TeamID ?? null);
    const threads = await inboxThreads(own, subjects, { view: Show, before, size: Math.max(1, DisplaySize) });
    return list(
      'InboxThread',
      rows,
      threads.map((thread) => ({ ...thread, Cursor: cursorText(thread, Show) })),
    );
  }),
);

/** Returns the subjects of the conversations on one record, whoever takes part. */
function subjectsOf({ registry }: Context, object: string, id: number): InboxSubjects {
  return { personIds: [], addresses: [], records: [{ object: registry.requireRecord(object, 'Object').name, id }] };
}
