import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { proposalsFor } from '../lib/filing/move-messages.ts';
import { assertStaff } from '../lib/receiving/assert-staff.ts';

const rows = {
  MessageID: required(f.id({ doc: 'The message.' })),
  Object: required(f.text({ doc: 'The type of the record to which it probably belongs.' })),
  ObjectID: required(f.id({ doc: 'That record.' })),
  ParentMessageID: f.id({ doc: 'The message that it answers.', to: 'Message' }),
  FiledBy: required(f.text({ doc: 'The kind of evidence: ReplyHeader or Subject.' })),
  Detail: required(f.text({ doc: 'The evidence in words, and why it is not enough.' })),
} as const;

export const operation = defineOperation({
  module: 'message',
  name: 'Proposals',
  method: 'GET',
  summary: 'Returns to which records unfiled messages probably belong, with the evidence; `message/file` accepts it.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MessageFile',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The messages.', max: 1000 })) },
  returns: 'list',
  rows,
  answerName: 'Proposal',
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: 'checklist MSG-09',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertStaff(ctx, 'ID', 'file messages by hand');
  const proposals = await proposalsFor(ctx.db, ID);
  return list(
    'Proposal',
    rows,
    proposals.map(({ messageId, object, objectId, parentMessageId, filedBy, detail }) => ({
      MessageID: messageId,
      Object: object,
      ObjectID: objectId,
      ParentMessageID: parentMessageId,
      FiledBy: filedBy,
      Detail: detail,
    })),
  );
});
