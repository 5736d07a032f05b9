import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ID_LIST_MAX } from '../../../kernel/parameters/parse-value.ts';

export const operation = defineOperation({
  module: 'webhook',
  name: 'Replay',
  method: 'POST',
  summary:
    'Sends a webhook the events of a period again, whether they were delivered or failed: at most 10,000 ' +
    'per call. Each event keeps its ID.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The webhook.' })),
    From: required(f.timestamp({ doc: 'Events from this instant on.' })),
    To: f.timestamp({ doc: 'Events before this instant; by default until now.' }),
    Failed: f.boolean({ doc: 'Only events that were not delivered.', default: false }),
  },
  returns: { Replayed: required(f.integer({ doc: 'How many events are sent again.' })) },
  answerName: 'Replay',
  errors: ['NOT_FOUND', 'TOO_LARGE'],
  source: 'docs/guides/integrators/webhooks.md',
});

export const run = handle(operation, async (ctx, { ID, From, To, Failed }) => {
  const rows = await ctx.db.query<{ id: number }>(
    `select webhookdeliveryid as id
     from webhookdelivery
     where webhookid = $1::bigint and eventdate >= $2::timestamptz and eventdate < $3::timestamptz
       and webhookdeliverytype = 'Event'
       and (status in ('Failed', 'Canceled') or (status = 'Delivered' and not $4::boolean))
     order by webhookdeliveryid
     limit $5::integer`,
    [ID, From, To ?? ctx.clock.now(), Failed, ID_LIST_MAX + 1],
  );
  if (rows.length > ID_LIST_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'To',
      message: `To: the period has more than ${ID_LIST_MAX} events; expected a shorter one.`,
    });
  if (rows.length > 0) await ctx.call('webhookdelivery/replay', { ID: rows.map(({ id }) => id) });
  return item('Replay', operation.returns, { Replayed: rows.length });
});
