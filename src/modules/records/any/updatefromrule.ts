import { f, required } from '../../../kernel/declare/field.ts';
import { shapeOf } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { applyRuleSet, assertRuleSetInputs } from './lib/rule-set/apply-rule-set.ts';
import { assertSummaryCount, findRuleSet, requireRuleSetName, ruleSetParams } from './lib/rule-set/find-rule-set.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'UpdateFromRule',
  method: 'POST',
  summary:
    'Looks up the best row of a matrix for each record and sets the fields named like its outputs, with an ' +
    "ordinary save. Inputs are the record's own fields and the values sent, or the record's summary.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The records.' })),
    ...ruleSetParams,
    RuleSetUseSummary: f.boolean({
      doc: "Whether inputs and {Field} come from the record's summary instead of its own fields.",
      default: false,
    }),
    RuleSetThrowIfError: f.boolean({
      doc:
        'Whether the call fails if no row decides a record or an output is not a field. Otherwise these are ' +
        'skipped with an alert.',
      default: true,
    }),
    RuleSetForceDirty: f.boolean({ doc: 'Whether fields are written even if their value is equal.', default: true }),
    Version: f.integer({ doc: 'For one record, optional. Refuses the call if the record has a newer version.' }),
  },
  free: 'any',
  async checkQueued(ctx, params, rest) {
    const { RuleSet, RuleSetName, RuleSetMatrix, FromMatrix } = params as Readonly<Record<string, string | null>>;
    const name = requireRuleSetName({ RuleSet, RuleSetName, RuleSetMatrix, FromMatrix });
    const useSummary = params['RuleSetUseSummary'] === true;
    assertRuleSetInputs(await findRuleSet(ctx, name, 'RuleSet'), { useSummary, sent: rest });
  },
  returns: 'list',
  errors: [
    'NOT_FOUND',
    'MISSING_PARAMETER',
    'UNKNOWN_PARAMETER',
    'BAD_PARAMETER',
    'RULE_EXCEPTION',
    'VERSION_CONFLICT',
    'NO_PERMISSION',
    'TOO_LARGE',
  ],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(
  operation,
  async (
    ctx,
    {
      ID,
      RuleSet,
      RuleSetName,
      RuleSetMatrix,
      FromMatrix,
      RuleSetUseSummary,
      RuleSetThrowIfError,
      RuleSetForceDirty,
      Version,
    },
    rest,
  ) => {
    assertSummaryCount(ID, RuleSetUseSummary);
    const ruleSet = await findRuleSet(
      ctx,
      requireRuleSetName({ RuleSet, RuleSetName, RuleSetMatrix, FromMatrix }),
      'RuleSet',
    );
    const rows = await applyRuleSet(ctx, ID, {
      ruleSet,
      useSummary: RuleSetUseSummary,
      throwIfError: RuleSetThrowIfError,
      forceDirty: RuleSetForceDirty,
      sent: rest,
      version: Version ?? undefined,
      source: ctx.authority === 'checked' ? 'UpdateFromRule' : 'Save',
    });
    return { kind: 'list', name: ctx.record.name, shape: shapeOf(ctx.record), rows };
  },
);
