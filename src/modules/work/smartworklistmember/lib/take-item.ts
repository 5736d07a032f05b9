import type { Context } from '../../../../kernel/door/context.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';
import { changeItem, writeAssignee } from './change-item.ts';
import { readSource, type TypedRow } from './item-url.ts';
import { pickItem, type PickedItem } from './pick-item.ts';
import { assertOpenWorklistNamed } from './worklists.ts';

/** Most items canceled by one call because their record is deleted, on the way to one that can be worked on. */
const GONE_MAX = 100;

/** An item that the caller has started, and its row before. */
export interface TakenItem {
  readonly row: WorkItem;
  readonly before: WorkItem;
  readonly templateId: number | null;
  /** Its record; undefined if the caller may not read it. */
  readonly source: TypedRow | undefined;
}

/**
 * Chooses, assigns and starts the caller's next item, optionally of the open queues of a name. Undefined if there is
 * none. @throws BAD_PARAMETER if no open queue has the name
 */
export async function takeNextItem(
  ctx: Context<typeof smartWorklistMember>,
  worklist: string | undefined,
): Promise<TakenItem | undefined> {
  for (let tried = 0; tried < GONE_MAX; tried++) {
    const picked = await pickItem(ctx, worklist);
    if (!picked) break;
    const taken = await startItem(ctx, picked);
    if (taken) return taken;
  }
  // The name is checked only if nothing was found: an empty worklist is not a misspelled one.
  if (worklist !== undefined) await assertOpenWorklistNamed(ctx, worklist, 'SmartWorklist');
  return undefined;
}

/** Assigns and starts the chosen item. If its record is deleted, cancels the item and returns undefined. */
async function startItem(
  ctx: Context<typeof smartWorklistMember>,
  { row: before, templateId }: PickedItem,
): Promise<TakenItem | undefined> {
  const { record } = ctx;
  // An item that the caller has already started is returned unchanged: a user who closed the browser gets the work
  // back.
  const isStarted = before.PersonID === ctx.user.personId && before.StartDate !== null;
  const started = { PersonID: ctx.user.personId, StartDate: ctx.clock.now() };
  // Both are sent together: each round trip counts, since many callers share few connections.
  const [row, source] = await Promise.all([
    isStarted ? before : changeItem(ctx, record, before, started),
    readSource(ctx, before),
  ]);
  if (source === 'gone') {
    await changeItem(ctx, record, row, { CancelledDate: ctx.clock.now(), Reason: 'The record is deleted.' });
    return undefined;
  }
  if (!isStarted) await writeAssignee(ctx, row, templateId);
  return { row, before, templateId, source: typeof source === 'string' ? undefined : source };
}
