import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { checkHold, needsHoldCheck } from './lib/check-hold.ts';
import { holdEnded, holdStarted } from './lib/hold-effects.ts';

export const checks = defineChecks([
  {
    on: 'DecisionDelay',
    doc: "A hold of a workflow stands on the workflow's record too, is one that its template knows, begins when it is made unless it says otherwise, stays where it is, and does not end before it began. What is complete or canceled is not put on hold.",
    applies: (_ctx, values, id) => Promise.resolve(needsHoldCheck(values, id)),
    run: (ctx, _record, values, id) => checkHold(ctx, values, id),
  },
]);

export const reactions = defineReactions([
  {
    on: 'DecisionDelay',
    after: ['insert'],
    doc: 'A hold that starts brings its task along, and gives its case the status of its template.',
    // One that is brought back from history has had its task, and its case its status.
    run: (ctx, row, _change, changed) => (changed.size === 0 ? Promise.resolve() : holdStarted(ctx, row)),
  },
  {
    on: 'DecisionDelay',
    after: ['update', 'delete'],
    doc: 'The workflows that the end of a hold lets go on are processed from the queue.',
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
