import { defineCheck, defineGuard } from '../../../kernel/declare/reaction.ts';
import { columnsAfter } from '../../../kernel/declare/values.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import { assertViewSearch } from './lib/view-search.ts';
import { view } from './view.record.ts';

const checkedColumns = ['View', 'RecordType', 'Filters', 'Columns', 'SortedBy', 'PersonID', 'CollectionID'] as const;

export const checks = [
  defineCheck({
    on: view,
    doc: 'A view has a name, an existing record type, what a search of it accepts, and at most one owner.',
    async run(ctx, { values, id }) {
      const stored = id === undefined ? undefined : await readColumns(ctx.db, view, id, checkedColumns);
      const whole = columnsAfter(values, stored);
      if ((whole.View?.trim() ?? '') === '') throw bad('View', "the view's name");
      if (typeof whole.PersonID === 'number' && typeof whole.CollectionID === 'number')
        throw bad('CollectionID', 'a user or a team as the owner, not both');
      const record = ctx.registry.requireRecord(whole.RecordType ?? '', 'RecordType');
      values.RecordType = record.name;
      assertViewSearch(ctx, record, { filters: whole.Filters, columns: whole.Columns, sortedBy: whole.SortedBy });
    },
  }),
];

export const guards = [
  defineGuard({
    on: view,
    decidesBy: 'rights',
    doc: 'Users change their own views; those of others and shared ones only with the permission ViewShare.',
    before: (ctx, { id }) => assertMayChange(ctx, id),
    after: (ctx, { id }) => assertMayChange(ctx, id),
  }),
];

async function assertMayChange(ctx: Context, id: number): Promise<void> {
  if (ctx.user.permissions.has('ViewShare')) return;
  const [row] = await ctx.db.query<{ owner: number | null }>(
    'select personid as owner from view where viewid = $1::bigint',
    [id],
  );
  if (row && row.owner !== ctx.user.personId)
    throw new PlatformError('NO_PERMISSION', {
      field: 'PersonID',
      message:
        'PersonID: you can change only your own views. Save a copy, or ask somebody with the permission ViewShare.',
    });
}
