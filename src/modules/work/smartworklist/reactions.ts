import type { Context } from '../../../kernel/door/context.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { assertTeam } from '../smartworklistmember/lib/teams.ts';
import { cancelWhere } from './lib/worklist-items.ts';
import { smartWorklist } from './smartworklist.record.ts';
import type { Values } from '../../../kernel/declare/values.ts';

/** Sets the CanceledDate that a final Status needs, and the Status that a CanceledDate needs. */
function settleStatus(ctx: Context, { finalStatuses }: RecordType, values: Values<typeof smartWorklist>): void {
  const status = values.Status;
  const isFinal =
    typeof status === 'string' && (finalStatuses ?? []).some((known) => known.toLowerCase() === status.toLowerCase());
  if (isFinal && (values.CanceledDate ?? null) === null) values.CanceledDate = ctx.clock.now();
  if ((values.CanceledDate ?? null) !== null && !isFinal) values.Status = 'Canceled';
}

/** Sets the Status and the record type of a new worklist, if they are not sent. */
async function setDefaults(ctx: Context, values: Values<typeof smartWorklist>): Promise<void> {
  if (values.Status === undefined) values.Status = 'Open';
  const templateId = values.SmartWorklistTemplateID;
  if (typeof templateId !== 'number' || values.SourceObject !== undefined) return;
  const [template] = await ctx.db.query<{ object: string | null }>(
    'select sourceobject as object from smartworklisttemplate where smartworklisttemplateid = $1::bigint',
    [templateId],
  );
  values.SourceObject = template?.object ?? null;
}

export const checks = [
  defineCheck({
    on: smartWorklist,
    doc:
      "Sets a queue's name and record type from its template if they are not sent. Its team is a collection of " +
      'users. It is open until it has a CanceledDate, which a final Status sets.',
    async run(ctx, { record, values, id }) {
      const team = values.TeamID;
      if (typeof team === 'number') await assertTeam(ctx.db, team, 'TeamID');
      const object = values.SourceObject;
      if (typeof object === 'string') values.SourceObject = ctx.registry.requireRecord(object, 'SourceObject').name;
      settleStatus(ctx, record, values);
      if (id === undefined) await setDefaults(ctx, values);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: smartWorklist,
    after: ['update'],
    doc: 'With a worklist that is canceled its open items are.',
    async run(ctx, row, _change, changed) {
      if (changed.has('CanceledDate') && row.CanceledDate !== null)
        await cancelWhere(ctx, 'i.smartworklistid = $1::bigint', row.SmartWorklistID, 'The queue was canceled.');
    },
  }),
];
