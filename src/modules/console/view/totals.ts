import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { searchTotals } from '../../../kernel/records/search/search-totals.ts';
import { listedType, viewFilters } from './lib/view-search.ts';

/** Most records that are added up; a list of more shows no sum. */
const ROWS_MAX = 10_000;

export const operation = defineOperation({
  module: 'view',
  name: 'Totals',
  method: 'GET',
  summary: 'Adds up a column of the records that a list shows, of at most 10,000, and counts those of a named filter.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {
    RecordType: required(f.text({ doc: 'The record type that the list shows.', max: 60, exact: true })),
    Filters: f.text({ doc: 'Its filters as a query string, as in a view.', max: 4000, exact: true }),
    Sum: f.text({ doc: 'The column to add up, of amounts or numbers.', max: 100 }),
    Among: f.text({ doc: 'A named filter of the record type, such as Late.', max: 100 }),
  },
  returns: {
    Count: required(f.integer({ doc: 'Number of records that were read.' })),
    IsMore: required(f.boolean({ doc: 'Whether there are more, so that the totals are only those of a part.' })),
    Sum: f.decimal({ doc: 'The sum of the column.' }),
    Among: required(f.integer({ doc: 'How many of the records the named filter finds.' })),
  },
  answerName: 'ViewTotals',
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { RecordType, Filters, Sum, Among }) => {
  const record = listedType(ctx, RecordType);
  const { count, sum, among } = await searchTotals(ctx, record, {
    ...viewFilters(ctx, record, Filters),
    sum: Sum ?? undefined,
    among: Among ?? undefined,
    most: ROWS_MAX + 1,
  });
  return item('ViewTotals', operation.returns, { Count: count, IsMore: count > ROWS_MAX, Sum: sum, Among: among });
});
