import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { WORKBOOK_MIME } from '../../../lib/writers/workbook.ts';
import { listWorkbook } from './lib/list-workbook.ts';
import { listedType, viewFilters } from './lib/view-search.ts';

export const operation = defineOperation({
  module: 'view',
  name: 'ExportWorkbook',
  method: 'GET',
  summary:
    'Returns all records of a list as a workbook for Excel (.xlsx): dates and amounts as such, and other records by ' +
    'their labels.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {
    RecordType: required(f.text({ doc: 'The record type that the list shows.', max: 60, exact: true })),
    Filters: f.text({ doc: 'Its filters as a query string, as in a view.', max: 4000, exact: true }),
    Columns: f.text({ doc: 'Its columns, comma-separated. Empty: all.', max: 2000, exact: true }),
    OrderBy: f.text({ doc: 'The columns to sort by, comma-separated.', max: 500, exact: true }),
  },
  returns: 'content',
  errors: ['BAD_PARAMETER', 'UNKNOWN_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { RecordType, Filters, Columns, OrderBy }) => {
  const record = listedType(ctx, RecordType);
  const search = {
    ...viewFilters(ctx, record, Filters),
    columns: splitCommaList(Columns ?? ''),
    orderBy: splitCommaList(OrderBy ?? ''),
  };
  return {
    kind: 'content',
    mime: WORKBOOK_MIME,
    fileName: `${record.titlePlural}.xlsx`,
    disposition: 'attachment',
    bytes: await listWorkbook(ctx, record, search),
  };
});
