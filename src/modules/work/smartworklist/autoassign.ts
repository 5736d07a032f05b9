import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { forEachBatch } from '../../../kernel/database/cursor.ts';
import { OPEN } from '../smartworklistmember/lib/item-state.ts';

/** Items per queued call: a failure is retried for all of them, and each takes some milliseconds. */
const QUEUED_ITEMS = 100;

const fields = { Count: required(f.integer({ doc: 'Number of work items queued for assignment.' })) };

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'AutoAssign',
  method: 'POST',
  summary:
    "Queues the assignment of a queue's open work items that lack a team or a user, if its template has a team matrix.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The worklist.' })),
    QueueName: f.text({ doc: "The job queue. Defaults to the installation's.", max: 100 }),
  },
  returns: fields,
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, QueueName }) => {
  const worklist = namedRow(ctx, ctx.record);
  if (typeof QueueName === 'string') ctx.queue.queueOf(QueueName);
  const [template] = await ctx.db.query<{ matrix: number | null }>(
    'select teammatrixid as matrix from smartworklisttemplate where smartworklisttemplateid = $1::bigint',
    [worklist.SmartWorklistTemplateID],
  );
  if (typeof template?.matrix !== 'number') {
    ctx.alert({ code: 'NO_MATRIX', text: "The queue's template has no team matrix: nothing was queued.", id: ID });
    return item('SmartWorklistAutoAssign', fields, { Count: 0 });
  }
  let Count = 0;
  await forEachBatch<{ id: number }>(
    ctx.transaction(),
    {
      text: `select i.smartworklistmemberid as id
        from smartworklistmember i
        where i.smartworklistid = $1::bigint and ${OPEN} and (i.teamid is null or i.personid is null)
        order by i.smartworklistmemberid`,
      values: [ID],
      size: QUEUED_ITEMS,
    },
    async (rows) => {
      if (rows.length === 0) return;
      await ctx.enqueue({
        route: 'smartworklistmember/autoassign',
        parameters: { ID: rows.map(({ id }) => id) },
        ...(typeof QueueName === 'string' ? { queueName: QueueName } : {}),
      });
      Count += rows.length;
    },
  );
  return item('SmartWorklistAutoAssign', fields, { Count });
});
