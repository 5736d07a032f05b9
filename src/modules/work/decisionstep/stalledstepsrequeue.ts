import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { requeueByPages, type RequeueCandidate } from './lib/requeue-by-pages.ts';
import { stalledStepsQuery } from './lib/stalled-steps.ts';

export const operation = defineOperation({
  module: 'decisionstep',
  name: 'StalledStepsRequeue',
  method: 'POST',
  summary:
    'Queues steps that have waited for longer than AgeMinutes for a call that is in no job queue: steps ' +
    'without a status or with status Queued, polling steps, and steps whose workflow or batch has ended. ' +
    'A step whose call became a dead letter while it ran fails. Skips steps of workflows that are complete, ' +
    'canceled or on hold.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { AgeMinutes: f.integer({ doc: 'Minutes without a change.', default: 10 }) },
  transactions: 'own',
  returns: {
    QueuedCount: required(f.integer({ doc: 'Number of steps queued.' })),
    SkippedCount: required(f.integer({ doc: 'Number of steps skipped because their calls are still queued.' })),
  },
  errors: ['BAD_PARAMETER'],
  source: '2-workflow §3, §4, §8',
});

export const run = handle(operation, async (ctx, { AgeMinutes }) => {
  if (AgeMinutes < 0) throw bad('AgeMinutes', 'a number of minutes, 0 or more');
  const before = new Date(ctx.clock.milliseconds() - AgeMinutes * 60_000).toISOString();
  const counts = await requeueByPages(ctx, (own, behind, size) =>
    own.db.query<RequeueCandidate>(stalledStepsQuery(), [before, behind.at, behind.id, size]),
  );
  return item('DecisionStep', operation.returns, counts);
});
