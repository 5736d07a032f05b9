import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { hasUnfinished, queueChunk, queueEndBatch, type Chunk } from './lib/chunk.ts';
import { runNextRow, type RowStep } from './lib/run-row.ts';
import { readBatchTerms } from './lib/batch-terms.ts';

/** After so long a call begins no more rows and queues another for what is left: a worker that stops waits no longer than for the row that it is at. */
const RUN_MILLISECONDS = 15_000;

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Process',
  method: 'POST',
  summary:
    'Carries out rows of a batch that the caller has queued, in their order, each in a transaction of its own. Queued by the platform itself with the rows; calling it again does no harm.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  params: {
    ImportFileID: required(f.id({ doc: 'The batch.', to: 'ImportFile' })),
    Queue: required(f.text({ doc: 'Rows of this queue.', max: 100 })),
    From: required(f.id({ doc: 'From this row on.' })),
    To: required(f.id({ doc: 'Up to this row.' })),
    Lane: f.integer({
      doc: 'Of a batch of which a limited number of rows run side by side: the lane whose rows are carried out.',
    }),
    Lanes: f.integer({ doc: 'Of how many lanes it is one.' }),
  },
  transactions: 'own',
  returns: {
    Succeeded: required(f.integer({ doc: 'Rows that were carried out.' })),
    Failed: required(f.integer({ doc: 'Rows that failed.' })),
  },
  answerName: 'ImportFileQueue',
  errors: ['NOT_FOUND'],
  source: '1-core §4, BatchReader',
});

export const run = handle(operation, async (ctx, { ImportFileID, Queue, From, To, Lane, Lanes }) => {
  await readRecord(ctx.db, ctx.registry.requireRecord('ImportFile', 'ImportFileID'), ImportFileID);
  const chunk: Chunk = {
    importFileId: ImportFileID,
    queue: Queue,
    from: From,
    to: To,
    lane: Lanes ? { at: Lane ?? 0, of: Lanes } : undefined,
  };
  const counts = { Succeeded: 0, Failed: 0 };
  const last = await runChunk(ctx, chunk, (step) => void (step === 'complete' ? counts.Succeeded++ : counts.Failed++));
  if (last === 'none') await ctx.inTransaction((own) => queueEndWhenDone(own, ImportFileID, counts.Failed > 0));
  else
    await ctx.inTransaction((own) =>
      queueChunk(own, chunk, { goesOn: true, ...(last === 'time is over' ? {} : { queuedDate: last.until }) }),
    );
  return item('ImportFileQueue', operation.returns, counts);
});

/** Runs rows until none is left, the next is waited for, or time is over. */
async function runChunk(
  ctx: Context,
  chunk: Chunk,
  count: (step: 'complete' | 'error') => void,
): Promise<Exclude<RowStep, 'complete' | 'error'> | 'time is over'> {
  const terms = await readBatchTerms(ctx, chunk.importFileId);
  let { from } = chunk;
  for (const endsAt = performance.now() + RUN_MILLISECONDS; performance.now() < endsAt;) {
    const step = await runNextRow(ctx, { ...chunk, from }, terms, (id) => {
      // Between a lane's rows stand those of slower lanes, as many as there may be: they are not gone over for each row anew.
      if (chunk.lane) from = id + 1;
    });
    if (step === 'none' && from !== chunk.from) {
      // A row that somebody held for a moment was passed by.
      from = chunk.from;
      continue;
    }
    if (step !== 'complete' && step !== 'error') return step;
    count(step);
  }
  return 'time is over';
}

/**
 * Has the batch ended where none of its rows is left. Looked at after the last row's commit: of two workers that finish at the same
 * moment the later sees what both have done. It is looked at too where it was stopped, and where rows have failed: they may be too many.
 */
async function queueEndWhenDone(own: Context, importFileId: number, hasFailed: boolean): Promise<void> {
  const isLeft = await own.transaction().elevated(async (db) => {
    const [run] = await db.query<{ stopped: boolean }>(
      'select stopped from importrun where importfileid = $1::bigint',
      [importFileId],
    );
    return !hasFailed && run?.stopped !== true && (await hasUnfinished(db, importFileId));
  });
  if (!isLeft) await queueEndBatch(own, importFileId);
}
