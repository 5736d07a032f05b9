import type { NothingAnswer, TreeAnswer, TreeNode } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { fieldNodes } from '../../../kernel/records/search/summary.ts';
import { memberUrl, memberUrlField } from './lib/item-url.ts';
import { takeNextItem } from './lib/take-item.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Next',
  method: 'GET',
  summary:
    "Chooses, assigns and starts the caller's next work item. Returns the item, its record and the " +
    "address to open. The caller's own open items come first, including started ones; then unassigned " +
    "ones of the caller's teams and of none, by the caller's priority in the team, Priority, " +
    'Sequence, DueDate and ID. Returns 204 if there is none.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: { SmartWorklist: f.text({ doc: 'Only work items of open queues with this name.', max: 255 }) },
  returns: 'tree',
  answerName: 'SmartWorklistMember',
  example: {
    name: 'SmartWorklistMemberItem',
    children: [
      { name: 'SmartWorklistMemberID', value: 12, field: f.id({ doc: '' }) },
      { name: 'Status', value: 'Started' },
      { name: 'SourceObject', value: 'Loan' },
      { name: 'SourceObjectID', value: 7, field: f.id({ doc: '' }) },
      { name: 'MemberUrl', value: '/records/loan/7' },
      { name: 'LoanItem', children: [{ name: 'LoanID', value: 7, field: f.id({ doc: '' }) }] },
    ],
  },
  errors: ['BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { SmartWorklist }): Promise<TreeAnswer | NothingAnswer> => {
  const { record } = ctx;
  const taken = await takeNextItem(ctx, SmartWorklist ?? undefined);
  if (!taken) return { kind: 'nothing' };
  const { row, templateId, source } = taken;
  const url = await memberUrl(ctx, { record, row }, templateId, source);
  const children: TreeNode[] = [...fieldNodes(record, row)];
  if (url !== null) children.push({ name: 'MemberUrl', value: url, field: memberUrlField });
  if (source) children.push({ name: `${source.record.name}Item`, children: fieldNodes(source.record, source.row) });
  return { kind: 'tree', root: { name: `${record.name}Item`, children } };
});
