import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { changes, effects, previewChange } from './lib/lifecycle/preview-change.ts';

const rows = {
  DecisionID: required(f.id({ doc: 'The workflow, or one below it that is canceled or reopened with it.' })),
  Decision: f.text({ doc: 'Its name.' }),
  DecisionStepID: f.id({ doc: 'The step; empty if it has not been inserted yet.' }),
  DecisionStepTemplateID: f.id({ doc: 'The step of the template.' }),
  DecisionStep: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'Its status; empty if it has not been inserted yet.' }),
  Effect: required(
    f.choice(effects, {
      doc:
        'What happens to it: canceled; repeated (it is complete and must be done again); completed ' +
        'without being done; reopened; or only its open tasks are canceled.',
    }),
  ),
  TaskCount: required(f.integer({ doc: 'Number of its tasks that are canceled or reopened.' })),
};

export const operation = defineOperation({
  module: 'decision',
  name: 'Preview',
  method: 'GET',
  summary:
    'Previews cancel, restart, skipforward or reactivate: returns the affected steps with their ' +
    'tasks, including those of child workflows. Fails if the change would have no effect. Writes ' +
    'nothing.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The workflow.' })),
    Change: required(f.choice(changes, { doc: 'The change to preview.' })),
    DecisionStepID: f.id({
      doc: 'The step, as passed to Restart; or the step of the template, as passed to SkipForward.',
    }),
  },
  returns: 'list',
  answerName: 'DecisionStep',
  rows,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'TOO_LARGE'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, Change, DecisionStepID }) => {
  return list('DecisionStep', rows, await previewChange(ctx, ID, Change, DecisionStepID ?? 0));
});
