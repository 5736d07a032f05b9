import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRequest, requestFields } from './lib/bulk-request.ts';
import { startRun } from './lib/start-run.ts';

export const operation = defineOperation({
  module: 'bulkrun',
  name: 'Start',
  method: 'POST',
  summary:
    'Makes a call for each of many records, in the background. Each call is a transaction of its own, runs as the ' +
    'current user, and is made once; its result is a row of the batch.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  callsNamed: true,
  params: {
    BulkRun: required(f.text({ doc: 'What is done, in words: "Assign 3 cases".', max: 255 })),
    ...requestFields,
    UndoSignature: f.text({
      doc:
        'The call that undoes one, such as Process/Rollback?ID={Result}&CallID={CallID}. {Result} is the record that ' +
        'the call created or changed, {CallID} its name in the history.',
      max: 2000,
      exact: true,
    }),
  },
  returns: 'item',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'BAD_SIGNATURE', 'NO_PERMISSION', 'STATE_REFUSES', 'TOO_LARGE'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { BulkRun, UndoSignature, ...params }) => {
  const { record, filters, named } = await readRequest(ctx, params);
  return recordItem(
    ctx.record,
    await startRun(ctx, {
      name: BulkRun,
      query: {
        module: record.module,
        filters: { ...filters, ...(named.length > 0 && { SqlFilters: named.join(',') }) },
      },
      recordType: record.name,
      labelColumn: record.name,
      signature: params.Signature,
      undoSignature: UndoSignature ?? undefined,
    }),
  );
});
