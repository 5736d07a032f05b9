import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks } from '../../../kernel/declare/reaction.ts';

export const checks = defineChecks([
  {
    on: 'Collection',
    doc: "A collection has a name, and is of one type of records: its template's. It stays that while it has members.",
    async run(ctx, _record, values, id) {
      if (id === undefined && typeof values.get('collection') !== 'string')
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'Collection',
          message: 'Collection is required: the name of the collection.',
        });
      if (values.has('collection') && (values.get('collection') ?? null) === null) throw bad('Collection', 'a name');
      const [stored] =
        id === undefined
          ? []
          : await ctx.db.query<{ sourceobject: string; templateid: number | null }>(
              'select sourceobject, collectiontemplateid as templateid from collection where collectionid = $1::bigint for update',
              [id],
            );
      const templateId = values.has('collectiontemplateid') ? values.get('collectiontemplateid') : stored?.templateid;
      const [template] =
        typeof templateId === 'number'
          ? await ctx.db.query<{ appliesto: string | null }>(
              'select appliesto from collectiontemplate where collectiontemplateid = $1::bigint',
              [templateId],
            )
          : [];
      const sent = values.get('sourceobject') ?? stored?.sourceobject ?? template?.appliesto;
      if (typeof sent !== 'string')
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'SourceObject',
          message: 'SourceObject is required: the record type of the members, unless a template says it.',
        });
      const record = ctx.registry.requireRecord(sent, 'SourceObject');
      if (template?.appliesto && ctx.registry.record(template.appliesto) !== record)
        throw bad('SourceObject', `${template.appliesto}, as the template says`);
      if (stored && stored.sourceobject !== record.name) {
        const members = await ctx.db.query('select 1 from collectionmember where collectionid = $1::bigint limit 1', [
          id,
        ]);
        if (members.length > 0)
          throw new PlatformError('STATE_REFUSES', {
            field: 'SourceObject',
            message: `SourceObject: the collection has members of type ${stored.sourceobject}; remove them first.`,
          });
      }
      if (values.has('sourceobject') || !stored) values.set('sourceobject', record.name);
    },
  },
]);
