import type { ListAnswer } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { DISPLAY_SIZE_MAX, pagingFields, searchAllRows, searchRecords } from '../../../kernel/records/search/search.ts';
import { attachment } from './attachment.record.ts';
import { searchTexts, type FoundDocument } from './lib/text/search-texts.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Search',
  method: 'GET',
  summary:
    'Searches documents by filters on any field, with paging and sorting, and by the text in them (FullText): best ' +
    'matches first, each with its page and an excerpt.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...pagingFields,
    FullText: f.text({
      doc:
        'Words that one page of the document has, or its name and type, in any grammatical form and whatever their ' +
        'case and accents. "In quotation marks": exactly these words in this order, none of them on the next page. ' +
        '`forecl*`: words that begin so, from four characters on. `-paid`: not this word. Numbers such as ' +
        '26-CV-1234567 are found with and without their separators. At most 300 pages of the newest documents are ' +
        'compared; OrderBy and Cursor do not apply.',
      max: 200,
    }),
  },
  free: 'filters',
  returns: 'list',
  readWhole: async (ctx, { FullText, ...paging }, filters, take) => {
    const text = typeof FullText === 'string' ? FullText.trim() : '';
    if (text === '') await searchAllRows(ctx, attachment, { filters, paging }, take);
    else await take(await searchTexts(ctx, { text, filters, paging: { DisplaySize: DISPLAY_SIZE_MAX } }));
  },
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §1, §4',
});

export const run = handle(
  operation,
  async (ctx, { FullText, ...paging }, filters): Promise<ListAnswer<FoundDocument>> => {
    const text = FullText?.trim() ?? '';
    return text === '' ? searchRecords(ctx, attachment, filters, paging) : searchTexts(ctx, { text, filters, paging });
  },
);
