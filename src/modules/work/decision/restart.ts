import { recordItem } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll, readRecord } from '../../../kernel/records/search/read.ts';
import { requireReason, logChange } from './lib/change-log.ts';
import { runningPass } from './lib/pass/advance.ts';
import { restartDecision } from './lib/lifecycle/restart-decision.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Restart',
  method: 'POST',
  summary:
    'Begins a workflow again after one of its complete steps: it is canceled with the Status Restart, and another, which is answered, takes over what is complete, but for what comes after the step. What is said goes on the case as a message.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The workflow.' })),
    DecisionStepID: required(f.id({ doc: 'The complete step of it after which it begins again.' })),
    BodyText: required(f.body({ doc: 'Why, in words.' })),
    ActualStart: f.timestamp({
      doc: 'When the new workflow starts; now where it is left out. Later than now, it is processed then, from the queue.',
    }),
    QueueName: f.text({
      doc: 'The queue from which the new workflow is processed; without it and with no later start it is processed at once.',
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
  await reachAll(ctx, ctx.record, [ID]);
  if (runningPass(ctx, ID))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `The Decision ${ID} is being processed; a step of its own restarts it from the queue, by decision/queue/restart.`,
    });
  const { row, step } = await restartDecision(ctx, ID, {
    stepId: DecisionStepID,
    start: ActualStart ?? undefined,
    queueName,
  });
  const id = Number(row['DecisionID']);
  await logChange(ctx, {
    decisionId: id,
    object: row['Object'] as string | null,
    objectId: row['ObjectID'] as number | null,
    subject: `Workflow restarted after "${step}"`,
    bodyText: BodyText,
  });
  // The pass has changed the row since it was inserted.
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, id));
});
