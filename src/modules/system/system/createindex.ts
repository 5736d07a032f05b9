import { item } from '../../../kernel/door/answer.ts';
import { lockName } from '../../../kernel/database/advisory-lock.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { addedRow, indexFields } from './lib/index-answer.ts';
import { assertUniversal, indexDefinition } from './lib/index-definition.ts';
import { assertNewIndex } from './lib/new-index.ts';
import { addedIndexes, insertIndex } from './lib/stored-indexes.ts';

export const operation = defineOperation({
  module: 'system',
  name: 'CreateIndex',
  method: 'POST',
  summary:
    'Adds an index on columns of a record type, for searches that read the whole table without one. It is ' +
    'created in the background, without downtime; `system/indexes` shows the progress.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    RecordType: required(f.text({ doc: 'The record type.', max: 60 })),
    Columns: required(
      f.textList({
        doc:
          'Its columns, at most 4, comma-separated: first those compared for equality, then the one used for a ' +
          'range or for sorting. A leading minus sorts in descending order: `Status,-CreatedDate`.',
      }),
    ),
    IndexKind: f.choice(['Value', 'Contains'], {
      doc: '`Value`: for equality, ranges and sorting. `Contains`: for `*` searches in one text column.',
      default: 'Value',
    }),
  },
  returns: indexFields,
  answerName: 'SearchIndex',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION', 'DUPLICATE_KEY', 'STATE_REFUSES'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { RecordType, Columns, IndexKind }) => {
  assertUniversal(ctx.user);
  const index = indexDefinition(ctx.registry, { recordType: RecordType, columns: Columns, kind: IndexKind });
  await lockName(ctx, 'search indexes');
  await assertNewIndex(ctx.db, index);
  const id = await insertIndex(ctx.db, index, ctx.user.personId);
  await ctx.security({
    event: 'SearchIndexCreated',
    object: index.recordType,
    detail: `${index.kind} ${index.columns}`,
  });
  const row = (await addedIndexes(ctx.db)).find(({ searchindexid }) => searchindexid === id);
  return item('SearchIndex', indexFields, row ? addedRow(row) : {});
});
