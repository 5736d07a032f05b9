import type { Context } from '../../../../kernel/door/context.ts';
import { openCursor, sealCursor, type CursorScope } from '../../../../kernel/records/search/page-cursor.ts';
import type { UpcomingItem, UpcomingPosition } from './upcoming-items.ts';

/** Returns the cursor of the page after an item. */
export function sealUpcomingCursor(ctx: Context, worklist: string | null, item: UpcomingItem): string {
  const { personId, teamPriority, priority, sequence, dueDate, id } = item;
  const keys = [personId === ctx.user.personId, teamPriority, priority, sequence, dueDate, id];
  return sealCursor(ctx, scopeOf(ctx, worklist), { position: keys.map((key) => (key === null ? null : String(key))) });
}

/** Returns where a page begins; undefined for the first one. @throws BAD_PARAMETER for a cursor of another list */
export function openUpcomingCursor(
  ctx: Context,
  worklist: string | null,
  cursor: string | null | undefined,
): UpcomingPosition | undefined {
  if (typeof cursor !== 'string' || cursor === '') return undefined;
  const { position } = openCursor(ctx, scopeOf(ctx, worklist), cursor);
  const [isOwn, teamPriority, priority, sequence, dueDate, id] = position;
  const number = (text: string | null | undefined): number | null =>
    text === null || text === undefined ? null : Number(text);
  return {
    isOwn: isOwn === 'true',
    teamPriority: number(teamPriority),
    priority: number(priority),
    sequence: number(sequence),
    dueDate: dueDate ?? null,
    id: Number(id),
  };
}

function scopeOf({ registry }: Context, worklist: string | null): CursorScope {
  return {
    record: registry.recordType('SmartWorklistMember'),
    filters: { SmartWorklist: worklist },
    named: ['Upcoming'],
    keys: [],
  };
}
