import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { assertCanSearch, notFound, reachAll, readRecord } from '../../../kernel/records/search/read.ts';

export const checks = defineChecks([
  {
    on: 'CollectionMember',
    doc:
      "A member is a record of its collection's type that the caller can see, and does not expire before it is " +
      'effective.',
    async run(ctx, record, values, id) {
      const stored = id === undefined ? {} : await readRecord(ctx.db, record, id);
      const settled = (name: string): unknown =>
        values.has(name.toLowerCase()) ? values.get(name.toLowerCase()) : stored[name];
      const [effective, expires] = [settled('EffectiveDate'), settled('ExpiresDate')];
      if (typeof effective === 'string' && typeof expires === 'string' && expires < effective)
        throw bad('ExpiresDate', 'a day that is not before EffectiveDate');
      if (id !== undefined && !values.has('collectionid') && !values.has('sourceobjectid')) return;
      const [collectionId, memberId] = [settled('CollectionID'), settled('SourceObjectID')];
      if (typeof collectionId !== 'number' || typeof memberId !== 'number') return;
      // Locked, since its type must not change meanwhile.
      const [collection] = await ctx.db.query<{ sourceobject: string }>(
        'select sourceobject from collection where collectionid = $1::bigint for share',
        [collectionId],
      );
      if (!collection) throw notFound({ name: 'Collection' }, collectionId, 'CollectionID');
      const source = ctx.registry.requireRecord(collection.sourceobject, 'SourceObject');
      assertCanSearch(ctx, source);
      try {
        await reachAll(ctx, source, [memberId]);
      } catch (error) {
        throw error instanceof PlatformError && error.code === 'NOT_FOUND'
          ? notFound(source, memberId, 'SourceObjectID')
          : error;
      }
    },
  },
]);
