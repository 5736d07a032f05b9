import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { parseChanges } from '../importfile/lib/correct/changed-cells.ts';
import { correctCall } from './lib/correct-call.ts';

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Correct',
  method: 'POST',
  summary:
    'Changes parameters of a failed row of a batch and queues it again. It runs as the user who first queued it, so ' +
    'this requires the permission for its operation too. Each correction is an ImportCorrection.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  // The parameters of some operations name calls.
  callsNamed: true,
  params: {
    ID: required(f.id({ doc: 'The row.' })),
    Changes: required(
      f.text({
        doc: 'New values by parameter, as a query string: `Status=Open`. An empty value removes a parameter.',
        max: 100000,
      }),
    ),
  },
  returns: { Requeued: required(f.integer({ doc: 'Number of queued rows: 1.' })) },
  answerName: 'ImportFileQueue',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-03',
});

export const run = handle(operation, async (ctx, { Changes }) => {
  await correctCall(ctx, namedRow(ctx, ctx.record), parseChanges(Changes));
  return item('ImportFileQueue', operation.returns, { Requeued: 1 });
});
