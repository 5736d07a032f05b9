import { recordItem } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { calculateScore, requireTarget } from './lib/calculate-score.ts';
import { newScoreRequest } from './lib/score-input.ts';
import { checkScoreParameters, saveScoreParameters, parametersWithParent } from './lib/save-score.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'SaveCalculate',
  method: 'POST',
  summary: 'Saves a new score with the values sent, as save does, and calculates it, in one call.',
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
  errors: ['NOT_FOUND', 'DUPLICATE_KEY', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, parent, rest) => {
  const { id } = await saveScoreParameters(ctx, await parametersWithParent(ctx, parent, rest), 'insert');
  return recordItem(ctx.record, await calculateScore(ctx, await requireTarget(ctx, id), newScoreRequest(rest)));
});
