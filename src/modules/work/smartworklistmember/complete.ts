import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { changeItems, completionValues, submittedTexts } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Complete',
  method: 'POST',
  summary:
    "Completes the caller's own items: the work on their records is done. Items of tasks complete by themselves when the task is.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The items.' })),
    Reason: f.text({ doc: "How it ended; the item's own reason stays where it is not sent.", max: 255 }),
    ReasonDetail: f.body({ doc: 'More about it.' }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, (ctx, { ID, Reason, ReasonDetail }) =>
  changeItems(ctx, ctx.record, ID, async (row) => {
    if (!isOpen(row)) return `it is ${String(row['Status'])} already.`;
    if (row['PersonID'] !== ctx.user.personId) return 'it is not assigned to you.';
    return new Map([
      ...(await completionValues(ctx, row, ctx.clock.now())),
      ['skipdate', null],
      ...submittedTexts({ Reason, ReasonDetail }),
    ]);
  }),
);
