import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matchNames, readName } from '../src/lib/names/match-names.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { BenchOptions } from './run.ts';

interface Pair {
  readonly first: string;
  readonly second: string;
  readonly same: boolean;
  readonly kind: string;
}

type Score = (first: string, second: string) => number;

interface Fuzzball {
  WRatio: Score;
  token_set_ratio: Score;
}

const THRESHOLDS = [60, 70, 80, 90, 95] as const;
/** Lowest score at which two names are taken for the same. */
const DECISION = 80;
/** The precision at which recall is reported. */
const PRECISION = 0.95;

/**
 * Quality and speed of name matching, compared with fuzzball's WRatio and token_set. For each file of judged pairs: the
 * results of each kind at 80, the curve of precision and recall, and recall at precision 0.95. Prints no pair; for the
 * hold-out file only totals.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const fuzzball = await peer();
  const own: Score = (first, second) => matchNames(readName(first), readName(second)).confidence;
  for (const file of ['open', 'kept-aside']) {
    if (!options.takes(`${file} judged`)) continue;
    const pairs = read(file);
    report(options, `names ${file}: ours`, pairs, { score: own, kinds: true });
    if (!fuzzball) continue;
    report(options, `names ${file}: WRatio`, pairs, { score: fuzzball.WRatio, kinds: true });
    report(options, `names ${file}: token_set`, pairs, { score: fuzzball.token_set_ratio, kinds: false });
  }
  if (!fuzzball) {
    options.print(
      'names: the speed is compared with fuzzball; install it: npm install --prefix bench --ignore-scripts',
    );
    return;
  }
  const pairs = read('open');
  const prepared = pairs.map((pair) => [readName(pair.first), readName(pair.second)] as const);
  const ours = side(() => prepared.forEach(([first, second]) => matchNames(first, second)), pairs.length);
  const reading = side(() => pairs.forEach((pair) => own(pair.first, pair.second)), pairs.length);
  for (const [name, score] of [
    ['WRatio', fuzzball.WRatio],
    ['token_set', fuzzball.token_set_ratio],
  ] as const) {
    const floor = side(() => pairs.forEach((pair) => score(pair.first, pair.second)), pairs.length);
    if (options.takes(`speed prepared ${name}`))
      options.print(
        line(`names: names read once, against ${name}`, await compare(floor, ours, options.plan), { rateAtLeast: 0.5 }),
      );
    if (options.takes(`speed reading ${name}`))
      options.print(
        line(`names: names read each time, against ${name}`, await compare(floor, reading, options.plan), {}),
      );
  }
}

async function peer(): Promise<Fuzzball | undefined> {
  try {
    // A computed name prevents the compiler from resolving a package that only benchmarks have.
    const name = 'fuzzball';
    return (await import(name)) as Fuzzball;
  } catch {
    return undefined;
  }
}

function read(file: string): Pair[] {
  const text = readFileSync(join(import.meta.dirname, '../test/samples/names', `${file}.tsv`), 'utf8');
  return text
    .split('\n')
    .slice(1)
    .filter((row) => row !== '')
    .map((row) => {
      const [first = '', second = '', same = '', kind = ''] = row.split('\t');
      return { first, second, same: same === 'true', kind };
    });
}

interface Count {
  readonly precision: number;
  readonly recall: number;
  readonly right: number;
}

function count(pairs: readonly (Pair & { readonly score: number })[], threshold: number): Count {
  const taken = pairs.filter((pair) => pair.score >= threshold);
  const hits = taken.filter((pair) => pair.same).length;
  const same = pairs.filter((pair) => pair.same).length;
  return {
    precision: taken.length === 0 ? 1 : hits / taken.length,
    recall: same === 0 ? 1 : hits / same,
    right: pairs.length - same - taken.length + 2 * hits,
  };
}

function report(
  options: BenchOptions,
  name: string,
  pairs: readonly Pair[],
  { score, kinds }: { readonly score: Score; readonly kinds: boolean },
): void {
  const scored = pairs.map((pair) => ({ ...pair, score: score(pair.first, pair.second) }));
  const curves = (of: typeof scored): string => THRESHOLDS.map((threshold) => curve(of, threshold)).join(', ');
  const all = count(scored, DECISION);
  options.print(
    `${name}: ${all.right} of ${pairs.length} right at ${DECISION}; ` +
      `recall at precision ${PRECISION}: ${share(best(scored))}; ${curves(scored)}`,
  );
  if (!kinds) return;
  for (const [kind, members] of Map.groupBy(scored, (pair) => pair.kind))
    options.print(`${name} ${kind}: ${count(members, DECISION).right} of ${members.length}; ${curves(members)}`);
}

/** Returns the greatest recall of any threshold with sufficient precision. */
function best(pairs: readonly (Pair & { readonly score: number })[]): number {
  const counts = Array.from({ length: 101 }, (_, threshold) => count(pairs, threshold)).filter(
    (each) => each.precision >= PRECISION,
  );
  return Math.max(0, ...counts.map((each) => each.recall));
}

function curve(pairs: readonly (Pair & { readonly score: number })[], threshold: number): string {
  const { precision, recall } = count(pairs, threshold);
  return `${threshold}: ${share(precision)}/${share(recall)}`;
}

function share(value: number): string {
  return value.toFixed(3);
}

/** A side that repeats calls in this process; `run` makes `calls` comparisons. */
function side(run: () => void, calls: number): Side {
  return {
    slice(milliseconds) {
      const began = performance.now();
      let made = 0;
      while (performance.now() - began < milliseconds) {
        run();
        made += calls;
      }
      return Promise.resolve({ calls: made, seconds: (performance.now() - began) / 1_000 });
    },
    cpu: () => Promise.resolve(process.cpuUsage()),
  };
}
