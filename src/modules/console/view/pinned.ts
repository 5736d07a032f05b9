import { shapeOf } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { pinnedViews } from './lib/pinned-views.ts';

export const operation = defineOperation({
  module: 'view',
  name: 'Pinned',
  method: 'GET',
  summary:
    "Lists the views in the current user's sidebar, in their order: those that the user has pinned, and those pinned " +
    'for all who see them.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {},
  returns: 'list',
  errors: [],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx) => {
  // Sessions have their preferences at hand; other callers do not.
  const { preferences } = ctx.user;
  const chosen = preferences ? preferences.pinnedViews : (await ctx.call('preference/own', {})).row.PinnedViews;
  return {
    kind: 'list' as const,
    name: ctx.record.name,
    shape: shapeOf(ctx.record),
    rows: await pinnedViews(ctx, chosen ?? null),
  };
});
