import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { areOwn, markRead } from './lib/own-notifications.ts';

const returns = { Marked: required(f.integer({ doc: 'How many were unread.' })) };

export const operation = defineOperation({
  module: 'notification',
  name: 'MarkRead',
  method: 'POST',
  summary: "Marks some of the caller's notifications as read.",
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  names: 'ID',
  reach: { own: 'Notifications have no firm; the operation finds those of the caller.' },
  params: { ID: required(f.idList({ doc: 'The notifications.', max: 200 })) },
  returns,
  answerName: 'MarkedNotifications',
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-02',
});

export const run = handle(operation, async (ctx, { ID }) => {
  if (!(await areOwn(ctx, ID)))
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: 'ID: you have no such notification.' });
  return item('MarkedNotifications', returns, { Marked: await markRead(ctx, { ids: ID }) });
});
