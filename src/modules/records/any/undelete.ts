import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { undeleteRow } from '../../../kernel/records/history/undelete.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Undelete',
  method: 'POST',
  summary: 'Restores a deleted record from its history, with its old id. Requires universal access.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: { own: 'It names a deleted record, which only its history has.' },
  params: { ID: required(f.id({ doc: 'The record that was deleted.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'DUPLICATE_KEY', 'IN_USE'],
  source: 'checklist KRN-20',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { record, row } = await undeleteRow(ctx, ctx.record, ID);
  return recordItem(record, row);
});
