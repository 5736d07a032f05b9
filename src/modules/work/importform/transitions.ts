import { list } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { formOf } from './lib/form.ts';
import { taskHolds } from './lib/task-holds.ts';
import { endsTask, availableMoves } from './lib/form-status.ts';

const rows = {
  ImportFormTransitionID: required(f.id({ doc: 'The move.', to: 'ImportFormTransition' })),
  ImportFormTransition: required(f.text({ doc: 'Its name.' })),
  ToStatus: required(f.text({ doc: 'The status it leads to. Saving the task with this status makes the move.' })),
  IsFinal: required(f.boolean({ doc: 'Whether it completes the task.' })),
};

export const operation = defineOperation({
  module: 'importform',
  name: 'Transitions',
  method: 'GET',
  summary:
    'Returns the moves that the caller may make with a task now. A task whose workflow is on hold ' +
    'cannot be completed. A task whose form has no statuses has no moves: its status is free.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The task.' })) },
  returns: 'list',
  answerName: 'Transition',
  rows,
  errors: ['NOT_FOUND'],
  source: '2-workflow §3, Worklist item; decisions, Operations',
});

export const run = handle(operation, async (ctx) => {
  const task = namedRow(ctx, ctx.record);
  const form = await formOf(ctx, task.ImportFormTemplateID);
  const moves = form
    ? availableMoves(ctx, form, task, (await taskHolds(ctx, task)).length > 0).map((move) => ({
        ImportFormTransitionID: move.id,
        ImportFormTransition: move.name,
        ToStatus: move.to,
        IsFinal: endsTask(form, move),
      }))
    : [];
  return list('Transition', rows, moves);
});
