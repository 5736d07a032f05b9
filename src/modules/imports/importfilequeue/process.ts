import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { hasUnfinished, queueChunk, queueEndBatch, type Chunk } from './lib/chunk.ts';
import { runNextRow, type RowStep } from './lib/run-row.ts';
import { readBatchTerms } from './lib/batch-terms.ts';

/**
 * After this time a call starts no more rows and queues another call for the rest, so that a stopping worker waits only
 * for its current row.
 */
const RUN_MILLISECONDS = 15_000;

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Process',
  method: 'POST',
  summary:
    'Runs rows of a batch queued by the caller, in order, each in its own transaction. Queued by the ' +
    'platform with the rows; calling it again is harmless.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  names: 'ImportFileID',
  params: {
    ImportFileID: required(f.id({ doc: 'The batch.', to: 'ImportFile' })),
    Queue: required(f.text({ doc: 'Queue of the rows.', max: 100 })),
    From: required(f.id({ doc: 'From this row on.' })),
    To: required(f.id({ doc: 'Up to this row.' })),
    Lane: f.integer({
      doc: 'For a batch with limited concurrency: the lane whose rows run.',
    }),
    Lanes: f.integer({ doc: 'Number of lanes of the batch.' }),
  },
  transactions: 'own',
  returns: {
    Succeeded: required(f.integer({ doc: 'Rows that succeeded.' })),
    Failed: required(f.integer({ doc: 'Rows that failed.' })),
  },
  answerName: 'ImportFileQueue',
  errors: ['NOT_FOUND'],
  source: '1-core §4, BatchReader',
});

export const run = handle(operation, async (ctx, { ImportFileID, Queue, From, To, Lane, Lanes }) => {
  const chunk: Chunk = {
    importFileId: ImportFileID,
    queue: Queue,
    from: From,
    to: To,
    lane: Lanes ? { at: Lane ?? 0, of: Lanes } : undefined,
  };
  const counts = { Succeeded: 0, Failed: 0 };
  const last = await runChunk(ctx, chunk, (step) => {
    if (step === 'complete') counts.Succeeded++;
    else counts.Failed++;
  });
  if (last === 'none') await ctx.inTransaction((own) => queueEndWhenDone(own, ImportFileID, counts.Failed > 0));
  else
    await ctx.inTransaction((own) =>
      queueChunk(own, chunk, { goesOn: true, ...(last === 'time is over' ? {} : { queuedDate: last.until }) }),
    );
  return item('ImportFileQueue', operation.returns, counts);
});

/** Runs rows until none is left, the next one is running elsewhere, or time is up. */
async function runChunk(
  ctx: Context,
  chunk: Chunk,
  count: (step: 'complete' | 'error') => void,
): Promise<Exclude<RowStep, 'complete' | 'error'> | 'time is over'> {
  const terms = await readBatchTerms(ctx, chunk.importFileId);
  let { from } = chunk;
  for (const endsAt = performance.now() + RUN_MILLISECONDS; performance.now() < endsAt;) {
    const step = await runNextRow(ctx, { ...chunk, from }, terms, (id) => {
      // Between a lane's rows are those of slower lanes, in any number; do not scan them again for each row.
      if (chunk.lane) from = id + 1;
    });
    if (step === 'none' && from !== chunk.from) {
      // A row that was locked for a moment was skipped; start over.
      from = chunk.from;
      continue;
    }
    if (step !== 'complete' && step !== 'error') return step;
    count(step);
  }
  return 'time is over';
}

/**
 * Queues the check that ends the batch if no row is left. It runs after the last row's commit: of two workers that
 * finish at the same moment, the later sees both outcomes. The batch is also checked if it was stopped, and if rows
 * have failed, which may be too many.
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
