import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { tablesOf } from '../../../kernel/database/sql.ts';
import { indexFields, indexRows } from './lib/index-answer.ts';
import { assertUniversal } from './lib/index-definition.ts';
import { addedIndexes, databaseIndexes } from './lib/stored-indexes.ts';

export const operation = defineOperation({
  module: 'system',
  name: 'Indexes',
  method: 'GET',
  summary:
    'Lists the indexes of record types, built-in and added, with their size and use, and the progress of ' +
    'those being built.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { RecordType: f.text({ doc: 'Only indexes that searches of this record type can use.', max: 60 }) },
  returns: 'list',
  answerName: 'SearchIndex',
  rows: indexFields,
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { RecordType }) => {
  assertUniversal(ctx.user);
  const records =
    RecordType === null || RecordType === undefined
      ? ctx.registry.records()
      : tablesOf(ctx.registry.requireRecord(RecordType, 'RecordType'));
  const names = new Set(records.map(({ name }) => name));
  const [stored, added] = await Promise.all([
    databaseIndexes(ctx.db, [...new Set(records.map(({ table }) => table))]),
    addedIndexes(ctx.db),
  ]);
  const shown = added.filter(({ recordtype }) => names.has(recordtype));
  return list('SearchIndex', indexFields, indexRows(ctx.registry, stored, shown));
});
