import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { DISPLAY_SIZE_MAX, searchAllPages, searchRecords } from '../../../kernel/records/search/search.ts';
import { listedType, viewFilters } from './lib/view-search.ts';

export const operation = defineOperation({
  module: 'view',
  name: 'ExportRecords',
  method: 'GET',
  summary: 'Returns all records of a list, page after page, for a file: with Output=Csv as a table.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {
    RecordType: required(f.text({ doc: 'The record type that the list shows.', max: 60, exact: true })),
    Filters: f.text({ doc: 'Its filters as a query string, as in a view.', max: 4000, exact: true }),
    Columns: f.text({ doc: 'Its columns, comma-separated. Empty: all.', max: 2000, exact: true }),
    OrderBy: f.text({ doc: 'The columns to sort by, comma-separated.', max: 500, exact: true }),
  },
  returns: 'list',
  errors: ['BAD_PARAMETER', 'UNKNOWN_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, (ctx, { RecordType, Filters, Columns, OrderBy }) => {
  const record = listedType(ctx, RecordType);
  const { filters, named } = viewFilters(ctx, record, Filters);
  const paging = {
    SqlFilters: named,
    SqlColumns: splitCommaList(Columns ?? ''),
    OrderBy: splitCommaList(OrderBy ?? ''),
    RecordCount: false,
    DisplaySize: DISPLAY_SIZE_MAX,
  };
  // A queued call stores its answer, and an agent reads it in one piece: both get the first page.
  const isStreamed = ctx.messageId === undefined && ctx.user.agent !== true;
  return isStreamed ? searchAllPages(ctx, record, filters, paging) : searchRecords(ctx, record, filters, paging);
});
