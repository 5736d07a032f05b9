import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { changeItems, completionValues, submittedTexts } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'BulkComplete',
  method: 'POST',
  summary: 'Completes open items, whosever they are. Their records stay as they are.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The items.' })),
    CompletionDate: f.timestamp({ doc: 'When they were completed; now where it is not sent.' }),
    Reason: f.text({ doc: "Why; the items' own reason stays where it is not sent.", max: 255 }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, (ctx, { ID, CompletionDate, Reason }) =>
  changeItems(ctx, ctx.record, ID, async (row) => {
    if (!isOpen(row)) return `it is ${String(row['Status'])} already.`;
    return new Map([
      ...(await completionValues(ctx, row, CompletionDate ?? ctx.clock.now())),
      ['skipdate', null],
      ...submittedTexts({ Reason }),
    ]);
  }),
);
