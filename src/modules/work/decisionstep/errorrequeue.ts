import { isOpenStep, isOpenWorkflow } from '../lib/open.ts';
import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { parameter } from '../../../kernel/parameters/parameters.ts';
import { bad, parseValue } from '../../../kernel/parameters/parse-value.ts';
import { requeueByPages, type RequeueCandidate } from './lib/requeue-by-pages.ts';

const end = f.timestamp({
  doc: 'The latest creation time, inclusive; a date means the whole day. Defaults to now.',
});

export const operation = defineOperation({
  module: 'decisionstep',
  name: 'ErrorRequeue',
  method: 'POST',
  summary:
    'Queues unfinished steps of a step template that were created in a period, such as those that ' +
    'failed during an outage. Skips steps that are running, queued, or waiting for what they created, ' +
    'and steps of workflows that are complete, canceled or on hold.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    DecisionStepTemplateID: required(f.id({ doc: 'The step of the template.' })),
    StartDate: required(f.timestamp({ doc: 'The earliest creation time.' })),
    EndDate: end,
  },
  transactions: 'own',
  returns: {
    QueuedCount: required(f.integer({ doc: 'Number of steps queued.' })),
    SkippedCount: required(f.integer({ doc: 'Number of steps skipped.' })),
  },
  errors: ['MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { DecisionStepTemplateID, StartDate, EndDate }) => {
  const until = EndDate ? endOf(ctx, EndDate) : ctx.clock.now();
  if (Date.parse(until) < Date.parse(StartDate)) throw bad('EndDate', 'a time that is not before StartDate');
  const counts = await requeueByPages(ctx, (own, behind, size) =>
    own.db.query<RequeueCandidate>(
      `select s.decisionstepid as id, s.createddate::text as at
       from decisionstep s
       join decision d using (decisionid)
       where s.decisionsteptemplateid = $1::bigint
         and s.createddate between $2::timestamptz and $3::timestamptz
         and (s.createddate, s.decisionstepid) > ($4::timestamptz, $5::bigint)
         and ${isOpenStep('s')}
         and ${isOpenWorkflow('d')}
         and d.delayed is not true
       order by s.createddate, s.decisionstepid
       limit $6::integer`,
      [DecisionStepTemplateID, StartDate, until, behind.at, behind.id, size],
    ),
  );
  return item('DecisionStep', operation.returns, counts);
});

/** Returns the end of a range; a date includes the whole day. */
function endOf(ctx: Context, parsed: string): string {
  const sent = parameter(ctx.rawParameters, 'EndDate');
  if (typeof sent !== 'string' || !/^\s*\d{4}-\d\d-\d\d\s*$/.test(sent)) return parsed;
  return String(parseValue(end, `${sent.trim()}T23:59:59.999`, 'EndDate', { timeZone: ctx.settings.get(timeZone) }));
}
