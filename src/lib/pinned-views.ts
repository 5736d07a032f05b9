/** Most views in one sidebar. */
export const PINS_MAX = 30;

/** What pinning needs to know of a view. */
interface PinnableView {
  readonly ViewID: number;
  /** Whether it is pinned for all who see it. */
  readonly Pinned?: boolean | null;
}

/**
 * Returns the pinned views in their order: those that the user has pinned or arranged, then those pinned for all who
 * see them, unless the user has unpinned them. `chosen`: ids as the preference stores them, such as `12,-5,7`.
 */
export function pinnedInOrder<V extends PinnableView>(views: readonly V[], chosen: string | null): readonly V[] {
  const ids = idsOf(chosen);
  const mentioned = new Set(ids.map(Math.abs));
  const byId = new Map(views.map((each) => [each.ViewID, each]));
  const own = ids.flatMap((id) => byId.get(id) ?? []);
  const shared = views.filter(({ ViewID, Pinned }) => Pinned === true && !mentioned.has(ViewID));
  return [...own, ...shared].slice(0, PINS_MAX);
}

/** Where a view is to be in the sidebar. */
interface PinChange {
  readonly id: number;
  readonly isPinned: boolean;
  /** Its place from 0; undefined: where it is, a new one at the end. */
  readonly position?: number | undefined;
}

/** Returns the choice after a change, as the preference stores it. */
export function changedPins(views: readonly PinnableView[], chosen: string | null, change: PinChange): string {
  const before = pinnedInOrder(views, chosen).map(({ ViewID }) => ViewID);
  const order = before.filter((id) => id !== change.id);
  const at = before.indexOf(change.id);
  const usual = at < 0 ? order.length : at;
  if (change.isPinned) order.splice(change.position ?? usual, 0, change.id);
  const left = views.filter(({ ViewID, Pinned }) => Pinned === true && !order.includes(ViewID));
  return [...order, ...left.map(({ ViewID }) => -ViewID)].join(',');
}

function idsOf(chosen: string | null): readonly number[] {
  return chosen === null || chosen === '' ? [] : chosen.split(',').map(Number);
}
