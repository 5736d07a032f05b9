import type { StepView } from './step-view.ts';

/**
 * Lays out workflow diagrams: a layered graph drawing after Sugiyama (assign layers, route long edges through dummy
 * nodes, reduce crossings by barycenters, assign coordinates).
 *
 * It is our own and not a library for two reasons. The SVG is made on the server, without script in the browser and
 * within a content security policy that forbids inline styles; and it is under 300 lines for one picture, for which a
 * library such as dagre would be one more dependency.
 */

/** The position of a step's box: its upper left corner. */
export interface StepPosition {
  readonly step: number;
  readonly x: number;
  readonly y: number;
}

/** The line of a dependency, as points from top to bottom. */
export interface EdgePath {
  readonly from: number;
  readonly to: number;
  readonly isTrue: boolean | undefined;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** A workflow's diagram, with every step below those on which it depends. */
export interface DiagramLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly StepPosition[];
  readonly edges: readonly EdgePath[];
  /**
   * Dependencies without a line: they form a circle, cross too many rows, or would run through boxes of a folded layer.
   */
  readonly hiddenEdges: number;
}

/** Sizes in the diagram's own units: pixels, unless it is scaled. */
export const BOX_WIDTH = 216;
export const BOX_HEIGHT = 44;
const GAP_ACROSS = 20;
const GAP_DOWN = 30;
const LANE_WIDTH = 12;
const MARGIN = 8;

/** Most boxes in a row. Layers with more fold into several rows, or 300 parallel steps would be 70 screens wide. */
export const ROW_STEPS_MAX = 10;
/** Edges that cross more rows are not drawn: they would need more lanes than there are boxes. */
const ROWS_CROSSED_MAX = 8;
/** How often the rows are sorted by their neighbours, alternately downwards and upwards. */
const SWEEPS = 4;

/** An entry of a row: a step, or a dummy node (`step` undefined) whose lane an edge passes. */
interface LayoutNode {
  readonly step: number | undefined;
  readonly row: number;
  readonly above: LayoutNode[];
  readonly below: LayoutNode[];
  order: number;
  x: number;
}

/** Lays out steps in rows. The result depends on nothing but the steps. */
export function layoutDiagram(steps: readonly StepView[]): DiagramLayout {
  const { layerOf, edges, circles } = assignLayers(steps);
  const { rowOf, isFirst, isLast } = foldWideLayers(layerOf);
  const nodes: LayoutNode[] = steps.map((_step, step) => ({
    step,
    row: rowOf[step] ?? 0,
    above: [],
    below: [],
    order: step,
    x: 0,
  }));
  const drawn = edges.filter(
    ({ from, to }) => (rowOf[to] ?? 0) - (rowOf[from] ?? 0) <= ROWS_CROSSED_MAX && isLast[from] && isFirst[to],
  );
  const routes = drawn.map((edge) => ({ edge, route: routeEdge(nodes, edge) }));
  const rows = [...Map.groupBy(nodes, ({ row }) => row)].sort(([a], [b]) => a - b).map(([, row]) => row);
  for (let sweep = 0; sweep < SWEEPS; sweep++) reduceCrossings(rows, sweep % 2 === 0);
  const width = assignColumns(rows);
  const top = ({ row }: LayoutNode): number => MARGIN + row * (BOX_HEIGHT + GAP_DOWN);
  return {
    width,
    height: 2 * MARGIN + rows.length * BOX_HEIGHT + Math.max(0, rows.length - 1) * GAP_DOWN,
    nodes: nodes.flatMap((node) =>
      node.step === undefined ? [] : [{ step: node.step, x: Math.round(node.x - BOX_WIDTH / 2), y: top(node) }],
    ),
    edges: routes.map(({ edge, route }) => ({
      ...edge,
      // An edge leaves its first node at the bottom, passes the others, and ends at the top of its last one.
      points: route.flatMap((node, at) => {
        const x = Math.round(node.x);
        const upper = at > 0 ? [{ x, y: top(node) }] : [];
        const lower = at < route.length - 1 ? [{ x, y: top(node) + BOX_HEIGHT }] : [];
        return [...upper, ...lower];
      }),
    })),
    hiddenEdges: circles + edges.length - drawn.length,
  };
}

/** A dependency, by the indexes of its two steps. */
interface Dependency {
  readonly from: number;
  readonly to: number;
  readonly isTrue: boolean | undefined;
}

/** The layer of each step, by its index. `edges`: the dependencies that are left; `circles`: how many were cut. */
interface Layers {
  readonly layerOf: readonly number[];
  readonly edges: readonly Dependency[];
  readonly circles: number;
}

/**
 * Assigns each step to the layer below the last of those on which it depends (longest path). Where the remaining steps
 * depend on each other in a circle, the circle is cut before the first of them.
 */
