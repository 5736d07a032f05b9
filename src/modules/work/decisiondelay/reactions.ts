import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { checkHold, needsHoldCheck } from './lib/check-hold.ts';
import { holdEnded, holdStarted } from './lib/hold-effects.ts';

export const checks = defineChecks([
  {
    on: 'DecisionDelay',
    doc:
      "A hold on a workflow is also on the workflow's record, and of a type for its template. It starts " +
      'when it is created unless a date is sent, cannot be moved, and does not end before it starts. A ' +
      'complete or canceled workflow cannot be put on hold.',
    applies: (_ctx, values, id) => Promise.resolve(needsHoldCheck(values, id)),
    run: (ctx, _record, values, id) => checkHold(ctx, values, id),
  },
]);

export const reactions = defineReactions([
  {
    on: 'DecisionDelay',
    after: ['insert'],
    doc: 'A hold that starts creates its task and sets the status of its case.',
    // A restored hold has had its task, and its case the status.
    run: (ctx, row, _change, changed) => (changed.size === 0 ? Promise.resolve() : holdStarted(ctx, row)),
  },
  {
    on: 'DecisionDelay',
    after: ['update', 'delete'],
    doc: 'Processes workflows that the end of a hold releases, from the job queue.',
    async run(ctx, row, change, changed) {
      const templateChanged = changed.has('decisiondelaytemplateid');
      if (
        change === 'delete'
          ? (row['ActualCompletion'] ?? null) === null
          : templateChanged || (changed.has('actualcompletion') && (row['ActualCompletion'] ?? null) !== null)
      )
        await holdEnded(ctx, row, templateChanged);
    },
  },
]);
