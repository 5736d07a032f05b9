import type { NothingAnswer, TreeAnswer, TreeNode } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { smartWorklistMember } from './smartworklistmember.record.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { fieldNodes } from '../../../kernel/records/search/summary.ts';
import { changeItem, writeAssignee } from './lib/change-item.ts';
import { memberUrl, memberUrlField, readSource } from './lib/item-url.ts';
import { pickItem, type PickedItem } from './lib/pick-item.ts';
import { assertOpenWorklistNamed } from './lib/worklists.ts';

/** Most items canceled by one call because their record is deleted, on the way to one that can be worked on. */
const GONE_MAX = 100;

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
  for (let tried = 0; tried < GONE_MAX; tried++) {
    const picked = await pickItem(ctx, SmartWorklist ?? undefined);
    if (!picked) break;
    const answer = await startItem(ctx, picked);
    if (answer) return answer;
  }
  // The name is checked only if nothing was found: an empty worklist is not a misspelled one.
  if (typeof SmartWorklist === 'string') await assertOpenWorklistNamed(ctx, SmartWorklist, 'SmartWorklist');
  return { kind: 'nothing' };
});

/** Assigns and starts the chosen item. If its record is deleted, cancels the item and returns undefined. */
async function startItem(
  ctx: Context<typeof smartWorklistMember>,
  { row: before, templateId }: PickedItem,
): Promise<TreeAnswer | undefined> {
  const { record } = ctx;
  // An item that the caller has already started is returned unchanged: a user who closed the browser gets the work
  // back.
  const isStarted = before.PersonID === ctx.user.personId && before.StartDate !== null;
  const started = { PersonID: ctx.user.personId, StartDate: ctx.clock.now() };
  // Both are sent together: each round trip counts, since many callers share few connections.
  const [row, source] = await Promise.all([
    isStarted ? before : changeItem(ctx, record, before, started),
    readSource(ctx, before),
  ]);
  if (source === 'gone') {
    await changeItem(ctx, record, row, { CancelledDate: ctx.clock.now(), Reason: 'The record is deleted.' });
    return undefined;
  }
  if (!isStarted) await writeAssignee(ctx, row, templateId);
  const found = typeof source === 'string' ? undefined : source;
  const url = await memberUrl(ctx, { record, row }, templateId, found);
  const children: TreeNode[] = [...fieldNodes(record, row)];
  if (url !== null) children.push({ name: 'MemberUrl', value: url, field: memberUrlField });
  if (found) children.push({ name: `${found.record.name}Item`, children: fieldNodes(found.record, found.row) });
  return { kind: 'tree', root: { name: `${record.name}Item`, children } };
}
