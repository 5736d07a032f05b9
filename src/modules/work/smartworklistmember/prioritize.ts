import { f, required } from '../../../kernel/declare/field.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ITEMS_MAX, changeItems } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Prioritize',
  method: 'POST',
  summary: 'Sets the priority of open work items: lower numbers come first, items without a priority last.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistMemberReassign',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.idList({ doc: 'The items.', max: ITEMS_MAX })),
    Priority: f.integer({ doc: 'The priority; empty: none.' }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklist rules',
});

export const run = handle(operation, (ctx, { Priority }) =>
  changeItems(ctx, ctx.record, namedRows(ctx, ctx.record), (row) => {
    if (!isOpen(row)) return `it is ${String(row.Status)}; only open work items have a priority to change.`;
    const priority = Priority ?? null;
    return priority === row.Priority ? {} : { Priority: priority };
  }),
);
