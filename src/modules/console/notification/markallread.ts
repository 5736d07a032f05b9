import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { markRead } from './lib/own-notifications.ts';

const returns = { Marked: required(f.integer({ doc: 'How many were unread.' })) };

export const operation = defineOperation({
  module: 'notification',
  name: 'MarkAllRead',
  method: 'POST',
  summary: "Marks all of the caller's notifications as read.",
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  params: { UpTo: f.id({ doc: 'The latest that the caller has seen: newer ones stay unread.' }) },
  returns,
  answerName: 'MarkedNotifications',
  errors: [],
  source: 'checklist WEB-02',
});

export const run = handle(operation, async (ctx, { UpTo }) =>
  item('MarkedNotifications', returns, { Marked: await markRead(ctx, { upTo: UpTo ?? null }) }),
);
