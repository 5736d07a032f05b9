import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { cancelWhere } from './lib/worklist-items.ts';

export const checks = defineChecks([
  {
    on: 'SmartWorklist',
    doc: "A worklist has its template's name and record type where none is sent, a team of persons, and is open until it has a CanceledDate; a Status that ends it sets one.",
    async run(ctx, record, values, id) {
      const team = values.get('teamid');
      if (
        typeof team === 'number' &&
        (
          await ctx.db.query("select 1 from collection where collectionid = $1::bigint and sourceobject = 'Person'", [
            team,
          ])
        ).length === 0
      )
        throw new PlatformError('NOT_FOUND', {
          field: 'TeamID',
          message: `TeamID: there is no Collection ${team} of persons.`,
        });
      const object = values.get('sourceobject');
      if (typeof object === 'string')
        values.set('sourceobject', ctx.registry.requireRecord(object, 'SourceObject').name);
      const status = values.get('status');
      const isFinal =
        typeof status === 'string' &&
        (record.finalStatuses ?? []).some((word) => word.toLowerCase() === status.toLowerCase());
      if (isFinal && (values.get('canceleddate') ?? null) === null) values.set('canceleddate', ctx.clock.now());
      if ((values.get('canceleddate') ?? null) !== null && !isFinal) values.set('status', 'Canceled');
      if (id !== undefined) return;
      if (values.get('status') === undefined) values.set('status', 'Open');
      const templateId = values.get('smartworklisttemplateid');
      if (typeof templateId !== 'number' || values.has('sourceobject')) return;
      const [template] = await ctx.db.query<{ object: string | null }>(
        'select sourceobject as object from smartworklisttemplate where smartworklisttemplateid = $1::bigint',
        [templateId],
      );
      values.set('sourceobject', template?.object ?? null);
    },
  },
]);

export const reactions = defineReactions([
  {
    on: 'SmartWorklist',
    after: ['update'],
    doc: 'With a worklist that is canceled its open items are.',
    async run(ctx, row, _change, changed) {
      if (changed.has('canceleddate') && row['CanceledDate'] !== null)
        await cancelWhere(
          ctx,
          'i.smartworklistid = $1::bigint',
          Number(row['SmartWorklistID']),
          'The worklist was canceled.',
        );
    },
  },
]);
