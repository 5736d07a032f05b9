import type { CpuUsage } from './child.ts';

/** One side of a comparison. */
export interface Side {
  /** Runs for about this time and returns the result. */
  slice(milliseconds: number): Promise<{ readonly calls: number; readonly seconds: number }>;
  /** CPU used by the side's process. */
  cpu(): Promise<CpuUsage>;
  /** CPU in microseconds that the database's processes have used, where it is known. */
  databaseCpu?(): number | undefined;
}

/** Duration and number of slices. */
export interface Plan {
  readonly pairs: number;
  readonly milliseconds: number;
  readonly warmupMilliseconds: number;
}

interface Slice {
  readonly rate: number;
  /** CPU per call, in microseconds. */
  readonly cpu: number;
  /** CPU of the database per call, in microseconds; NaN where it is not known. */
  readonly databaseCpu: number;
}

/** Medians over the pairs of a comparison. `ratio`: the product's rate divided by the floor's. */
export interface Comparison {
  readonly ratio: Spread;
  readonly cpuRatio: Spread;
  readonly product: Slice;
  readonly floor: Slice;
}

/** A median with the minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Runs floor and product alternately (A B A B …) and compares adjacent slices: a disturbance longer than a slice
 * affects both.
 */
export async function compare(floor: Side, product: Side, plan: Plan): Promise<Comparison> {
  for (const side of [floor, product]) await side.slice(plan.warmupMilliseconds);
  const floors: Slice[] = [];
  const products: Slice[] = [];
  for (let pair = 0; pair < plan.pairs; pair++) {
    floors.push(await measure(floor, plan.milliseconds));
    products.push(await measure(product, plan.milliseconds));
  }
  const ratios = (of: keyof Slice): Spread =>
    spread(products.map((slice, i) => slice[of] / (floors[i]?.[of] ?? Number.NaN)));
  const middle = (slices: readonly Slice[]): Slice => ({
    rate: median(slices.map((s) => s.rate)),
    cpu: median(slices.map((s) => s.cpu)),
    databaseCpu: median(slices.map((s) => s.databaseCpu)),
  });
  return { ratio: ratios('rate'), cpuRatio: ratios('cpu'), product: middle(products), floor: middle(floors) };
}

async function measure(side: Side, milliseconds: number): Promise<Slice> {
  const before = await side.cpu();
  const databaseBefore = side.databaseCpu?.() ?? Number.NaN;
  const { calls, seconds } = await side.slice(milliseconds);
  const databaseAfter = side.databaseCpu?.() ?? Number.NaN;
  const after = await side.cpu();
  return {
    rate: calls / seconds,
    cpu: (after.user + after.system - before.user - before.system) / calls,
    databaseCpu: (databaseAfter - databaseBefore) / calls,
  };
}

/** Returns the median with minimum and maximum. */
function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Returns the median; for an even count, the mean of the middle two. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Target of a figure: a minimum rate relative to the floor's, and a maximum CPU relative to the floor's. */
export interface Demand {
  readonly rateAtLeast?: number;
  readonly cpuAtMost?: number;
  /** For figures of time, where less is better: the most that the product may take, relative to the floor. */
  readonly timeAtMost?: number;
}

/** Returns one printed line: the figure, its ratio with minimum and maximum, the target, and the absolute values. */
export function line(name: string, found: Comparison, demand: Demand): string {
  const time = demand.timeAtMost !== undefined;
  const { median: m, min, max } = time ? inverse(found.ratio) : found.ratio;
  const missed =
    (demand.rateAtLeast !== undefined && m < demand.rateAtLeast) ||
    (demand.timeAtMost !== undefined && m > demand.timeAtMost) ||
    (demand.cpuAtMost !== undefined && found.cpuRatio.median > demand.cpuAtMost);
  const demands = [
    ...(demand.rateAtLeast === undefined ? [] : [`>= ${demand.rateAtLeast}`]),
    ...(demand.timeAtMost === undefined ? [] : [`<= ${demand.timeAtMost}`]),
    ...(demand.cpuAtMost === undefined ? [] : [`cpu <= ${demand.cpuAtMost}x`]),
  ].join(', ');
  const { median, min: least, max: most } = found.cpuRatio;
  const ratio = `${median.toFixed(2)}x, ${least.toFixed(2)}-${most.toFixed(2)}`;
  const database = Number.isNaN(found.product.databaseCpu)
    ? ''
    : `; PostgreSQL ${found.product.databaseCpu.toFixed(0)} us, floor ${found.floor.databaseCpu.toFixed(0)} us`;
  return (
    `${name.padEnd(34)} ${time ? 'time' : 'rate'} ${m.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})  ` +
    `demanded ${demands || 'nothing'}: ${missed ? 'MISSED' : 'met'}  ` +
    `${found.product.rate.toFixed(0)}/s, floor ${found.floor.rate.toFixed(0)}/s  ` +
    `cpu a call ${found.product.cpu.toFixed(0)} us, floor ${found.floor.cpu.toFixed(0)} us (${ratio})${database}`
  );
}

function inverse(of: Spread): Spread {
  return { median: 1 / of.median, min: 1 / of.max, max: 1 / of.min };
}
