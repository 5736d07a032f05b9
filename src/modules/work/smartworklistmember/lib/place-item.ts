import type { Context } from '../../../../kernel/door/context.ts';
import { concreteClass, assertReachable } from '../../../../kernel/records/search/read.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import { assignItem, type Assignment, type SourceRecord } from './assign-item.ts';
import { changeItem, type ItemValues } from './change-item.ts';
import { openItemsOf } from './record-items.ts';
import type { Worklist } from './worklists.ts';
import type { WorkItem } from '../smartworklistmember.record.ts';

/** Returns an item's record with its concrete type. @throws NOT_FOUND, BAD_PARAMETER */
export async function concreteSource(ctx: Context, { object, id }: SourceRecord): Promise<SourceRecord> {
  const named = ctx.registry.requireRecord(object, 'SourceObject');
  // The door does not know it: saves of items, forms and workflows name it too.
  await assertReachable(ctx, named, [id]);
  return { object: (await concreteClass(ctx, ctx.db, named, id)).name, id };
}

/** Inserts an item where its assignment says; `more` has further columns. */
export async function insertItem(
  ctx: Context,
  { worklist, teamId, personId, priority }: Assignment,
  source: SourceRecord,
  more: ItemValues,
): Promise<WorkItem> {
  const values = {
    Status: (more.SkipDate ?? null) === null ? 'Queued' : 'Skipped',
    ...more,
    SmartWorklistID: worklist.id,
    SourceObject: source.object,
    SourceObjectID: source.id,
    TeamID: teamId,
    PersonID: personId,
    Priority: priority,
  };
  const record = ctx.registry.recordType('SmartWorklistMember');
  // The caller, such as a firm that sends a form, need not have access to worklists.
  return ctx.transaction().elevated(() => insertRow(ctx, record, values));
}

/** Puts a record on a worklist: moves its open item, or creates one. If there are several, moves the first. */
export async function placeItem(
  ctx: Context,
  worklist: Worklist,
  named: SourceRecord,
  more: ItemValues,
): Promise<WorkItem> {
  const source = await concreteSource(ctx, named);
  const record = ctx.registry.recordType('SmartWorklistMember');
  const items = await openItemsOf(ctx, record, { objects: [source.object], id: source.id });
  const there = items.find((item) => item.SmartWorklistID === worklist.id) ?? items[0];
  if (!there) return insertItem(ctx, await assignItem(ctx, worklist, source, {}), source, more);
  return ctx.transaction().elevated(() => changeItem(ctx, record, there, { SmartWorklistID: worklist.id, ...more }));
}
