/** What decides the place of an item among those that a user may get. Unset keys come last. */
export interface ItemRank {
  /** Whether it is assigned to the user. */
  readonly isOwn: boolean;
  readonly isStarted: boolean;
  readonly team: string | null;
  readonly teamPriority: number | null;
  readonly priority: number | null;
  readonly sequence: number | null;
  readonly dueDate: string | null;
}

/** Most steps named in a reason. */
const STEPS_NAMED_MAX = 1;

/**
 * Returns in words why an item comes before the next one, and what waits for it. `next` is undefined for the last item;
 * `now` is in milliseconds.
 */
export function itemReason(
  item: ItemRank,
  next: ItemRank | undefined,
  waiting: readonly string[],
  now: number,
): string {
  return [orderReason(item, next, now), waitingReason(waiting)].filter((sentence) => sentence !== '').join(' ');
}

/** Returns the first key that puts the item before the next one, in words. */
function orderReason(item: ItemRank, next: ItemRank | undefined, now: number): string {
  if (item.isStarted) return 'You have begun it.';
  const isOverdue = item.dueDate !== null && Date.parse(item.dueDate) <= now;
  if (!next) return item.isOwn ? 'Assigned to you.' : ofTeam(item);
  if (item.isOwn !== next.isOwn) return isOverdue ? 'Overdue, and assigned to you.' : 'Assigned to you.';
  if (item.teamPriority !== next.teamPriority && item.team !== null) return `${item.team} is your first team.`;
  if (item.priority !== next.priority)
    return `Priority ${item.priority ?? 'none'}; the next has ${next.priority ?? 'none'}.`;
  if (item.sequence !== next.sequence) return 'First in the order of its queue.';
  if (item.dueDate !== next.dueDate) return dueReason(item, isOverdue);
  return item.dueDate === null ? 'It has waited longest.' : dueReason(item, isOverdue);
}

function dueReason({ isOwn }: ItemRank, isOverdue: boolean): string {
  if (isOverdue) return isOwn ? 'Oldest overdue item you own.' : 'Oldest overdue item of your teams.';
  return isOwn ? 'Due first of your items.' : "Due first of your teams' items.";
}

function ofTeam({ team }: ItemRank): string {
  return team === null ? 'Anyone may take it.' : `It waits for ${team}.`;
}

/** Returns which steps of the workflow cannot start before the item's task is done. */
function waitingReason(steps: readonly string[]): string {
  if (steps.length === 0) return '';
  const named = steps.slice(0, STEPS_NAMED_MAX).map((step) => `“${step}”`);
  const more = steps.length - named.length;
  const others = more === 1 ? 'another step' : `${more} other steps`;
  return `${named.join(', ')}${more === 0 ? '' : ` and ${others}`} cannot start until it is done.`;
}
