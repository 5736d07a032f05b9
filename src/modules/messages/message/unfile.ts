import { list } from '../../../kernel/door/answer.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { unfile } from '../lib/filing/move-messages.ts';
import { assertStaff } from '../lib/receiving/assert-staff.ts';

const rows = {
  MessageID: required(f.id({ doc: 'A message that is no longer filed: one of ID, or a reply to it.' })),
} as const;

export const operation = defineOperation({
  module: 'message',
  name: 'Unfile',
  method: 'POST',
  summary:
    'Undoes the filing of received messages: they, and received replies to them, leave their record and wait to be ' +
    'filed by a person. Documents that a rule filed with them are deleted.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.idList({ doc: 'The messages.', max: 200 })) },
  returns: 'list',
  rows,
  answerName: 'Message',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: 'checklist MSG-09',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertStaff(ctx, 'ID', 'file messages by hand');
  const ids = new Set<number>();
  const named = new Map(namedRows(ctx, ctx.record).map((row) => [row.MessageID, row]));
  for (const id of ID) {
    const row = named.get(id);
    if (row && !ids.has(id)) for (const unfiled of await unfile(ctx, row)) ids.add(unfiled);
  }
  return list(
    'Message',
    rows,
    [...ids].map((MessageID) => ({ MessageID })),
  );
});
