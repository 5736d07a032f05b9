import type { LayoutContent } from './content.ts';
import { entryName, type LayoutEntry } from './edits.ts';

/** One difference between two layouts. */
export interface LayoutDifference {
  readonly kind: 'added' | 'changed' | 'removed';
  /** The list, as people know it: Header, Panels, a panel's title. */
  readonly list: string;
  readonly name: string;
  /** How it changed: it was moved, or has another label. */
  readonly change?: 'moved' | 'label';
}

/** Returns what one layout has that another has not, list by list. */
export function layoutDifferences(before: LayoutContent, after: LayoutContent): readonly LayoutDifference[] {
  const [old, now] = [listsOf(before), listsOf(after)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((list) =>
    listDifferences(list, old.get(list) ?? [], now.get(list) ?? []),
  );
}

/** Returns the lists of a layout by the name under which people know them. */
function listsOf(content: LayoutContent): ReadonlyMap<string, readonly LayoutEntry[]> {
  const panels = content.panels.filter(({ facts }) => facts !== undefined);
  return new Map<string, readonly LayoutEntry[]>([
    ['Header', content.header],
    ['Panels', content.panels],
    ...panels.map(({ title = '', facts = [] }) => [`Panel ${title}`, facts] as const),
    ['Right side', content.side],
    ['Tabs', content.tabs],
    ['Milestones', content.milestones],
  ]);
}

function listDifferences(
  list: string,
  before: readonly LayoutEntry[],
  after: readonly LayoutEntry[],
): LayoutDifference[] {
  const [old, now] = [before.map(entryName), after.map(entryName)];
  const movedNames = new Set(
    movedEntries(
      old.filter((name) => now.includes(name)),
      now.filter((name) => old.includes(name)),
    ),
  );
  return [
    ...after.flatMap((entry): LayoutDifference[] => {
      const name = entryName(entry);
      if (!old.includes(name)) return [{ kind: 'added', list, name }];
      if (movedNames.has(name)) return [{ kind: 'changed', list, name, change: 'moved' }];
      const other = before[old.indexOf(name)];
      return labelOf(entry) === labelOf(other ?? entry) ? [] : [{ kind: 'changed', list, name, change: 'label' }];
    }),
    ...old.filter((name) => !now.includes(name)).map((name): LayoutDifference => ({ kind: 'removed', list, name })),
  ];
}

const labelOf = (entry: LayoutEntry): string | undefined =>
  typeof entry !== 'string' && 'field' in entry ? entry.label : undefined;

/** Returns the fewest entries whose move explains the new order: those outside of the longest common order. */
function movedEntries(before: readonly string[], after: readonly string[]): string[] {
  const places = after.map((name) => before.indexOf(name));
  const lengths: number[] = [];
  const previous: number[] = [];
  for (const [at, place] of places.entries()) {
    let best = -1;
    for (let i = 0; i < at; i++)
      if ((places[i] ?? 0) < place && (lengths[i] ?? 0) > (best < 0 ? 0 : (lengths[best] ?? 0))) best = i;
    lengths.push((best < 0 ? 0 : (lengths[best] ?? 0)) + 1);
    previous.push(best);
  }
  const unmoved = new Set<number>();
  for (let at = lengths.indexOf(Math.max(0, ...lengths)); at >= 0; at = previous[at] ?? -1) unmoved.add(at);
  return after.filter((_, at) => !unmoved.has(at));
}
