import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockRows, requeueRefusal, requeueBatch, requeueRows, type RequeueCandidate } from './lib/requeue.ts';

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Requeue',
  method: 'GET',
  summary:
    'Requeues rows of batches that did not succeed; rows that did are skipped with an alert. They run as ' +
    'the user who first queued them, and their batch ends again.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['ID', 'ImportFileID'],
  params: {
    ID: f.idList({ doc: 'The rows.' }),
    ImportFileID: f.id({ doc: 'Instead of single rows: all rows of a batch that did not succeed.', to: 'ImportFile' }),
    Queue: f.text({ doc: "Queue that replaces the rows' own.", max: 100 }),
  },
  returns: { Requeued: required(f.integer({ doc: 'Number of queued rows.' })) },
  answerName: 'ImportFileQueue',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'STATE_REFUSES', 'BAD_PARAMETER'],
  source: '1-core §3, §4',
});

export const run = handle(operation, async (ctx, { ID, ImportFileID, Queue }) => {
  const queue = Queue ? ctx.queue.queueOf(Queue) : undefined;
  if (ID) return answer(await requeueNamed(ctx, ID, queue));
  if (!ImportFileID)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID is required: the rows. Or send ImportFileID for all rows of a batch that did not succeed.',
    });
  const count = await requeueBatch(ctx, ImportFileID, 'not carried out', queue);
  if (count === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ImportFileID',
      message: 'ImportFileID: no row of this batch can be requeued.',
    });
  return answer(count);
});

const answer = (count: number): ReturnType<typeof item> =>
  item('ImportFileQueue', operation.returns, { Requeued: count });

async function requeueNamed(ctx: Context, ids: readonly number[], queue: string | undefined): Promise<number> {
  const rows = await lockRows(ctx, ids);
  const waiting: RequeueCandidate[] = [];
  const refused: string[] = [];
  for (const row of rows) {
    const why = requeueRefusal(row);
    if (why === undefined) waiting.push(row);
    else {
      refused.push(`Row ${row.id} ${why}`);
      ctx.alert({ code: 'STATE_REFUSES', id: row.id, text: `Row ${row.id} ${why}` });
    }
  }
  if (waiting.length === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: none of the rows can be requeued. ${refused[0] ?? ''}`,
    });
  await requeueRows(ctx, waiting, queue);
  return waiting.length;
}
