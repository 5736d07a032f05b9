import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { assertMayReadSealed } from './lib/sealed-source.ts';
import { importFile } from './importfile.record.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import { valueAfter } from '../../../kernel/declare/values.ts';

export const checks = [
  defineCheck({
    on: importFile,
    doc:
      'Using a sealed document that another user sent as a source, or reading it by another import type, ' +
      'requires the permission to unmask numbers.',
    async run(ctx, { values, id }) {
      const names = ['PreTransformID', 'ImportFileTemplateID'] as const;
      if (!names.some((name) => values[name] !== undefined)) return;
      const before = id === undefined ? undefined : await readColumns(ctx.db, importFile, id, names);
      const field = names.find(
        (name) => values[name] !== undefined && (values[name] ?? null) !== (before?.[name] ?? null),
      );
      const source = valueAfter(values, before, 'PreTransformID');
      if (field === undefined || typeof source !== 'number') return;
      // The save itself refuses a document that is not visible.
      const [document] = await ctx.db.query<{ sealed: boolean | null; personId: number | null }>(
        'select sealed, createdpersonid as "personId" from attachment where attachmentid = $1::bigint',
        [source],
      );
      if (document) assertMayReadSealed(ctx, document, field);
    },
  }),
];
