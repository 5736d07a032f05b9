import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { copyParameters, freeName } from './lib/copy-template.ts';

export const operation = defineOperation({
  module: 'decisiontemplate',
  name: 'Copy',
  method: 'POST',
  summary:
    'Copies a workflow template with its steps and dependencies under a new name. Existing workflows ' +
    'keep the original.',
  effect: 'write',
  idempotent: false,
  on: 'configuration',
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The workflow template.' })),
    DecisionTemplate: f.text({
      doc: 'The name of the copy. Defaults to the original name with `(copy)`, numbered from the second on.',
      max: 100,
    }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'DUPLICATE_KEY', 'BAD_PARAMETER'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { DecisionTemplate }) => {
  // Two copies made at the same time get their names one after the other.
  const template = namedRow(ctx, ctx.record);
  const named = DecisionTemplate?.trim() ?? '';
  const name = named === '' ? await freeName(ctx, template) : named;
  return ctx.call('decisiontemplate/save', {}, await copyParameters(ctx, template, name));
});
