import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { statusSummaryFields, statusSummary } from './lib/status-summary.ts';
import { cancelDecision } from './lib/lifecycle/cancel-decision.ts';
import { logChange } from './lib/change-log.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Cancel',
  method: 'POST',
  summary:
    'Cancels a workflow with its unfinished steps, their open tasks and work items, and the workflows ' +
    'its steps started. BodyText is added to the case as a message. A canceled or complete workflow ' +
    'is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The workflow.' })),
    Status: f.text({ doc: 'The new Status of the workflow.', max: 100, default: 'Canceled' }),
    KeepImportForm: f.boolean({
      doc: 'Whether open tasks are detached from the workflow and stay open instead of being canceled.',
      default: false,
    }),
    BodyText: f.body({ doc: 'The reason.' }),
  },
  returns: statusSummaryFields,
  errors: ['NOT_FOUND', 'TOO_LARGE', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, Status, KeepImportForm, BodyText }) => {
  const status = Status.trim() || 'Canceled';
  const result = await cancelDecision(ctx, ID, {
    status,
    childStatus: status,
    keepTasks: KeepImportForm,
    reason: 'The workflow was canceled.',
    at: ctx.clock.now(),
  });
  if (result === 'was complete')
    ctx.alert({ code: 'STATE_REFUSES', text: 'The workflow is complete; nothing was canceled.', id: ID });
  if (BodyText?.trim() && (result === 'canceled' || result === 'later')) {
    const { Object: object, ObjectID: objectId } = await readRecord(ctx.db, ctx.record, ID);
    await logChange(ctx, {
      decisionId: ID,
      object,
      objectId,
      subject: 'Workflow canceled',
      bodyText: BodyText,
    });
  }
  return item('Decision', statusSummaryFields, await statusSummary(ctx, ID));
});
