import { item } from '../../../kernel/door/answer.ts';
import { lockName } from '../../../kernel/database/advisory-lock.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { addedRow, indexFields } from './lib/index-answer.ts';
import { assertUniversal } from './lib/index-definition.ts';
import { markRemoved } from './lib/stored-indexes.ts';

export const operation = defineOperation({
  module: 'system',
  name: 'DeleteIndex',
  method: 'POST',
  summary:
    'Removes an index that an administrator added. Built-in indexes cannot be removed. The index is ' +
    'dropped in the background, without downtime.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { SearchIndexID: required(f.id({ doc: 'The index.' })) },
  returns: indexFields,
  answerName: 'SearchIndex',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION', 'NOT_FOUND'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { SearchIndexID }) => {
  assertUniversal(ctx.user);
  await lockName(ctx, 'search indexes');
  const index = await markRemoved(ctx.db, SearchIndexID);
  if (!index)
    throw new PlatformError('NOT_FOUND', {
      field: 'SearchIndexID',
      message: `SearchIndexID: there is no added index with this ID.`,
    });
  await ctx.security({
    event: 'SearchIndexDeleted',
    object: index.recordtype,
    detail: `${index.indexkind} ${index.columns}`,
  });
  return item('SearchIndex', indexFields, addedRow(index));
});
