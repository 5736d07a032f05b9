import { item } from '../../../kernel/door/answer.ts';
import { durationScaleDoc } from '../lib/duration.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { processDate, reprocessSteps } from './lib/repair/reprocess-steps.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Reprocess',
  method: 'POST',
  summary:
    'Runs the steps of one step template again in workflows, whatever they had come to: they are Reprocessing and queued, and workflows that were complete go on. A workflow that is canceled is left alone with an alert.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The workflows.' })),
    DecisionStepTemplateID: required(
      f.id({
        doc: 'The step of the template; all steps of it that a workflow has are run again. Also one that is gone since, and stands in the version that a workflow goes by.',
      }),
    ),
    ProcessTime: f.choice(['ProcessNow', 'ProcessFuture'], {
      doc: 'When: now, or after QueueUnit of QueueScale.',
      default: 'ProcessNow',
    }),
    QueueUnit: f.decimal({ doc: 'With ProcessFuture: after how many units.' }),
    QueueScale: f.integer({ doc: `With ProcessFuture: the unit, ${durationScaleDoc}; days where it is empty.` }),
  },
  returns: {
    WorkflowCount: required(f.integer({ doc: 'In how many workflows steps were queued.' })),
    StepCount: required(f.integer({ doc: 'How many steps were queued.' })),
    QueuedDate: f.timestamp({ doc: 'When they are run at the earliest; empty of now.' }),
  },
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '2-workflow §4',
});

export const run = handle(
  operation,
  async (ctx, { ID, DecisionStepTemplateID, ProcessTime, QueueUnit, QueueScale }) => {
    await reachAll(ctx, ctx.record, ID);
    const QueuedDate = await processDate(ctx, {
      time: ProcessTime,
      unit: QueueUnit ?? null,
      scale: QueueScale ?? null,
    });
    const { workflows, steps } = await reprocessSteps(ctx, ID, DecisionStepTemplateID, QueuedDate);
    return item('Decision', operation.returns, {
      WorkflowCount: workflows,
      StepCount: steps,
      QueuedDate: QueuedDate ?? null,
    });
  },
);
