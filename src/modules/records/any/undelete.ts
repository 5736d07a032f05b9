import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { undeleteRow } from '../../../kernel/records/history/undelete.ts';
import { reactToChange } from '../../../kernel/records/save/after-change.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Undelete',
  method: 'POST',
  summary: 'Restores a deleted record from its history, with its old id. Requires universal access.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The record that was deleted.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'DUPLICATE_KEY', 'IN_USE'],
  source: 'checklist KRN-20',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { record, row } = await undeleteRow(ctx, ctx.record, ID);
  if (await ctx.recordEvents.hasSubscribers(ctx, record, 'undelete'))
    await ctx.recordEvents.publish(ctx, record, 'undelete', [{ row, changed: [] }]);
  await reactToChange(ctx, record, row, 'insert');
  // Reactions may have changed it, as on an insert.
  return recordItem(record, await readRecord(ctx.db, record, ID));
});
