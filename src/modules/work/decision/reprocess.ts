import { item } from '../../../kernel/door/answer.ts';
import { durationScaleDoc } from '../lib/duration.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { processDate, reprocessSteps } from './lib/repair/reprocess-steps.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Reprocess',
  method: 'POST',
  summary:
    'Runs the steps of one step template again in the given workflows, whatever their result: sets ' +
    'them to Reprocessing and queues them. Complete workflows continue. A canceled workflow is ' +
    'skipped with a warning.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The workflows.' })),
    DecisionStepTemplateID: required(
      f.id({
        doc:
          'The step of the template. All steps of it in each workflow run again. It may be deleted ' +
          'since, as long as it is in the version that a workflow follows.',
      }),
    ),
    ProcessTime: f.choice(['ProcessNow', 'ProcessFuture'], {
      doc: 'When to run: now, or after QueueUnit × QueueScale.',
      default: 'ProcessNow',
    }),
    QueueUnit: f.decimal({ doc: 'With ProcessFuture: after how many units.' }),
    QueueScale: f.integer({ doc: `With ProcessFuture: the unit, ${durationScaleDoc}; days where it is empty.` }),
  },
  returns: {
    WorkflowCount: required(f.integer({ doc: 'Number of workflows with queued steps.' })),
    StepCount: required(f.integer({ doc: 'Number of steps queued.' })),
    QueuedDate: f.timestamp({ doc: 'The earliest time they run; empty for now.' }),
  },
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '2-workflow §4',
});

export const run = handle(
  operation,
  async (ctx, { ID, DecisionStepTemplateID, ProcessTime, QueueUnit, QueueScale }) => {
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
