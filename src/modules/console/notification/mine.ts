import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { notificationKinds } from '../../access/public/notification-kinds.ts';
import { ownNotifications } from './lib/own-notifications.ts';

const SIZE_MAX = 100;

const rows = {
  NotificationID: required(f.id({ doc: 'The notification.' })),
  Notification: f.personal({ doc: 'What happened, in words.' }),
  Object: required(f.text({ doc: 'The type of the record that it is about.' })),
  ObjectID: required(f.id({ doc: 'The record.' })),
  Kind: required(f.choice(notificationKinds, { doc: 'What it is about.' })),
  Count: required(f.integer({ doc: 'How many events it combines.' })),
  CreatedDate: required(f.timestamp({ doc: 'When it happened.' })),
  ReadDate: f.timestamp({ doc: 'When the caller read it.' }),
};

export const operation = defineOperation({
  module: 'notification',
  name: 'Mine',
  method: 'GET',
  summary: "Lists the caller's notifications, the latest first.",
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {
    Before: f.id({ doc: 'Only those before this one: the last of the page before.' }),
    Unread: f.boolean({ doc: 'Only unread ones.', default: false }),
    Size: f.integer({ doc: `How many, at most ${SIZE_MAX}.`, default: 25 }),
  },
  returns: 'list',
  answerName: 'OwnNotification',
  rows,
  errors: ['BAD_PARAMETER'],
  source: 'checklist WEB-02',
});

export const run = handle(operation, (ctx, { Before, Unread, Size }) => {
  if (Size < 1 || Size > SIZE_MAX) throw bad('Size', `a number from 1 to ${SIZE_MAX}`);
  return ctx.inTransaction(async (own) => {
    const found = await ownNotifications(own, { before: Before ?? null, unread: Unread, size: Size });
    return list('OwnNotification', rows, found);
  });
});
