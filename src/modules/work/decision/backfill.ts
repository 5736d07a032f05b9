import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { backfill } from './lib/repair/backfill.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Backfill',
  method: 'POST',
  summary:
    'Brings open workflows up to date: steps with a ProjectedCompletion that is past complete as of that date, and a pass over each workflow is queued, which starts what is ready. Goes through 10,000 workflows and queues another call for the next ones.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: f.idList({ doc: 'The workflows; all open ones within reach where neither these nor a template are named.' }),
    DecisionTemplateID: f.id({ doc: 'Those of this template.', to: 'DecisionTemplate' }),
    AfterID: f.id({ doc: 'Those behind this one, by their ids; what the call queues for the next ones.' }),
  },
  transactions: 'own',
  returns: {
    WorkflowCount: required(f.integer({ doc: 'How many workflows were gone through.' })),
    CompletedCount: required(f.integer({ doc: 'How many steps were completed.' })),
    FailedCount: required(f.integer({ doc: 'How many steps could not be completed; alerts say why.' })),
    QueueMessageID: f.text({ doc: 'The queued call for the workflows behind; empty where there are none.', max: 36 }),
  },
  errors: ['NOT_FOUND'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { ID, DecisionTemplateID, AfterID }) => {
  if (ID) await reachAll(ctx, ctx.record, ID);
  const { workflows, completed, failed, next } = await backfill(ctx, {
    ids: ID ?? undefined,
    templateId: DecisionTemplateID ?? undefined,
    after: AfterID ?? 0,
  });
  const QueueMessageID =
    next === undefined
      ? null
      : await ctx.enqueue({
          route: 'decision/backfill',
          parameters: { AfterID: next, ...(ID ? { ID } : {}), ...(DecisionTemplateID ? { DecisionTemplateID } : {}) },
          continuation: true,
        });
  return item('Decision', operation.returns, {
    WorkflowCount: workflows,
    CompletedCount: completed,
    FailedCount: failed,
    QueueMessageID,
  });
});
