import { recordItem } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { calculateScore, targetOf } from './lib/calculate.ts';
import { requestOf } from './lib/input.ts';
import { saveScoreParameters, sentParameters } from './lib/save.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'SaveCalculate',
  method: 'POST',
  summary: 'Saves a new score with the values sent, as save does, and calculates it, in one call.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    Object: f.text({ doc: 'The record type of the record that is scored.', max: 60 }),
    ObjectID: f.id({ doc: 'The record that is scored.' }),
  },
  free: 'any',
  returns: 'item',
  errors: ['NOT_FOUND', 'DUPLICATE_KEY', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, parent, rest) => {
  const { id } = await saveScoreParameters(ctx, await sentParameters(ctx, parent, rest), 'insert');
  return recordItem(ctx.record, await calculateScore(ctx, await targetOf(ctx, id), requestOf(rest)));
});
