import { shapeOf, type ListAnswer } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { threadMessages, threadShape, type ThreadMessage } from '../lib/reading/thread-messages.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Thread',
  method: 'GET',
  summary:
    'Returns the conversation of a message in order: the messages that the caller sees, each with its recipients, ' +
    'whether the caller has read it, and its text divided into what is new and what it quotes.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MessageSelect',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'A message of the conversation.' })) },
  returns: 'list',
  errors: ['NOT_FOUND'],
  source: 'checklist MSG-11',
});

export const run = handle(operation, async (ctx): Promise<ListAnswer<ThreadMessage>> => {
  const { ThreadID, MessageID } = namedRow(ctx, ctx.record);
  return {
    kind: 'list',
    name: ctx.record.name,
    shape: [...shapeOf(ctx.record), ...threadShape],
    rows: await threadMessages(ctx, ThreadID ?? MessageID),
  };
});
