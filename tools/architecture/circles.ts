/** Circles of a directed graph. */

/** Each circle once, beginning with its first name in the alphabet. */
export function circlesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const follow = (node: string, path: string[]): void => {
    const at = path.indexOf(node);
    if (at !== -1) {
      circles.push(turned(path.slice(at)));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) follow(next, [...path, node]);
    done.add(node);
  };
  for (const node of [...graph.keys()].sort()) follow(node, []);
  return circles;
}

function turned(circle: string[]): string[] {
  const first = circle.indexOf([...circle].sort()[0] ?? '');
  return [...circle.slice(first), ...circle.slice(0, first)];
}
