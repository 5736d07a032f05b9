import { isAllQueued } from '../../../contracts/import-engine.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { endBatch } from './lib/batch.ts';
import { markStopped } from './lib/run-import.ts';
import { fileAnswer, fileFields, submissionName } from './lib/file-answer.ts';
import { isAbandoned } from './lib/abandoned-imports.ts';
import { wrongStatus } from './lib/wrong-status.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Stop',
  method: 'POST',
  summary: 'Stops an import after its current piece. Saved records remain, and importfile/resume continues after them.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: fileFields,
  answerName: 'ImportFile',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'decisions, Imports',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const file = namedRow(ctx, ctx.record);
  const status = file.Status ?? '';
  const name = submissionName(file);
  if (status === 'Stopped') return fileAnswer(name, ID, status);
  if (status === 'Importing') {
    // The run reads this at the end of each piece, and may end first.
    const [run] = await ctx
      .transaction()
      .elevated((db) =>
        db.query<{ state: string | null; active: string }>(
          'update importrun set stopped = true where importfileid = $1::bigint returning state, activedate as active',
          [ID],
        ),
      );
    if (!run) throw wrongStatus('a referral cannot be stopped while its sender waits for the results.', status);
    if (!isAllQueued(run.state) && !isAbandoned(ctx, run.active)) return fileAnswer(name, ID, status);
    // No run reads a batch whose rows are queued; its workers check before each row. A dead process reads nothing.
    if (isAllQueued(run.state)) await endBatch(ctx, ID);
    else await markStopped(ctx, ID);
    return fileAnswer(name, ID, 'Stopped');
  }
  if (status !== 'New' && status !== 'Queued') throw wrongStatus('there is nothing to stop.', status);
  await markStopped(ctx, ID);
  return fileAnswer(name, ID, 'Stopped');
});
