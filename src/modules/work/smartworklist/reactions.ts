import type { Context } from '../../../kernel/door/context.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { assertTeam } from '../smartworklistmember/lib/teams.ts';
import { cancelWhere } from './lib/worklist-items.ts';

/** Sets the CanceledDate that a final Status needs, and the Status that a CanceledDate needs. */
function settleStatus(ctx: Context, { finalStatuses }: RecordType, values: Map<string, unknown>): void {
  const status = values.get('status');
  const isFinal =
    typeof status === 'string' && (finalStatuses ?? []).some((known) => known.toLowerCase() === status.toLowerCase());
  if (isFinal && (values.get('canceleddate') ?? null) === null) values.set('canceleddate', ctx.clock.now());
  if ((values.get('canceleddate') ?? null) !== null && !isFinal) values.set('status', 'Canceled');
}

/** Sets the Status and the record type of a new worklist, if they are not sent. */
async function setDefaults(ctx: Context, values: Map<string, unknown>): Promise<void> {
  if (values.get('status') === undefined) values.set('status', 'Open');
  const templateId = values.get('smartworklisttemplateid');
  if (typeof templateId !== 'number' || values.has('sourceobject')) return;
  const [template] = await ctx.db.query<{ object: string | null }>(
    'select sourceobject as object from smartworklisttemplate where smartworklisttemplateid = $1::bigint',
    [templateId],
  );
  values.set('sourceobject', template?.object ?? null);
}

export const checks = defineChecks([
  {
    on: 'SmartWorklist',
    doc:
      "Sets a queue's name and record type from its template if they are not sent. Its team is a collection of " +
      'users. It is open until it has a CanceledDate, which a final Status sets.',
    async run(ctx, record, values, id) {
      const team = values.get('teamid');
      if (typeof team === 'number') await assertTeam(ctx.db, team, 'TeamID');
      const object = values.get('sourceobject');
      if (typeof object === 'string')
        values.set('sourceobject', ctx.registry.requireRecord(object, 'SourceObject').name);
      settleStatus(ctx, record, values);
      if (id === undefined) await setDefaults(ctx, values);
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
          'The queue was canceled.',
        );
    },
  },
]);
