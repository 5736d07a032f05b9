import { SCORE_ENGINE } from '../../../contracts/score-engine.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'scoretemplate',
  name: 'Create',
  method: 'POST',
  summary:
    'Creates a scorecard from engine parameters alone, with the items that they name: the names of ' +
    'expressions, or the inputs and outputs of a matrix.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  on: 'configuration',
  params: {
    ScoreTemplate: required(f.text({ doc: 'The name of the new scorecard.', max: 100 })),
    ScoreEngine: required(f.text({ doc: 'The engine, by its registered name.', max: 100 })),
    EngineParameters: required(f.text({ doc: "The engine's parameters.", max: 100000, exact: true })),
    AppliesTo: f.text({ doc: 'The record type to score. Empty: any.', max: 60 }),
    ValueType: f.text({
      doc: 'The value type of the score, by name or code. Empty: the one that the engine derives.',
      max: 10,
    }),
    RenderID: f.id({ doc: 'The document that the engine fills in.', to: 'Attachment' }),
    Method: f.text({ doc: 'The source of the input.', max: 2000, exact: true }),
    Repeatable: f.choice(['One', 'OneActive', 'Many'], { doc: "Whether a record's score is reused." }),
  },
  returns: 'item',
  errors: ['BAD_PARAMETER', 'DUPLICATE_KEY', 'UNKNOWN_PROVIDER'],
  source: '1-core §2',
});

export const run = handle(operation, async (ctx, params) => {
  const engine = ctx.providers.get(SCORE_ENGINE, params.ScoreEngine);
  engine.check(params.EngineParameters);
  const { valueType, items } = await engine.createTemplate(params.EngineParameters, ctx);
  const sent = Object.fromEntries(Object.entries(params).filter(([, value]) => (value ?? null) !== null));
  return ctx.call(
    'scoretemplate/insert',
    {
      ...(valueType === undefined || 'ValueType' in sent ? {} : { ValueType: valueType }),
      Items: items.map((item, n) => ({ ScoreItemTemplate: item.name, ValueType: item.valueType, Sequence: n + 1 })),
    },
    sent,
  );
});
