import { shapeOf } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { viewsOfCaller } from './lib/own-views.ts';

export const operation = defineOperation({
  module: 'view',
  name: 'Mine',
  method: 'GET',
  summary:
    "Lists the current user's views in the order of their tabs: their own, those of their teams, and everybody's.",
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: { RecordType: f.text({ doc: 'Views of this record type only, such as CaseSummary.', max: 60, exact: true }) },
  returns: 'list',
  errors: [],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { RecordType }) => ({
  kind: 'list' as const,
  name: ctx.record.name,
  shape: shapeOf(ctx.record),
  rows: await viewsOfCaller(ctx, RecordType ?? undefined),
}));
