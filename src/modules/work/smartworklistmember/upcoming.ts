import { list } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { itemReason, type ItemRank } from './lib/item-reason.ts';
import { upcomingItems, type UpcomingItem } from './lib/upcoming-items.ts';
import { openUpcomingCursor, sealUpcomingCursor } from './lib/upcoming-cursor.ts';
import { rowOf, upcomingFields } from './lib/upcoming-fields.ts';
import { stepsWaitingForTasks } from './lib/waiting-steps.ts';

/** Most items of a page. */
const ITEMS_MAX = 100;
const DEFAULT_ITEMS = 25;

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Upcoming',
  method: 'GET',
  summary:
    "Lists the caller's coming work items in the order in which smartworklistmember/next gives them, each with the " +
    'reason for its place. Assigns and starts none.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistMemberNext',
  params: {
    SmartWorklist: f.text({ doc: 'Only work items of open queues with this name.', max: 255 }),
    DisplaySize: f.integer({ doc: `How many to return, at most ${ITEMS_MAX}.`, default: DEFAULT_ITEMS }),
    Cursor: f.text({ doc: 'Where the page begins: the NextCursor of the page before.', max: 8000 }),
  },
  returns: 'list',
  answerName: 'UpcomingItem',
  rows: upcomingFields,
  errors: ['BAD_PARAMETER'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklist rules',
});

export const run = handle(operation, async (ctx, { SmartWorklist, DisplaySize, Cursor }) => {
  if (DisplaySize < 1 || DisplaySize > ITEMS_MAX) throw bad('DisplaySize', `a number from 1 to ${ITEMS_MAX}`);
  const worklist = SmartWorklist ?? null;
  // One more than requested: the last row's place is explained by the one after it.
  const found = await upcomingItems(ctx, {
    worklist,
    after: openUpcomingCursor(ctx, worklist, Cursor),
    size: DisplaySize + 1,
  });
  const page = found.slice(0, DisplaySize);
  const waiting = await stepsWaitingForTasks(
    ctx.db,
    page.flatMap(({ sourceObject, sourceId }) => (sourceObject === 'ImportForm' ? [sourceId] : [])),
  );
  const answered = page.map((item, at) =>
    rowOf(
      item,
      itemReason(
        rankOf(ctx, item),
        rankOrNone(ctx, found[at + 1]),
        waiting.get(item.sourceId) ?? [],
        ctx.clock.milliseconds(),
      ),
    ),
  );
  const last = page.at(-1);
  const next = found.length > DisplaySize && last ? sealUpcomingCursor(ctx, worklist, last) : null;
  return list(
    'UpcomingItem',
    upcomingFields,
    answered.map((row, at) => ({ ...row, NextCursor: at === answered.length - 1 ? next : null })),
  );
});

function rankOrNone(ctx: Context, item: UpcomingItem | undefined): ItemRank | undefined {
  return item && rankOf(ctx, item);
}

function rankOf(ctx: Context, item: UpcomingItem): ItemRank {
  const isOwn = item.personId === ctx.user.personId;
  return { ...item, isOwn, isStarted: isOwn && item.startDate !== null };
}
