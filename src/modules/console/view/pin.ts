import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { changedPins, pinnedInOrder, PINS_MAX } from '../../../lib/pinned-views.ts';
import { viewsOfCaller } from './lib/own-views.ts';

export const operation = defineOperation({
  module: 'view',
  name: 'Pin',
  method: 'POST',
  summary:
    "Pins a view to the current user's sidebar, moves it there, or unpins it. Other users' sidebars do not change, " +
    'even if the view is pinned for all who see it.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  params: {
    ViewID: required(f.id({ doc: 'The view: one of those that `view/mine` lists.' })),
    Pinned: f.boolean({ doc: 'False: it is unpinned.', default: true }),
    Position: f.integer({ doc: 'Its position, from 0. Empty: unchanged; a newly pinned view comes last.' }),
  },
  returns: 'nothing',
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { ViewID, Pinned, Position }) => {
  if (typeof Position === 'number' && Position < 0) throw bad('Position', '0 or more');
  const [views, own] = [await viewsOfCaller(ctx, undefined), await ctx.call('preference/own', {})];
  if (!views.some((each) => each.ViewID === ViewID)) throw new PlatformError('NOT_FOUND', { field: 'ViewID' });
  const chosen = own.row.PinnedViews ?? null;
  const pinned = pinnedInOrder(views, chosen);
  if (Pinned && pinned.length >= PINS_MAX && !pinned.some((each) => each.ViewID === ViewID))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ViewID',
      message: `ViewID: ${PINS_MAX} views are pinned, the most possible. Unpin one of them first.`,
    });
  const PinnedViews = changedPins(views, chosen, { id: ViewID, isPinned: Pinned, position: Position ?? undefined });
  await ctx.call('preference/choose', { PinnedViews });
  return { kind: 'nothing' };
});
