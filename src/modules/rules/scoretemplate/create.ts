import type { ScoreEngine } from '../../../contracts/score-engine.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'scoretemplate',
  name: 'Create',
  method: 'POST',
  summary:
    'Makes a kind of score from what an engine is told alone, with the items that its parameters speak of: the names of expressions, the inputs and outputs of a matrix.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  on: 'configuration',
  params: {
    ScoreTemplate: required(f.text({ doc: 'The name of the new kind of score.', max: 100 })),
    ScoreEngine: required(f.text({ doc: 'The engine, by its registered name.', max: 100 })),
    EngineParameters: required(f.text({ doc: 'What the engine is told.', max: 100000, exact: true })),
    AppliesTo: f.text({ doc: 'The record type that is scored; empty for any.', max: 60 }),
    Method: f.text({ doc: 'Where the input comes from.', max: 2000, exact: true }),
    Repeatable: f.choice(['One', 'OneActive', 'Many'], { doc: "Whether a record's score is used again." }),
  },
  returns: 'item',
  errors: ['BAD_PARAMETER', 'DUPLICATE_KEY', 'UNKNOWN_PROVIDER'],
  source: '1-core §2',
});

export const run = handle(operation, async (ctx, params) => {
  const engine = ctx.providers.get<ScoreEngine>('score-engine', params.ScoreEngine);
  engine.check(params.EngineParameters);
  const { valueType, items } = await engine.createTemplate(params.EngineParameters, ctx);
  const sent = Object.fromEntries(Object.entries(params).filter(([, value]) => (value ?? null) !== null));
  return ctx.call('scoretemplate/insert', {
    ...sent,
    ...(valueType === undefined ? {} : { ValueType: valueType }),
    Items: items.map((item, n) => ({ ScoreItemTemplate: item.name, ValueType: item.valueType, Sequence: n + 1 })),
  });
});
