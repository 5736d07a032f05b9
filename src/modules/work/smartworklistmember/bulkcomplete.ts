import { f, required } from '../../../kernel/declare/field.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ITEMS_MAX, changeItems, completionValues, submittedReasons } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'BulkComplete',
  method: 'POST',
  summary: 'Completes open work items of any user. Their records stay unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.idList({ doc: 'The items.', max: ITEMS_MAX })),
    CompletionDate: f.timestamp({ doc: 'When they were completed. Defaults to now.' }),
    Reason: f.text({ doc: 'The reason. If empty, their own reason stays.', max: 255 }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, (ctx, { CompletionDate, Reason }) =>
  changeItems(ctx, ctx.record, namedRows(ctx, ctx.record), async (row) => {
    if (!isOpen(row)) return `it is already ${String(row.Status)}.`;
    return {
      ...(await completionValues(ctx, row, CompletionDate ?? ctx.clock.now())),
      SkipDate: null,
      ...submittedReasons({ Reason }),
    };
  }),
);
