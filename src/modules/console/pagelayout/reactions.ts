import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { columnsAfter } from '../../../kernel/declare/values.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import { parseLayout } from './lib/check-layout.ts';
import { pageLayout } from './pagelayout.record.ts';

/** Columns that are checked together. */
const checked = ['PageLayout', 'Status', 'AppliesTo', 'ProcessType', 'Role', 'Layout'] as const;

export const checks = [
  defineCheck({
    on: pageLayout,
    doc:
      'A layout has a name, a type of case, and content that names declared fields only. No other active layout is ' +
      'for the same type, case type and role.',
    async run(ctx, { values, id }) {
      const stored = id === undefined ? undefined : await readColumns(ctx.db, pageLayout, id, checked);
      const { PageLayout: name, Status: status, AppliesTo, ProcessType, Role, Layout } = columnsAfter(values, stored);
      if (typeof name !== 'string' || name.trim() === '') throw bad('PageLayout', 'the name of the layout');
      if (typeof AppliesTo !== 'string' || typeof Layout !== 'string') return;
      const record = ctx.registry.requireRecord(AppliesTo, 'AppliesTo');
      if (record.root.name !== 'Process') throw bad('AppliesTo', 'Foreclosure, Bankruptcy or Process');
      const content = parseLayout(ctx.registry, record, Layout);
      if (values.Layout !== undefined) values.Layout = JSON.stringify(content);
      if (status === 'Inactive') return;
      const [other] = await ctx.db.query<{ name: string | null }>(
        `select pagelayout as name
         from pagelayout
         where lower(appliesto collate "C") = lower($1::text collate "C")
           and coalesce(trim(processtype), '') = coalesce(trim($2::text), '')
           and coalesce(trim(role), '') = coalesce(trim($3::text), '')
           and coalesce(status, '') <> 'Inactive'
           and pagelayoutid is distinct from $4::bigint
         limit 1`,
        [record.name, ProcessType ?? null, Role ?? null, id ?? null],
      );
      if (other)
        throw new PlatformError('DUPLICATE_KEY', {
          field: 'AppliesTo',
          message:
            `AppliesTo: the layout "${other.name ?? ''}" is already for this type of case and role. ` +
            'Change it, or make it inactive.',
        });
    },
  }),
];
