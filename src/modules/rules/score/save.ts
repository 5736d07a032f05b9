import { recordItem } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { checkScoreParameters, saveScoreParameters, parametersWithParent } from './lib/save-score.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'Save',
  method: 'POST',
  summary:
    'Saves a score: its columns, and the values of its items as parameters named by the safe names of the ' +
    "template's items. Missing items are created.",
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    Object: f.text({ doc: 'The record type of the scored record.', max: 60 }),
    ObjectID: f.id({ doc: 'The scored record.' }),
  },
  free: 'any',
  checkQueued: async (ctx, parent, rest) => checkScoreParameters(ctx, await parametersWithParent(ctx, parent, rest)),
  returns: 'item',
  errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'DUPLICATE_KEY', 'BAD_PARAMETER'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, parent, rest) => {
  const saved = await saveScoreParameters(ctx, await parametersWithParent(ctx, parent, rest), 'save');
  return recordItem(ctx.record, saved.row);
});
