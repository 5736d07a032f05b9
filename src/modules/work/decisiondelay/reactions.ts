import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { statusCalls } from '../decision/lib/template/step-calls.ts';
import { decisionDelayTemplate } from '../records/decisiondelaytemplate.record.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkHold, needsHoldCheck } from './lib/check-hold.ts';
import { holdEnded, holdStarted } from './lib/hold-effects.ts';
import { decisionDelay } from './decisiondelay.record.ts';

export const checks = [
  defineCheck({
    on: decisionDelay,
    doc:
      "A hold on a workflow is also on the workflow's record, and of a type for its template. It starts " +
      'when it is created unless a date is sent, cannot be moved, and does not end before it starts. A ' +
      'complete or canceled workflow cannot be put on hold.',
    applies: (_ctx, { values, id }) => Promise.resolve(needsHoldCheck(values, id)),
    run: (ctx, { values, id }) => checkHold(ctx, values, id),
  }),
];

export const callSources = [
  defineCallSource({
    on: decisionDelayTemplate,
    doc: 'A hold sets the status of its case.',
    calls(ctx, { OnStartParentStatus, AppliesTo }) {
      const status = (OnStartParentStatus ?? '').trim();
      return status === '' ? [] : statusCalls(ctx, { field: 'OnStartParentStatus', status }, AppliesTo);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: decisionDelay,
    after: ['update'],
    doc: 'Later events find the hold that an event created on the loan that it was moved to.',
    async run(ctx, row, _change, changed) {
      if (changed.has('ObjectID') && row.Object === 'Loan')
        await ctx.db.query(
          `update decisiondelaystate set loanid = $2::bigint
           where decisiondelayid = $1::bigint and loanid <> $2::bigint`,
          [row.DecisionDelayID, row.ObjectID],
        );
    },
  }),
  defineReaction({
    on: decisionDelay,
    after: ['insert'],
    doc: 'A hold that starts creates its task and sets the status of its case.',
    // A restored hold has had its task, and its case the status.
    run: (ctx, row, _change, changed) => (changed.size === 0 ? Promise.resolve() : holdStarted(ctx, row)),
  }),
  defineReaction({
    on: decisionDelay,
    after: ['update', 'delete'],
    doc: 'Processes workflows that the end of a hold releases, from the job queue.',
    async run(ctx, row, change, changed) {
      const templateChanged = changed.has('DecisionDelayTemplateID');
      if (
        change === 'delete'
          ? row.ActualCompletion === null
          : templateChanged || (changed.has('ActualCompletion') && row.ActualCompletion !== null)
      )
        await holdEnded(ctx, row, templateChanged);
    },
  }),
];
