import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { markRead } from '../lib/reading/read-marks.ts';

const rows = {
  MessageID: required(f.id({ doc: 'The message.' })),
  ReadDate: f.timestamp({ doc: 'When the user read it first.' }),
};

export const operation = defineOperation({
  module: 'message',
  name: 'MarkRead',
  method: 'GET',
  summary: 'Marks messages as read by the current user, and returns when each was read first.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'MessageSelect',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The messages.', max: 1_000 })) },
  returns: 'list',
  answerName: 'ReadMark',
  rows,
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => list('ReadMark', rows, await markRead(ctx, ID)));
