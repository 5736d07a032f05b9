import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { queueEndBatch } from './lib/chunk.ts';
import { requeueBatch } from './lib/requeue.ts';

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Resume',
  method: 'POST',
  summary:
    'Resumes a batch that was stopped, or whose messages were lost: requeues its unfinished rows. Failed ' +
    'rows stay failed.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ImportFileID',
  params: { ImportFileID: required(f.id({ doc: 'The batch.', to: 'ImportFile' })) },
  returns: { Requeued: required(f.integer({ doc: 'Number of queued rows.' })) },
  answerName: 'ImportFileQueue',
  errors: ['NOT_FOUND'],
  source: 'decisions, Imports',
});

export const run = handle(operation, async (ctx, { ImportFileID }) => {
  await ctx.transaction().elevated(async (db) => {
    const [stopped] = await db.query(
      `update importfile set status = 'Importing', message = null, updateddate = $2::timestamptz,
        updatedpersonid = $3::bigint, version = version + 1
       where importfileid = $1::bigint and status = 'Stopped' returning 1`,
      [ImportFileID, ctx.clock.now(), ctx.user.personId],
    );
    if (stopped) await db.query('update importrun set stopped = false where importfileid = $1::bigint', [ImportFileID]);
  });
  const Requeued = await requeueBatch(ctx, ImportFileID, 'unfinished');
  // It was stopped after its last row.
  if (Requeued === 0) await queueEndBatch(ctx, ImportFileID);
  return item('ImportFileQueue', operation.returns, { Requeued });
});
