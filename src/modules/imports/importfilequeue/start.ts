import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { queueLanes } from './lib/chunk.ts';

/** Most lanes of a batch. */
const LANES_MAX = 64;

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Start',
  method: 'POST',
  summary:
    'Queues the rows of a batch that were added with Later, so that a limited number of them run ' +
    'concurrently. Called by importfile/batch.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ImportFileID',
  params: {
    ImportFileID: required(f.id({ doc: 'The batch: an import file that is Importing.', to: 'ImportFile' })),
    Lanes: required(f.integer({ doc: `Most rows that run concurrently, 1 to ${LANES_MAX}.` })),
  },
  returns: { ImportFileID: required(f.id({ doc: 'The batch.' })) },
  answerName: 'ImportFileQueue',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER'],
  source: '2-workflow §3',
});

export const run = handle(operation, async (ctx, { ImportFileID, Lanes }) => {
  if (Lanes < 1 || Lanes > LANES_MAX) throw bad('Lanes', `1 to ${LANES_MAX}`);
  const [state] = await ctx.db.query<{ status: string }>(
    'select status from importfile where importfileid = $1::bigint for share',
    [ImportFileID],
  );
  if (state?.status !== 'Importing')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ImportFileID',
      message:
        `ImportFileID: the import file is ${state?.status ?? 'deleted'}; ` +
        'its rows can be queued only while it is Importing.',
    });
  await queueLanes(ctx, ImportFileID, Lanes);
  return item('ImportFileQueue', operation.returns, { ImportFileID });
});
