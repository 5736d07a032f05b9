import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { markAllQueued, endBatch, createBatch } from './lib/batch.ts';
import { BatchRows } from './lib/batch-rows.ts';
import { fileFields } from './lib/file-answer.ts';

/** Rows of a workflow step's batch that run concurrently by default. */
const STEP_LANES = 4;
/** Most rows that can run concurrently. */
const LANES_MAX = 64;

export const operation = defineOperation({
  module: 'importfile',
  name: 'Batch',
  method: 'GET',
  summary:
    'Runs a query and queues a call for each of its rows, as rows of one new import file. Each call runs ' +
    'as the same user, whose permissions and access are checked then.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'DecisionStepID',
  params: {
    ClassName: required(f.text({ doc: 'Module of the query.', max: 60 })),
    Operation: required(
      f.text({
        doc:
          'The query: an operation that returns a list or a tree, such as Search or a saved statement. All ' +
          'other parameters are passed to it.',
        max: 200,
      }),
    ),
    Signature: required(
      f.text({
        doc: "The call for each row, such as Message/Send?ID={MessageID}. {Column} is replaced with the row's value.",
        max: 20_000,
        exact: true,
      }),
    ),
    DecisionStepID: f.id({
      doc:
        'The workflow step that waits for the batch. It completes with the last row, or ends in Error with the ' +
        'number of failed rows.',
      to: 'DecisionStep',
    }),
    BatchStepTheadCount: f.integer({
      doc:
        `Most rows that run concurrently, 1 to ${LANES_MAX}. Default: ${STEP_LANES} for a workflow step, ` +
        'otherwise as many as there are workers.',
    }),
    BatchQueue: f.text({
      doc: 'Queue of the calls; default Batch. A column Queue of the row takes precedence.',
      max: 100,
    }),
  },
  free: 'any',
  callsNamed: true,
  returns: { ...fileFields, RowCount: required(f.integer({ doc: 'Number of rows that the query found.' })) },
  answerName: 'ImportFile',
  errors: ['BAD_PARAMETER', 'BAD_SIGNATURE', 'NO_PERMISSION', 'UNKNOWN_OPERATION', 'TOO_LARGE'],
  source: '1-core §4',
});

export const run = handle(
  operation,
  async (ctx, { ClassName, Operation, Signature, BatchQueue, DecisionStepID, BatchStepTheadCount }, filters) => {
    if (!ctx.registry.hasModule(ClassName)) throw bad('ClassName', 'the name of a module, such as Contact');
    const signature = await checkSignature(ctx, Signature, { field: 'Signature' });
    const queue = BatchQueue ? ctx.queue.queueOf(BatchQueue) : undefined;
    const name = `${ClassName}/${Operation}`;
    const lanes = lanesOf(BatchStepTheadCount, DecisionStepID);
    const importFileId = await createBatch(ctx, name, DecisionStepID ?? undefined);
    const rows = new BatchRows(ctx, { importFileId, signature, queue, later: lanes !== undefined });
    // One transaction: either every call of the batch is queued, or none.
    await ctx
      .readNamed(name, filters, (piece) => rows.addRows(piece))
      .catch((error: unknown) => {
        throw error instanceof PlatformError && error.code === 'UNKNOWN_OPERATION'
          ? new PlatformError('UNKNOWN_OPERATION', { field: 'Operation', message: `Operation: ${error.message}` })
          : error;
      });
    const RowCount = await rows.end();
    await markAllQueued(ctx, importFileId, RowCount, lanes);
    if (lanes !== undefined) await ctx.call('importfilequeue/start', { ImportFileID: importFileId, Lanes: lanes });
    // Without rows that could be queued the batch ends at once.
    await endBatch(ctx, importFileId);
    const [file] = await ctx.db.query<{ status: string }>(
      'select status from importfile where importfileid = $1::bigint',
      [importFileId],
    );
    return item('ImportFile', operation.returns, {
      ImportFile: name,
      ImportFileID: importFileId,
      Status: file?.status ?? '',
      RowCount,
    });
  },
);

function lanesOf(sent: number | null | undefined, stepId: number | null | undefined): number | undefined {
  if (sent === undefined || sent === null) return stepId ? STEP_LANES : undefined;
  if (sent < 1 || sent > LANES_MAX) throw bad('BatchStepTheadCount', `1 to ${LANES_MAX}`);
  return sent;
}
