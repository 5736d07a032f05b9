import type { StepView } from './step-view.ts';

/** Where a step stands in the picture. */
export interface StepPosition {
  readonly step: number;
  readonly x: number;
  readonly y: number;
}

/** A line from one step to another that waits for it, by its points from top to bottom. `back`: it leads to an earlier step. */
export interface EdgePath {
  readonly from: number;
  readonly to: number;
  readonly isTrue: boolean | undefined;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** A workflow as a picture: every step below those that it waits for. */
export interface DiagramLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly StepPosition[];
  readonly edges: readonly EdgePath[];
  /** Dependencies without a line: they go round in a circle, over too many rows to be followed by eye, or over steps that stand beside one another. */
  readonly hiddenEdges: number;
}

/** Sizes of the picture, in its own units, which are pixels where there is room. */
export const BOX_WIDTH = 216;
export const BOX_HEIGHT = 44;
const GAP_ACROSS = 20;
const GAP_DOWN = 30;
const LANE_WIDTH = 12;
const MARGIN = 8;

/** Steps that stand beside each other; more of them go on in a row below, or the picture of three hundred would be seventy screens wide. */
export const ROW_STEPS_MAX = 10;
/** A line over more rows than this would make more lanes than boxes; the list says what the step waits for. */
const ROWS_CROSSED_MAX = 8;
/** How often rows are put in order by their neighbours, down and up again. */
const SWEEPS = 4;

/** What stands in a row: a step, or a lane that a line goes through. */
interface LayoutNode {
  readonly step: number | undefined;
  readonly row: number;
  readonly above: LayoutNode[];
  readonly below: LayoutNode[];
  order: number;
  x: number;
}

/** Arranges steps in rows. The same steps always make the same picture. */
export function layoutDiagram(steps: readonly StepView[]): DiagramLayout {
  const { rowOf: levelOf, edges, circles } = assignLayers(steps);
  const { rowOf, isFirst, isLast } = foldWideLayers(levelOf);
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
      points: route.flatMap((node, at) => {
        const x = Math.round(node.x);
        const ends = [
          { x, y: top(node) },
          { x, y: top(node) + BOX_HEIGHT },
        ];
        return at === 0 ? ends.slice(1) : at === route.length - 1 ? ends.slice(0, 1) : ends;
      }),
    })),
    hiddenEdges: circles + edges.length - drawn.length,
  };
}

interface Dependency {
  readonly from: number;
  readonly to: number;
  readonly isTrue: boolean | undefined;
}

/** The row of each step: below the last of those that it waits for. Where steps go round in a circle it is cut before the first of them. */
function assignLayers(steps: readonly StepView[]): {
  readonly rowOf: readonly number[];
  readonly edges: readonly Dependency[];
  readonly circles: number;
} {
  const all = steps.flatMap(({ dependencies: needs }, to) =>
    needs.map(({ step: from, isTrue }): Dependency => ({ from, to, isTrue })),
  );
  const waiting = steps.map(() => 0);
  const after = steps.map((): Dependency[] => []);
  for (const edge of all) {
    waiting[edge.to] = (waiting[edge.to] ?? 0) + 1;
    after[edge.from]?.push(edge);
  }
  const rowOf = steps.map(() => 0);
  const isPlaced = steps.map(() => false);
  const cut = new Set<Dependency>();
  const ready = steps.flatMap((_step, at) => (waiting[at] === 0 ? [at] : []));
  for (let left = steps.length, first = 0; left > 0; left--) {
    let next = ready.shift();
    if (next === undefined) {
      while (isPlaced[first]) first++;
      next = first;
      for (const edge of all) if (edge.to === next && !isPlaced[edge.from]) cut.add(edge);
    }
    isPlaced[next] = true;
    for (const edge of after[next] ?? []) {
      if (cut.has(edge) || isPlaced[edge.to]) continue;
      rowOf[edge.to] = Math.max(rowOf[edge.to] ?? 0, (rowOf[next] ?? 0) + 1);
      waiting[edge.to] = (waiting[edge.to] ?? 0) - 1;
      if (waiting[edge.to] === 0) ready.push(edge.to);
    }
  }
  return { rowOf, edges: all.filter((edge) => !cut.has(edge)), circles: cut.size };
}

/** Folds levels of more steps than a row holds into several rows. Lines lead to the first row of a level and from its last: others would run through its boxes. */
function foldWideLayers(levelOf: readonly number[]): {
  readonly rowOf: readonly number[];
  readonly isFirst: readonly boolean[];
  readonly isLast: readonly boolean[];
} {
  const levels = [...Map.groupBy(levelOf.keys(), (step) => levelOf[step] ?? 0)].sort(([a], [b]) => a - b);
  const rowOf = levelOf.map(() => 0);
  const isFirst = levelOf.map(() => false);
  const isLast = levelOf.map(() => false);
  let row = 0;
  for (const [, own] of levels) {
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

/** The nodes that a line goes through, with a lane in each row between its ends. */
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

/** Puts each row in the order of the middle of what its nodes hang on; those that hang on nothing keep their place. */
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

/** Gives every row its places, each row in the middle of the picture; answers the width. */
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
