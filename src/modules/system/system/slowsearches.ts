import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal } from './lib/index-definition.ts';
import { suggestIndex } from './lib/suggest-index.ts';

const slowSearchFields = {
  RecordType: f.text({ doc: 'The record type that was searched.' }),
  Filters: f.text({
    doc: 'The columns that the searches filtered by, with `*` before those searched by a pattern.',
  }),
  OrderBy: f.text({ doc: 'The columns that they were sorted by.' }),
  Searches: f.integer({
    doc: 'Number of searches that took longer than the setting SlowSearchMilliseconds and read a whole table.',
  }),
  LastDate: f.timestamp({ doc: 'When the last one ran.' }),
  LastMilliseconds: f.integer({ doc: 'Its duration in milliseconds.' }),
  WorstMilliseconds: f.integer({ doc: 'The duration of the slowest one in milliseconds.' }),
  IndexKind: f.text({
    doc: 'The kind of an index that would serve them, for `system/createindex`; empty if none would.',
  }),
  IndexColumns: f.text({ doc: 'Its columns.' }),
};

export const operation = defineOperation({
  module: 'system',
  name: 'SlowSearches',
  method: 'GET',
  summary:
    'Lists slow searches that read a whole table, by record type and columns, most frequent first, each ' +
    'with an index that would serve it.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {},
  returns: 'list',
  answerName: 'SlowSearch',
  rows: slowSearchFields,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-06',
});

interface StoredSlowSearch {
  readonly recordtype: string;
  readonly filters: string;
  readonly orderby: string;
  readonly searches: number;
  readonly lastdate: string;
  readonly lastmilliseconds: number;
  readonly worstmilliseconds: number;
}

export const run = handle(operation, async (ctx) => {
  assertUniversal(ctx.user);
  const rows = await ctx.db.query<StoredSlowSearch>(
    `select recordtype, filters, orderby, searches, lastdate, lastmilliseconds, worstmilliseconds
     from slowsearch
     order by searches desc, lastdate desc`,
  );
  return list(
    'SlowSearch',
    slowSearchFields,
    rows.map((row) => {
      const index = suggestIndex(ctx.registry, row);
      return {
        RecordType: row.recordtype,
        Filters: row.filters,
        OrderBy: row.orderby,
        Searches: row.searches,
        LastDate: row.lastdate,
        LastMilliseconds: row.lastmilliseconds,
        WorstMilliseconds: row.worstmilliseconds,
        IndexKind: index?.kind ?? null,
        IndexColumns: index?.columns ?? null,
      };
    }),
  );
});
