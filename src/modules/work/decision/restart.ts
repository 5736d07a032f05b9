import { recordItem } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { requireReason, logChange } from './lib/change-log.ts';
import { runningPass } from './lib/pass/advance.ts';
import { restartDecision } from './lib/lifecycle/restart-decision.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Restart',
  method: 'POST',
  summary:
    'Restarts a workflow after one of its complete steps: cancels it with the Status Restart, and ' +
    'returns a new workflow that takes over the complete steps, except those that follow the given ' +
    'step. BodyText is added to the case as a message.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The workflow.' })),
    DecisionStepID: required(f.id({ doc: 'The complete step after which it restarts.' })),
    BodyText: required(f.body({ doc: 'The reason.' })),
    ActualStart: f.timestamp({
      doc:
        'When the new workflow starts. Defaults to now. If later than now, it is processed then, ' +
        'from the job queue.',
    }),
    QueueName: f.text({
      doc:
        'The job queue that processes the new workflow. Without it, and without a later start, the ' +
        'workflow is processed at once.',
      max: 100,
    }),
  },
  returns: 'item',
  errors: [
    'NOT_FOUND',
    'BAD_PARAMETER',
    'MISSING_PARAMETER',
    'STATE_REFUSES',
    'STEP_FAILED',
    'TOO_LARGE',
    'CONCURRENT_CHANGE',
    'RULE_EXCEPTION',
  ],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, DecisionStepID, BodyText, ActualStart, QueueName }) => {
  requireReason(BodyText);
  const queueName = QueueName?.trim() ? ctx.queue.queueOf(QueueName.trim()) : undefined;
  if (runningPass(ctx, ID))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message:
        `Workflow ${ID} is being processed. One of its own steps must restart it through the job queue, ` +
        'with decision/queue/restart.',
    });
  const { row, step } = await restartDecision(ctx, ID, {
    stepId: DecisionStepID,
    start: ActualStart ?? undefined,
    queueName,
  });
  const id = row.DecisionID;
  await logChange(ctx, {
    decisionId: id,
    object: row.Object,
    objectId: row.ObjectID,
    subject: `Workflow restarted after "${step}"`,
    bodyText: BodyText,
  });
  // The pass may have changed the row since it was inserted.
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, id));
});
