import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { backfill } from './lib/repair/backfill.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Backfill',
  method: 'POST',
  summary:
    'Catches up open workflows: completes steps whose ProjectedCompletion is past, as of that date, ' +
    'and queues a pass over each workflow, which starts the ready steps. Handles 10,000 workflows per ' +
    'call and queues another call for the rest.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: f.idList({ doc: 'The workflows. Without ID and DecisionTemplateID: all open workflows you have access to.' }),
    DecisionTemplateID: f.id({ doc: 'Only workflows of this template.', to: 'DecisionTemplate' }),
    AfterID: f.id({ doc: 'Only workflows with a higher ID. Set by the queued follow-up call.' }),
  },
  transactions: 'own',
  returns: {
    WorkflowCount: required(f.integer({ doc: 'Number of workflows handled.' })),
    CompletedCount: required(f.integer({ doc: 'Number of steps completed.' })),
    FailedCount: required(
      f.integer({ doc: 'Number of steps that could not be completed. Warnings give the reasons.' }),
    ),
    QueueMessageID: f.text({ doc: 'The queued call for the remaining workflows; empty if there are none.', max: 36 }),
  },
  errors: ['NOT_FOUND'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { ID, DecisionTemplateID, AfterID }) => {
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
