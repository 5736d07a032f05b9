import { recordItem } from '../../../kernel/door/answer.ts';
import { lockedRecord } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { deleteLockedRow } from '../../../kernel/records/save/delete-row.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Delete',
  method: 'POST',
  summary: 'Deletes a record and returns it as it was. Its history keeps everything.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The record.' })),
    Version: f.integer({ doc: 'Optional. Refuses the call if the record has a newer version.' }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'IN_USE'],
  source: '1-core §1',
});

export const run = handle(operation, async (ctx, { Version }) =>
  recordItem(ctx.record, await deleteLockedRow(ctx, ctx.record, lockedRecord(ctx), Version ?? undefined)),
);
