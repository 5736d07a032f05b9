import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { countUnread, UNREAD_MAX } from './lib/own-notifications.ts';

const returns = { Unread: required(f.integer({ doc: `How many are unread, ${UNREAD_MAX} at most.` })) };

export const operation = defineOperation({
  module: 'notification',
  name: 'Count',
  method: 'GET',
  summary: "Counts the caller's unread notifications.",
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {},
  returns,
  answerName: 'NotificationCount',
  errors: [],
  source: 'checklist WEB-02',
});

export const run = handle(operation, (ctx) =>
  ctx.inTransaction(async (own) => item('NotificationCount', returns, { Unread: await countUnread(own) })),
);
