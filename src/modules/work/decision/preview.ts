import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { changes, effects, previewChange } from './lib/lifecycle/preview-change.ts';

const rows = {
  DecisionID: required(f.id({ doc: 'The workflow, or one below it that is canceled or opened with it.' })),
  Decision: f.text({ doc: 'Its name.' }),
  DecisionStepID: f.id({ doc: 'The step; empty for one that there is not yet.' }),
  DecisionStepTemplateID: f.id({ doc: 'The step of the template.' }),
  DecisionStep: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'Where it stands; empty for one that there is not yet.' }),
  Effect: required(
    f.choice(effects, {
      doc: 'What becomes of it: it is canceled; it is complete and must be done again; it becomes complete although nobody did it; it opens again; or nothing but that its open tasks are canceled.',
    }),
  ),
  TaskCount: required(f.integer({ doc: 'How many tasks of it are canceled by that, or open again.' })),
};

export const operation = defineOperation({
  module: 'decision',
  name: 'Preview',
  method: 'GET',
  summary:
    'Tells what cancel, restart, skipforward or reactivate would do to a workflow: the steps that something becomes of, with their tasks, also those of workflows below it. Where they would do nothing it is refused. Nothing is written.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The workflow.' })),
    Change: required(f.choice(changes, { doc: 'What would be called.' })),
    DecisionStepID: f.id({ doc: 'The step that Restart takes, or the one of the template that SkipForward takes.' }),
  },
  returns: 'list',
  answerName: 'DecisionStep',
  rows,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'TOO_LARGE'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, Change, DecisionStepID }) => {
  await reachAll(ctx, ctx.record, [ID]);
  return list('DecisionStep', rows, await previewChange(ctx, ID, Change, DecisionStepID ?? 0));
});