function assignLayers(steps: readonly StepView[]): Layers {
  const all = steps.flatMap(({ dependencies }, to) =>
    dependencies.map(({ step: from, isTrue }): Dependency => ({ from, to, isTrue })),
  );
  const dependents = Map.groupBy(all, ({ from }) => from);
  const openCounts = steps.map((_step, to) => all.filter((edge) => edge.to === to).length);
  const layerOf = steps.map(() => 0);
  const isPlaced = steps.map(() => false);
  const cut = new Set<Dependency>();
  const ready = openCounts.flatMap((count, at) => (count === 0 ? [at] : []));
  for (let left = steps.length; left > 0; left--) {
    const next = ready.shift() ?? isPlaced.indexOf(false);
    for (const edge of all) if (edge.to === next && !isPlaced[edge.from]) cut.add(edge);
    isPlaced[next] = true;
    for (const edge of dependents.get(next) ?? []) {
      if (cut.has(edge) || isPlaced[edge.to]) continue;
      layerOf[edge.to] = Math.max(layerOf[edge.to] ?? 0, (layerOf[next] ?? 0) + 1);
      openCounts[edge.to] = (openCounts[edge.to] ?? 0) - 1;
      if (openCounts[edge.to] === 0) ready.push(edge.to);
    }
  }
  return { layerOf, edges: all.filter((edge) => !cut.has(edge)), circles: cut.size };
}

/**
 * Folds layers with more steps than a row holds into several rows. Only edges to the first row of a layer and from its
 * last are drawn: others would run through its boxes.
 */
function foldWideLayers(layerOf: readonly number[]): {
  readonly rowOf: readonly number[];
  readonly isFirst: readonly boolean[];
  readonly isLast: readonly boolean[];
} {
  const layers = [...Map.groupBy(layerOf.keys(), (step) => layerOf[step] ?? 0)].sort(([a], [b]) => a - b);
  const rowOf = layerOf.map(() => 0);
  const isFirst = layerOf.map(() => false);
  const isLast = layerOf.map(() => false);
  let row = 0;
  for (const [, own] of layers) {
    const count = Math.ceil(own.length / ROW_STEPS_MAX);
    for (const [at, step] of own.entries()) {
      const fold = Math.floor(at / ROW_STEPS_MAX);
      rowOf[step] = row + fold;
      isFirst[step] = fold === 0;
      isLast[step] = fold === count - 1;
    }
    row += count;
  }
  return { rowOf, isFirst, isLast };
}

/** Returns the nodes that an edge passes, and adds a dummy node in each row between its ends. */
function routeEdge(nodes: LayoutNode[], { from, to }: Dependency): readonly LayoutNode[] {
  const first = nodes[from];
  const last = nodes[to];
  if (!first || !last) return [];
  const route = [first];
  for (let row = first.row + 1; row < last.row; row++) {
    const lane: LayoutNode = { step: undefined, row, above: [], below: [], order: first.order, x: 0 };
    nodes.push(lane);
    route.push(lane);
  }
  route.push(last);
  for (let at = 1; at < route.length; at++) {
    route[at - 1]?.below.push(route[at] as LayoutNode);
    route[at]?.above.push(route[at - 1] as LayoutNode);
  }
  return route;
}

/** Sorts each row by the barycenters of its nodes' neighbours; nodes without neighbours keep their place. */
function reduceCrossings(rows: readonly LayoutNode[][], isDown: boolean): void {
  for (const row of isDown ? rows : [...rows].reverse()) {
    const middles = new Map(
      row.map((node) => {
        const neighbours = isDown ? node.above : node.below;
        return [
          node,
          neighbours.length === 0
            ? node.order
            : neighbours.reduce((sum, { order }) => sum + order, 0) / neighbours.length,
        ];
      }),
    );
    row.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0) || a.order - b.order);
    for (const [at, node] of row.entries()) node.order = at;
  }
}

/** Assigns the horizontal positions, with each row centered. Returns the diagram's width. */
function assignColumns(rows: readonly LayoutNode[][]): number {
  const widthOf = ({ step }: LayoutNode): number => (step === undefined ? LANE_WIDTH : BOX_WIDTH);
  const widths = rows.map((row) => row.reduce((sum, node) => sum + widthOf(node) + GAP_ACROSS, -GAP_ACROSS));
  const widest = Math.max(BOX_WIDTH, ...widths);
  for (const [at, row] of rows.entries()) {
    let x = MARGIN + (widest - (widths[at] ?? 0)) / 2;
    for (const node of row) {
      node.x = x + widthOf(node) / 2;
      x += widthOf(node) + GAP_ACROSS;
    }
  }
  return widest + 2 * MARGIN;
}
