import { recordItem } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { saveFromParameters } from '../../../kernel/records/save/save.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Save',
  method: 'POST',
  summary:
    'Saves a record with its children and linked records: updates the one that ID or SubscriberID names, ' +
    'otherwise creates one.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {},
  free: 'fields',
  returns: 'item',
  errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'DUPLICATE_KEY'],
  source: '1-core §1, §4',
});

export const run = handle(operation, async (ctx, _params, rest) => {
  const saved = await saveFromParameters(ctx, rest, 'save');
  return recordItem(ctx.record, saved.row);
});
