import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal } from './lib/index-definition.ts';
import { suggestIndex } from './lib/suggest-index.ts';

const slowSearchFields = {
  RecordType: f.text({ doc: 'The record type that was searched.' }),
  Filters: f.text({
    doc: 'The columns that the searches filtered by, with `*` before those whose texts were searched with `*`.',
  }),
  OrderBy: f.text({ doc: 'The columns that they were sorted by.' }),
  Searches: f.integer({ doc: 'How many took longer than the setting SlowSearchMilliseconds and read a whole table.' }),
  LastDate: f.timestamp({ doc: 'When the last one ran.' }),
  LastMilliseconds: f.integer({ doc: 'How long it took.' }),
  WorstMilliseconds: f.integer({ doc: 'How long the slowest one took.' }),
  IndexKind: f.text({ doc: 'An index that would serve them, as `system/createindex` takes it; empty if none can.' }),
  IndexColumns: f.text({ doc: 'Its columns.' }),
};

export const operation = defineOperation({
  module: 'system',
  name: 'SlowSearches',
  method: 'GET',
  summary:
    'Lists the searches that took long because they read a whole table, by record type and columns, the most ' +
    'frequent first, each with the index that would serve it.',
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
