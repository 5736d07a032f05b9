import type { ListAnswer } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { DISPLAY_SIZE_MAX, pagingFields, searchAllRows, searchRecords } from '../../../kernel/records/search/search.ts';
import { searchMessageTexts, type FoundMessage } from '../lib/reading/search-texts.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Search',
  method: 'GET',
  summary:
    'Searches messages by filters on any field, with paging and sorting, and by words (Text): best matches first, ' +
    'each with an excerpt.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...pagingFields,
    Text: f.text({
      doc:
        'Words in the subject, the body, the addresses or the names of the documents, as in FullText of ' +
        'attachment/search: in any grammatical form, "in quotation marks" exactly, `forecl*` by their beginning, ' +
        '`-paid` excluded. At most 300 of the newest messages are compared; OrderBy and Cursor do not apply. New ' +
        'messages are found after a few seconds.',
      max: 200,
    }),
  },
  free: 'filters',
  returns: 'list',
  readWhole: async (ctx, { Text, ...paging }, filters, take) => {
    const text = typeof Text === 'string' ? Text.trim() : '';
    if (text === '') await searchAllRows(ctx, ctx.record, { filters, paging }, take);
    else {
      const found = await searchMessageTexts(ctx, { text, filters, paging: { DisplaySize: DISPLAY_SIZE_MAX } });
      await take(found as ListAnswer<object> as ListAnswer);
    }
  },
  errors: ['BAD_PARAMETER'],
  source: '1-core §1, §4',
});

export const run = handle(operation, async (ctx, { Text, ...paging }, filters): Promise<ListAnswer<FoundMessage>> => {
  const text = Text?.trim() ?? '';
  return text === ''
    ? searchRecords(ctx, ctx.record, filters, paging)
    : searchMessageTexts(ctx, { text, filters, paging });
});
