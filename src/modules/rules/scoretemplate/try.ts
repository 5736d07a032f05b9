import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { concreteClass } from '../../../kernel/records/search/read.ts';
import { assertApplies, requireDefinition } from '../score/lib/score-definition.ts';
import { tryScore, type ScoreTrial } from '../score/lib/try-score.ts';

const fields = {
  ScoreTemplateID: required(f.id({ doc: 'The scorecard.' })),
  Trial: required(
    f.json({
      doc:
        'The value of the score; the inputs that were read; each expression or condition with its value and why; and ' +
        'each item with its value and where it came from. Values of masked items are left out.',
    }),
  ),
};

export const operation = defineOperation({
  module: 'scoretemplate',
  name: 'Try',
  method: 'GET',
  summary:
    'Calculates a scorecard for a record and saves nothing: what the score would be, and why. Other parameters are ' +
    'values to use instead of those of items and of the input. Scores of items are not recalculated.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'ScoreTemplateSave',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  params: {
    ID: required(f.id({ doc: 'The scorecard.' })),
    Object: required(f.text({ doc: 'The record type of the scored record.', max: 60 })),
    ObjectID: required(f.id({ doc: 'The scored record.' })),
  },
  free: 'any',
  checkQueued: async (ctx, { ID, Object: object, ObjectID: objectId }, rest) =>
    void (await tryOn(ctx, { ID: ID as number, Object: object as string, ObjectID: objectId as number }, rest)),
  returns: fields,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'UNKNOWN_PARAMETER', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, rest) =>
  item('ScoreTrial', fields, { ScoreTemplateID: params.ID, Trial: await tryOn(ctx, params, rest) }),
);

interface TriedOn {
  readonly ID: number;
  readonly Object: string;
  readonly ObjectID: number;
}

async function tryOn(ctx: Context, { ID, Object: object, ObjectID }: TriedOn, sent: Parameters): Promise<ScoreTrial> {
  const record = await concreteClass(ctx, ctx.db, ctx.registry.requireRecord(object, 'Object'), ObjectID);
  const definition = await requireDefinition(ctx, ID);
  assertApplies(ctx, definition, record.name);
  return tryScore(ctx, { definition, parent: { Object: record.name, ObjectID } }, sent);
}
