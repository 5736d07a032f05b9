import { isOpenStep, isOpenWorkflow } from '../lib/open.ts';
import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { requeueByPages, type RequeueCandidate } from './lib/requeue-by-pages.ts';

export const operation = defineOperation({
  module: 'decisionstep',
  name: 'StalledStepsRequeue',
  method: 'POST',
  summary:
    'Queues steps without a status or with status Queued for longer than AgeMinutes that have no call ' +
    'in any job queue. Skips those of workflows that are complete, canceled or on hold.',
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
  if (AgeMinutes < 0) throw bad('AgeMinutes', 'a number of minutes that is not below 0');
  const before = new Date(ctx.clock.milliseconds() - AgeMinutes * 60_000).toISOString();
  const counts = await requeueByPages(ctx, (own, behind, size) =>
    own.db.query<RequeueCandidate>(
      `select s.decisionstepid as id, s.updateddate::text as at
       from decisionstep s
       join decision d using (decisionid)
       where ${isOpenStep('s')}
         and (s.status is null or s.status = 'Queued')
         and s.updateddate <= $1::timestamptz
         and (s.updateddate, s.decisionstepid) > ($2::timestamptz, $3::bigint)
         and ${isOpenWorkflow('d')}
         and d.delayed is not true
       order by s.updateddate, s.decisionstepid
       limit $4::integer`,
      [before, behind.at, behind.id, size],
    ),
  );
  return item('DecisionStep', operation.returns, counts);
});
