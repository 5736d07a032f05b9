import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { markRead } from './lib/own-notifications.ts';

const returns = { Marked: required(f.integer({ doc: 'How many were unread.' })) };

export const operation = defineOperation({
  module: 'notification',
  name: 'MarkAllRead',
  method: 'POST',
  summary: "Marks the caller's notifications as read: all, or those about followed records or about one record.",
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  params: {
    UpTo: f.id({ doc: 'The latest that the caller has seen: newer ones stay unread.' }),
    Followed: f.boolean({ doc: 'True: only those about records that the caller follows.', default: false }),
    SameRecord: f.boolean({ doc: 'True: only those about the record that `UpTo` is about.', default: false }),
  },
  returns,
  answerName: 'MarkedNotifications',
  errors: ['BAD_PARAMETER'],
  source: 'checklist WEB-02',
});

export const run = handle(operation, async (ctx, { UpTo, Followed, SameRecord }) => {
  if (SameRecord && UpTo === undefined) throw bad('UpTo', 'a notification about the record, with SameRecord');
  const marked = await markRead(ctx, { upTo: UpTo ?? null, isFollowed: Followed, isSameRecord: SameRecord });
  return item('MarkedNotifications', returns, { Marked: marked });
});
