import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { byTemplateFields, scoreRows } from './lib/score-rows.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'PivotByTemplate',
  method: 'GET',
  summary:
    'Returns one row per score of a template, with two columns per item (value and confidence), a page at a ' +
    'time. Filters are those of a search of scores.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: byTemplateFields,
  free: 'filters',
  secretAnswer: 'Unmask',
  returns: 'list',
  readWhole: async (ctx, params, filters, take) => (await scoreRows(ctx, params, filters)).whole(take),
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, filters) => (await scoreRows(ctx, params, filters)).page());
