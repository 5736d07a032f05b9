import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { assertCanSearch, notFound, assertReachable, readRecord } from '../../../kernel/records/search/read.ts';
import { collectionMember } from './collectionmember.record.ts';
import { valueAfter } from '../../../kernel/declare/values.ts';

export const checks = [
  defineCheck({
    on: collectionMember,
    doc:
      "A member is a record of its collection's type that the caller can see, and does not expire before it is " +
      'effective.',
    async run(ctx, { values, id }) {
      const stored = id === undefined ? undefined : await readRecord(ctx.db, collectionMember, id);
      const [effective, expires] = [
        valueAfter(values, stored, 'EffectiveDate'),
        valueAfter(values, stored, 'ExpiresDate'),
      ];
      if (typeof effective === 'string' && typeof expires === 'string' && expires < effective)
        throw bad('ExpiresDate', 'a day that is not before EffectiveDate');
      if (id !== undefined && values.CollectionID === undefined && values.SourceObjectID === undefined) return;
      const [collectionId, memberId] = [
        valueAfter(values, stored, 'CollectionID'),
        valueAfter(values, stored, 'SourceObjectID'),
      ];
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
        // The door does not know its type, which is that of the collection.
        await assertReachable(ctx, source, [memberId]);
      } catch (error) {
        throw error instanceof PlatformError && error.code === 'NOT_FOUND'
          ? notFound(source, memberId, 'SourceObjectID')
          : error;
      }
    },
  }),
];
