import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { resultsExample } from './lib/results.ts';

export const operation = defineOperation({
  module: 'import',
  name: 'Result',
  method: 'GET',
  summary: 'Answers the ImportResults of an earlier submission again.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: "The ID of the ImportResults: the import file's.", to: 'ImportFile' })) },
  form: 'xml',
  returns: 'tree',
  answerName: 'ImportResults',
  example: resultsExample,
  errors: ['NOT_FOUND'],
  source: '3-referrals §4 A',
});

// Asking again succeeds whatever the submission came to: its own outcome stands in the answer.
export const run = handle(operation, async (ctx, { ID }) => ({
  kind: 'tree',
  root: (await ctx.call('importfile/importresults', { ID })).root,
}));
