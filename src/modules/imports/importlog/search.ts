import type { ListAnswer } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { parameter, type Parameters } from '../../../kernel/parameters/parameters.ts';
import {
  DISPLAY_SIZE_MAX,
  pagingFields,
  searchAllPages,
  searchAllRows,
  searchRecords,
} from '../../../kernel/records/search/search.ts';
import { importLog } from './importlog.record.ts';

export const operation = defineOperation({
  module: 'importlog',
  name: 'Search',
  method: 'GET',
  summary:
    'Searches rows of import logs by filters on any field, with sorting. A search for one import file ' +
    '(ImportFileID) returns every row over HTTP, unless DisplaySize, RecordStart or Cursor requests a page.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...pagingFields,
    RecordStart: f.integer({ doc: 'How many rows to skip; default 0.' }),
    DisplaySize: f.integer({
      doc:
        `How many rows to return, at most ${DISPLAY_SIZE_MAX}. Default: all rows of the import file, or 25 if ` +
        'ImportFileID is not sent.',
    }),
  },
  free: 'filters',
  returns: 'list',
  readWhole: (ctx, paging, filters, take) => searchAllRows(ctx, ctx.record, { filters, paging }, take),
  errors: ['BAD_PARAMETER'],
  source: '3-referrals §4 B',
});

export const run = handle(operation, (ctx, params, filters): Promise<ListAnswer> => {
  const { RecordStart, DisplaySize, Cursor } = params;
  const isPage = [RecordStart, DisplaySize, Cursor].some((value) => value !== undefined && value !== null);
  return isPage || !isOfOneFile(ctx, filters) || !isStreamed(ctx)
    ? searchRecords(ctx, importLog, filters, params)
    : searchAllPages(ctx, importLog, filters, params);
});

/** Whether a search is within the log of one import file. */
function isOfOneFile({ parent }: Context, filters: Parameters): boolean {
  const id = parameter(filters, 'ImportFileID');
  return (
    parent?.record.name === 'ImportFile' || typeof id === 'number' || /^\d+$/.test(typeof id === 'string' ? id : '')
  );
}

/** Queued calls store their answer, and agents read it in pages. */
function isStreamed({ messageId, user }: Context): boolean {
  return messageId === undefined && user.agent !== true;
}
