import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { resultsExample } from '../lib/results-example.ts';
import { importResults } from './lib/results.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'ImportResults',
  method: 'GET',
  summary:
    'Returns the ImportResults of a run: its counts and a Result for each record. Those of a run of more than ' +
    '10,000 records are sent as XML while they are read; other formats list only failures and warnings.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: 'tree',
  answerName: 'ImportResults',
  example: resultsExample,
  errors: ['NOT_FOUND'],
  source: '3-referrals §2 A',
});

export const run = handle(operation, (ctx) => importResults(ctx, namedRow(ctx, ctx.record)));
