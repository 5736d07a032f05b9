import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { validateImportFile } from './lib/run-import.ts';
import { fileAnswer, fileFields } from './lib/file-answer.ts';
import { openImportFile } from './lib/open-import-file.ts';
import { queueImport } from './lib/queue-import.ts';
import { wrongStatus } from './lib/wrong-status.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Validate',
  method: 'GET',
  summary:
    "Validates an import file as a whole, by its engine and the import type's ValidateStatement, whose " +
    'rows are issues; queues its import if there are none.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  transactions: 'own',
  returns: fileFields,
  answerName: 'ImportFile',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '1-core §3, §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const file = await openImportFile(ctx, namedRow(ctx, ctx.record));
  if (file.status !== 'New') throw wrongStatus('only a New file can be validated.', file.status);
  if (!(await validateImportFile(ctx, file))) return fileAnswer(file.name, ID, 'Validation Error');
  await ctx.inTransaction((own) => queueImport(own, file.template, ID));
  return fileAnswer(file.name, ID, 'Queued');
});
