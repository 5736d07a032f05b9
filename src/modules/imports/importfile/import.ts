import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { runImport } from './lib/run-import.ts';
import { fileAnswer, fileFields, submissionName } from './lib/file-answer.ts';
import { openOrQueue } from './lib/open-scanned-file.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Import',
  method: 'GET',
  summary:
    "Imports a file with its import type's engine, or resumes an interrupted import; usually queued. A " +
    'file that is complete, stopped or canceled is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  // Rows of a batch name their calls.
  callsNamed: true,
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  transactions: 'own',
  returns: fileFields,
  answerName: 'ImportFile',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNKNOWN_PROVIDER', 'UNAVAILABLE'],
  source: '1-core §3, §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = namedRow(ctx, ctx.record);
  const file = await openOrQueue(ctx, row);
  if (!file) return fileAnswer(submissionName(row), ID, 'Queued');
  const begun = await runImport(ctx, file);
  const now = await readRecord(ctx.db, ctx.record, ID);
  if (!begun)
    ctx.alert({
      code: 'STATE_REFUSES',
      id: ID,
      text: `The import file is ${String(now.Status)}; nothing was imported.`,
    });
  return fileAnswer(file.name, ID, String(now.Status));
});
