import { shapeOf, type Row } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Classify',
  method: 'GET',
  summary: 'Calculates a scorecard for each message and returns the scores, in the order of the messages.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The messages.', max: 100 })),
    ScoreTemplateID: required(f.id({ doc: 'The scorecard.', to: 'ScoreTemplate' })),
  },
  returns: 'list',
  answerName: 'Score',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, ScoreTemplateID }) => {
  const rows: Row[] = [];
  for (const id of new Set(ID)) {
    const score = await ctx.call('score/calculate', { Object: 'Message', ObjectID: id, ScoreTemplateID });
    rows.push(score.row);
  }
  return { kind: 'list', name: 'Score', shape: shapeOf(ctx.registry.recordType('Score')), rows } as const;
});
