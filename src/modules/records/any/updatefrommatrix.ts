import { shapeOf } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { applyRuleSet } from './lib/rule-set/apply-rule-set.ts';
import { assertKnownInputs, findRuleSet } from './lib/rule-set/find-rule-set.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'UpdateFromMatrix',
  method: 'GET',
  summary:
    "The older form of UpdateFromRule: sets the fields named like the outputs of a matrix's best row. Skips " +
    'a record that no row decides, and outputs that are not fields, with an alert. Saves a record only if a ' +
    'value changes.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The records.' })),
    FromMatrix: required(f.text({ doc: 'The matrix, by name or id.', max: 100 })),
  },
  free: 'any',
  checkQueued: async (ctx, { FromMatrix }, rest) =>
    assertKnownInputs(await findRuleSet(ctx, String(FromMatrix).trim(), 'FromMatrix'), rest),
  returns: 'list',
  errors: [
    'NOT_FOUND',
    'MISSING_PARAMETER',
    'UNKNOWN_PARAMETER',
    'BAD_PARAMETER',
    'RULE_EXCEPTION',
    'NO_PERMISSION',
    'TOO_LARGE',
  ],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(operation, async (ctx, { ID, FromMatrix }, rest) => {
  const ruleSet = await findRuleSet(ctx, FromMatrix.trim(), 'FromMatrix');
  const rows = await applyRuleSet(ctx, ID, {
    ruleSet,
    useSummary: false,
    throwIfError: false,
    forceDirty: false,
    sent: rest,
    source: 'UpdateFromRule',
  });
  return { kind: 'list', name: ctx.record.name, shape: shapeOf(ctx.record), rows };
});
