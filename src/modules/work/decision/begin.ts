import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { saveFromParameters } from '../../../kernel/records/save/save.ts';
import { withQueuedFirstPass } from './lib/lifecycle/process-new.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Begin',
  method: 'POST',
  summary:
    'Starts a workflow from a template on a record, like Save, but runs the first pass ' +
    'from the job queue, so that a failing step does not fail the call. Used by imports.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow template.' })),
    Object: required(f.text({ doc: 'The record type to start it on.', max: 60 })),
    ObjectID: required(f.id({ doc: 'The record.' })),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { DecisionTemplateID, Object, ObjectID }) => {
  const values = { DecisionTemplateID, Object, ObjectID };
  const saved = await withQueuedFirstPass(ctx, () => saveFromParameters(ctx, values, 'save'));
  return recordItem(ctx.record, saved.row);
});
