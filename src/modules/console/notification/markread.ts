import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { markRead } from './lib/own-notifications.ts';

const returns = { Marked: required(f.integer({ doc: 'How many were unread.' })) };

export const operation = defineOperation({
  module: 'notification',
  name: 'MarkRead',
  method: 'POST',
  summary: "Marks some of the caller's notifications as read. Those of others are left out.",
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  names: 'ID',
  reach: { own: 'The statement changes only notifications of the caller.' },
  params: { ID: required(f.idList({ doc: 'The notifications.', max: 200 })) },
  returns,
  answerName: 'MarkedNotifications',
  errors: [],
  source: 'checklist WEB-02',
});

export const run = handle(operation, async (ctx, { ID }) =>
  item('MarkedNotifications', returns, { Marked: await markRead(ctx, { ids: ID }) }),
);
