import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { assertMayReadSealed } from './lib/sealed-source.ts';

export const checks = defineChecks([
  {
    on: 'ImportFile',
    doc:
      'Using a sealed document that another user sent as a source, or reading it by another import type, ' +
      'requires the permission to unmask numbers.',
    async run(ctx, _record, values, id) {
      const names = ['pretransformid', 'importfiletemplateid'] as const;
      if (!names.some((name) => values.has(name))) return;
      const [before] =
        id === undefined
          ? []
          : await ctx.db.query<Record<(typeof names)[number], number | null>>(
              'select pretransformid, importfiletemplateid from importfile where importfileid = $1::bigint',
              [id],
            );
      const field = names.find((name) => values.has(name) && (values.get(name) ?? null) !== (before?.[name] ?? null));
      const source = values.has('pretransformid') ? values.get('pretransformid') : before?.pretransformid;
      if (field === undefined || typeof source !== 'number') return;
      // The save itself refuses a document that is not visible.
      const [document] = await ctx.db.query<{ sealed: boolean | null; personId: number | null }>(
        'select sealed, createdpersonid as "personId" from attachment where attachmentid = $1::bigint',
        [source],
      );
      if (document)
        assertMayReadSealed(ctx, document, field === 'pretransformid' ? 'PreTransformID' : 'ImportFileTemplateID');
    },
  },
]);
