import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import { OPEN } from '../../smartworklistmember/lib/item-state.ts';
import { cancelWhere, PIECE_ITEMS, publishInsertedItems } from './worklist-items.ts';
import type { smartWorklist } from '../smartworklist.record.ts';

/** What copied items keep. */
export interface KeepOptions {
  readonly KeepTeam: boolean;
  readonly KeepPriority: boolean;
  readonly KeepPerson: boolean;
  readonly KeepSkipDate: boolean;
}

/**
 * Replaces a locked worklist by a new one with copies of its open items, and cancels the old one. Returns the new one.
 */
export async function restartWorklist(
  ctx: Context<typeof smartWorklist>,
  old: Row<typeof smartWorklist>,
  keep: KeepOptions,
): Promise<Row<typeof smartWorklist>> {
  const oldId = old.SmartWorklistID;
  const made = await insertRow(ctx, ctx.record, {
    SmartWorklist: old.SmartWorklist,
    Status: 'Open',
    SmartWorklistType: old.SmartWorklistType,
    SmartWorklistTemplateID: old.SmartWorklistTemplateID,
    SourceObject: old.SourceObject,
    TeamID: old.TeamID,
    Priority: old.Priority,
    PreviousWorklistID: oldId,
  });
  const newId = made.SmartWorklistID;
  await copyItems(ctx, old, newId, keep);
  // Items that a matrix moved elsewhere now belong to the new worklist's calculation, or it would add them again.
  await ctx.db.query(
    `update smartworklistmember i
     set calculatedworklistid = $2::bigint, updateddate = $3::timestamptz, updatedpersonid = $4::bigint,
       version = i.version + 1
     where i.calculatedworklistid = $1::bigint and i.smartworklistid <> $1::bigint and ${OPEN}`,
    [oldId, newId, ctx.clock.now(), ctx.user.personId],
  );
  await cancelWhere(ctx, 'i.smartworklistid = $1::bigint', oldId, 'The queue was restarted.');
  await ctx.call('smartworklist/update', { ID: oldId, Status: 'Restart' });
  await ctx.call('smartworklist/autoassign', { ID: newId });
  // A missing matrix needs no warning: assignment was not requested explicitly.
  ctx.takeAlerts('NO_MATRIX');
  return made;
}

/** Columns that every copy takes over. */
const copiedColumns = [
  'smartworklistmember',
  'smartworklistmembertype',
  'sourceobject',
  'sourceobjectid',
  'reason',
  'reasondetail',
  'sequence',
  'duedate',
  'auditedmemberid',
];

async function copyItems(
  ctx: Context,
  old: Row<typeof smartWorklist>,
  newId: number,
  keep: KeepOptions,
): Promise<void> {
  const [template] = await ctx.db.query<{ teamId: number | null; priority: number | null }>(
    'select teamid as "teamId", priority from smartworklisttemplate where smartworklisttemplateid = $1::bigint',
    [old.SmartWorklistTemplateID],
  );
  const { names, values } = copyColumns(keep);
  const given = [
    old.TeamID ?? template?.teamId ?? null,
    old.Priority ?? template?.priority ?? null,
    ctx.clock.now(),
    ctx.user.personId,
  ];
  for (let after = 0; ;) {
    const [piece] = await ctx.db.query<{ last: number | null }>(
      `select max(id) as last
       from (
         select i.smartworklistmemberid as id
         from smartworklistmember i
         where i.smartworklistid = $1::bigint and ${OPEN} and i.smartworklistmemberid > $2::bigint
         order by 1
         limit ${PIECE_ITEMS}
       ) p`,
      [old.SmartWorklistID, after],
    );
    if (typeof piece?.last !== 'number') return;
    const rows = await ctx.db.query<{ id: number }>(
      // `num_nulls` types $4 and $5, which the select list uses only if the team or priority is not copied.
      `insert into smartworklistmember (${names.join(', ')})
       select ${values.join(', ')}
       from smartworklistmember i
       where i.smartworklistid = $1::bigint
         and ${OPEN}
         and i.smartworklistmemberid > $2::bigint
         and i.smartworklistmemberid <= $8::bigint
         and num_nulls($4::bigint, $5::integer) >= 0
       order by i.smartworklistmemberid
       returning smartworklistmemberid as id`,
      [old.SmartWorklistID, after, newId, ...given, piece.last],
    );
    await publishInsertedItems(
      ctx,
      rows.map(({ id }) => id),
    );
    after = piece.last;
  }
}

/** Returns the columns that a copied item gets, and the expression of each over the old item `i` and the parameters. */
function copyColumns(keep: KeepOptions): { readonly names: readonly string[]; readonly values: readonly string[] } {
  const skip = keep.KeepSkipDate ? 'i.skipdate' : 'null::timestamptz';
  const values = [
    ...copiedColumns.map((name) => `i.${name}`),
    '$3::bigint',
    'case when i.calculatedworklistid is null then null else $3::bigint end',
    keep.KeepTeam ? 'i.teamid' : '$4::bigint',
    keep.KeepPriority ? 'i.priority' : '$5::integer',
    keep.KeepPerson ? 'i.personid' : 'null::bigint',
    skip,
    `case when ${skip} is null then 'Queued' else 'Skipped' end`,
    '$6::timestamptz',
    '$7::bigint',
    '$6::timestamptz',
    '$7::bigint',
  ];
  const names = [
    ...copiedColumns,
    'smartworklistid',
    'calculatedworklistid',
    'teamid',
    'priority',
    'personid',
    'skipdate',
    'status',
    'createddate',
    'createdpersonid',
    'updateddate',
    'updatedpersonid',
  ];
  return { names, values };
}
