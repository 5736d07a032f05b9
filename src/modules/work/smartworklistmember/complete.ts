import { f, required } from '../../../kernel/declare/field.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ITEMS_MAX, changeItems, completionValues, submittedReasons } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Complete',
  method: 'POST',
  summary: "Completes the caller's own work items. Those of tasks complete automatically with the task.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.idList({ doc: 'The items.', max: ITEMS_MAX })),
    Reason: f.text({ doc: "The outcome. If empty, the item's own reason stays.", max: 255 }),
    ReasonDetail: f.body({ doc: 'A description.' }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, (ctx, { Reason, ReasonDetail }) =>
  changeItems(ctx, ctx.record, namedRows(ctx, ctx.record), async (row) => {
    if (!isOpen(row)) return `it is already ${String(row.Status)}.`;
    if (row.PersonID !== ctx.user.personId) return 'it is not assigned to you.';
    return {
      ...(await completionValues(ctx, row, ctx.clock.now())),
      SkipDate: null,
      ...submittedReasons({ Reason, ReasonDetail }),
    };
  }),
);
