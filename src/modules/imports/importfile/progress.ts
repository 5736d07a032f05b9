import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { progressFields, importProgress } from './lib/progress.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Progress',
  method: 'GET',
  summary:
    'Returns the progress of an import: rows, rate, remaining time, and the outcome of the rows so far. ' +
    'Can be called while the import runs.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: progressFields,
  answerName: 'ImportProgress',
  errors: ['NOT_FOUND'],
  source: 'decisions, Imports',
});

export const run = handle(operation, async (ctx) =>
  item('ImportProgress', progressFields, await importProgress(ctx, namedRow(ctx, ctx.record))),
);
