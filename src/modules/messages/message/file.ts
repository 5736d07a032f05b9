import { list } from '../../../kernel/door/answer.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { fileByPerson, proposalsFor } from '../lib/filing/move-messages.ts';
import { assertStaff } from '../lib/receiving/assert-staff.ts';

const rows = {
  MessageID: required(f.id({ doc: 'A message that is filed there now: one of ID, or a reply to it.' })),
  Object: required(f.text({ doc: 'The type of the record.' })),
  ObjectID: required(f.id({ doc: 'The record.' })),
} as const;

export const operation = defineOperation({
  module: 'message',
  name: 'File',
  method: 'POST',
  summary:
    'Files received messages on a record, with the replies to them: on the record that is proposed for each, or on ' +
    'the one that is named.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  reach: 'locked row',
  params: {
    ID: required(f.idList({ doc: 'The messages.', max: 200 })),
    Object: f.text({ doc: 'The type of the record; without it each message is filed where it is proposed.', max: 60 }),
    ObjectID: f.id({ doc: 'The record.' }),
  },
  returns: 'list',
  rows,
  answerName: 'Message',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist MSG-09',
});

export const run = handle(operation, async (ctx, { ID, Object: object, ObjectID: objectId }) => {
  assertStaff(ctx, 'ID', 'file messages by hand');
  const named = typeof object === 'string' && typeof objectId === 'number' ? { object, objectId } : undefined;
  if (!named && (typeof object === 'string' || typeof objectId === 'number'))
    throw new PlatformError('MISSING_PARAMETER', {
      field: typeof object === 'string' ? 'ObjectID' : 'Object',
      message: 'Object and ObjectID are needed together: the record on which the messages are filed.',
    });
  const proposals = new Map((await proposalsFor(ctx.db, ID)).map((each) => [each.messageId, each]));
  const by = `${ctx.user.name} filed it`;
  const filed: { MessageID: number; Object: string; ObjectID: number }[] = [];
  for (const row of namedRows(ctx, ctx.record)) {
    const proposal = proposals.get(row.MessageID);
    const record = named ?? proposal;
    if (!record)
      throw new PlatformError('MISSING_PARAMETER', {
        field: 'ObjectID',
        message: `ObjectID: nothing is proposed for message ${row.MessageID}; name a record with Object, ObjectID.`,
      });
    const isProposed = proposal?.object === record.object && proposal.objectId === record.objectId;
    const ids = await fileByPerson(ctx, row, {
      record: { object: record.object, objectId: record.objectId },
      detail: isProposed ? `${by} as proposed. ${proposal.detail}` : `${by}.`,
      parentMessageId: isProposed ? (proposal.parentMessageId ?? undefined) : undefined,
    });
    filed.push(...ids.map((id) => ({ MessageID: id, Object: record.object, ObjectID: record.objectId })));
  }
  return list('Message', rows, filed);
});
