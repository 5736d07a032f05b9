import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { resultsExample } from '../lib/results-example.ts';

export const operation = defineOperation({
  module: 'import',
  name: 'Result',
  method: 'GET',
  summary: 'Returns the ImportResults of an earlier submission again.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'It is reached by importfile/importresults, which it calls.' },
  params: { ID: required(f.id({ doc: 'The import file, which is the ID of its ImportResults.', to: 'ImportFile' })) },
  form: 'xml',
  returns: 'tree',
  answerName: 'ImportResults',
  example: resultsExample,
  errors: ['NOT_FOUND'],
  source: '3-referrals §4 A',
});

// Succeeds whatever the outcome of the submission, which is in the result.
export const run = handle(operation, async (ctx, { ID }) => ({
  ...(await ctx.call('importfile/importresults', { ID })),
  failed: false,
}));
