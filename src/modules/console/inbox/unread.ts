import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { inboxSubjects } from './lib/inbox-subjects.ts';
import { countUnread, UNREAD_MAX } from './lib/inbox-threads.ts';

const returns = { Unread: required(f.integer({ doc: `How many have unread mail, ${UNREAD_MAX} at most.` })) };

export const operation = defineOperation({
  module: 'inbox',
  name: 'Unread',
  method: 'GET',
  summary: "Counts the conversations of the caller's inbox with mail that the caller has not read.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MessageSearch',
  params: {},
  returns,
  answerName: 'InboxCount',
  errors: [],
  source: 'MSG-11',
});

export const run = handle(operation, (ctx) =>
  ctx.inTransaction(async (own) =>
    item('InboxCount', returns, { Unread: await countUnread(own, await inboxSubjects(own, null)) }),
  ),
);
