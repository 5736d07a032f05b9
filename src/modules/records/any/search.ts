import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { pagingFields, searchRecords, searchAllRows } from '../../../kernel/records/search/search.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Search',
  method: 'GET',
  summary: 'Searches records by filters on any field, with paging and sorting.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: pagingFields,
  free: 'filters',
  returns: 'list',
  readWhole: (ctx, paging, filters, take) => searchAllRows(ctx, ctx.record, { filters, paging }, take),
  errors: ['BAD_PARAMETER'],
  source: '1-core §1, §4',
});

export const run = handle(operation, (ctx, params, filters) => searchRecords(ctx, ctx.record, filters, params));
