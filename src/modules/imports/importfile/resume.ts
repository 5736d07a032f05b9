import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { fileAnswer, fileFields } from './lib/file-answer.ts';
import { openImportFile } from './lib/open-import-file.ts';
import { queueImport } from './lib/queue-import.ts';
import { wrongStatus } from './lib/wrong-status.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Resume',
  method: 'POST',
  summary: 'Resumes a stopped import at the first unprocessed row; queued.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  // Rows of a batch name their calls.
  callsNamed: true,
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: fileFields,
  answerName: 'ImportFile',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'decisions, Imports',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const file = await openImportFile(ctx, namedRow(ctx, ctx.record));
  const [row] = await ctx.db.query<{ status: string }>(
    'select status from importfile where importfileid = $1::bigint for update',
    [ID],
  );
  if (row?.status !== 'Stopped')
    throw wrongStatus(
      'only a Stopped import can be resumed. To retry failed or canceled rows of a batch, call ' +
        'importfilequeue/requeue.',
      row?.status,
    );
  await queueImport(ctx, file.template, ID);
  return fileAnswer(file.name, ID, 'Queued');
});
