import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { trialExample, trialTree } from './lib/trial-answer.ts';
import { namedBy, readRecord } from '../../../kernel/records/search/read.ts';
import { checkTrialValues, trialOf, tryRule, type TrialParameters } from './lib/try-rule.ts';

const trialParams = {
  ID: f.id({ doc: 'The rule. It need not be active.' }),
  Stylesheet: f.text({ doc: "A text to run instead of the rule's own, or without a rule.", exact: true }),
  AppliesTo: f.text({ doc: 'The table, if no rule is named.', max: 60 }),
  Operation: f.text({
    doc: "The operation to try. Default: the rule's first; without a rule, Update for a record and Insert otherwise.",
    max: 60,
  }),
  RecordID: f.id({ doc: 'The record that would be changed. Empty: a new one.' }),
};

export const operation = defineOperation({
  module: 'businessrule',
  name: 'Try',
  method: 'POST',
  summary:
    'Runs a rule on a record, or on the values sent, without saving. Returns the verdict, the conditions with the ' +
    'values that they compare, and the document that the rule evaluated. Other parameters are values of the ' +
    "table's columns.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: trialParams,
  free: 'any',
  async checkQueued(ctx, params, values) {
    const sent: TrialParameters = params;
    const rules = ctx.registry.recordType('BusinessRule');
    const rule = typeof sent.ID === 'number' ? await namedBy('ID', readRecord(ctx.db, rules, sent.ID)) : undefined;
    await checkTrialValues(ctx, trialOf(rule, sent, values));
  },
  returns: 'tree',
  example: trialExample,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'BAD_STYLESHEET', 'UNKNOWN_PROVIDER', 'UNAVAILABLE', 'TOO_MANY'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, rest) => {
  const { ID, Stylesheet, AppliesTo } = params;
  if ((ID ?? null) === null && (typeof Stylesheet !== 'string' || typeof AppliesTo !== 'string'))
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID: name the rule, or send a Stylesheet and the table that it AppliesTo.',
    });
  const tried = await tryRule(ctx, trialOf(namedRowIfSent(ctx, ctx.record), params, rest));
  return { kind: 'tree' as const, root: trialTree(tried) };
});
