import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { saveFromParameters } from '../../../kernel/records/save/save.ts';
import { queueFirstPass } from './lib/lifecycle/process-new.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Begin',
  method: 'POST',
  summary:
    'Starts a workflow of a template on a record as Save does, but makes the first pass over it from the queue, so that a step that fails does not fail the call. What imports call for what they have made.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    DecisionTemplateID: required(f.id({ doc: 'The kind of workflow.' })),
    Object: required(f.text({ doc: 'The record type that it is started on.', max: 60 })),
    ObjectID: required(f.id({ doc: 'The record.' })),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { DecisionTemplateID, Object, ObjectID }) => {
  queueFirstPass(ctx);
  return recordItem(ctx.record, (await saveFromParameters(ctx, { DecisionTemplateID, Object, ObjectID }, 'save')).row);
});
