import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle, type ParametersOf } from '../../../kernel/declare/operation.ts';
import { concreteClass } from '../../../kernel/records/search/read.ts';
import { findTemplate } from '../../../kernel/records/save/template.ts';
import { calculateScore, targetOf, type ScoreTarget } from './lib/calculate-score.ts';
import { assertApplies, requireDefinition } from './lib/score-definition.ts';
import { newScoreRequest, warnUnusedParameters } from './lib/score-input.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'Calculate',
  method: 'GET',
  summary:
    'Calculates a score: finds or creates it as its template specifies, gets the input, runs the engine, and ' +
    'saves score and items. With ID, recalculates an existing score.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  reach: 'row',
  params: {
    ID: f.id({ doc: 'The score to recalculate in place.' }),
    Template: f.text({ doc: 'The scorecard, by name.', max: 100 }),
    ScoreTemplateID: f.id({ doc: 'The scorecard.', to: 'ScoreTemplate' }),
    Object: f.text({ doc: 'The record type of the scored record.', max: 60 }),
    ObjectID: f.id({ doc: 'The scored record.' }),
  },
  free: 'any',
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, rest) => {
  const score = namedRowIfSent(ctx, ctx.record);
  const target = score ? await targetOf(ctx, score) : await newTarget(ctx, params);
  const request = newScoreRequest(rest);
  const row = await calculateScore(ctx, target, request);
  warnUnusedParameters(ctx, request);
  return recordItem(ctx.record, row);
});

/** Returns the target of a new calculation: the template and the scored record. */
async function newTarget(
  ctx: Context,
  { Template, ScoreTemplateID, Object: className, ObjectID }: ParametersOf<typeof operation>,
): Promise<ScoreTarget> {
  if (typeof className !== 'string' || typeof ObjectID !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ObjectID',
      message:
        'ObjectID: a new score needs Object and ObjectID, the scored record. Send ID to recalculate an existing score.',
    });
  const named = ctx.registry.requireRecord(className, 'Object');
  const record = await concreteClass(ctx, ctx.db, named, ObjectID);
  const templates = ctx.registry.recordType('ScoreTemplate');
  let id = ScoreTemplateID ?? undefined;
  if (id === undefined && typeof Template === 'string')
    ({ id } = await findTemplate(ctx, templates, {
      name: Template,
      parentClass: record.name,
      field: 'Template',
    }));
  if (id === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Template',
      message: 'Template: a new score needs Template or ScoreTemplateID, the scorecard.',
    });
  const definition = await requireDefinition(ctx, id);
  assertApplies(ctx, definition, record.name);
  return { definition, parent: { Object: record.name, ObjectID } };
}
