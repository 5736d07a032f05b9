import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { markAllQueued, endBatch, createBatch } from './lib/batch.ts';
import { checkBatch, LANES_MAX, namingOperation, STEP_LANES, type BatchParameters } from './lib/batch-request.ts';
import { BatchRows } from './lib/batch-rows.ts';
import { fileFields } from './lib/file-answer.ts';

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
    LabelColumn: f.text({ doc: "The query's column that says what each row is about.", max: 100 }),
  },
  free: 'any',
  async checkQueued(ctx, params, filters) {
    const { query } = await checkBatch(ctx, params as unknown as BatchParameters);
    await namingOperation(ctx.checkReadNamed(query, filters));
  },
  callsNamed: true,
  returns: { ...fileFields, RowCount: required(f.integer({ doc: 'Number of rows that the query found.' })) },
  answerName: 'ImportFile',
  errors: ['BAD_PARAMETER', 'BAD_SIGNATURE', 'NO_PERMISSION', 'UNKNOWN_OPERATION', 'TOO_LARGE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, filters) => {
  const { query, signature, queue, lanes } = await checkBatch(ctx, params);
  const { DecisionStepID, LabelColumn } = params;
  const importFileId = await createBatch(ctx, query, DecisionStepID ?? undefined);
  const rows = new BatchRows(ctx, {
    importFileId,
    signature,
    queue,
    later: lanes !== undefined,
    labelColumn: LabelColumn ?? undefined,
  });
  // One transaction: either every call of the batch is queued, or none.
  await namingOperation(ctx.readNamed(query, filters, (piece) => rows.addRows(piece)));
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
    ImportFile: query,
    ImportFileID: importFileId,
    Status: file?.status ?? '',
    RowCount,
  });
});
