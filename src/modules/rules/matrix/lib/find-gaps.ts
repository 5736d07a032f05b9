import type { MatrixIndex } from './matrix-index.ts';
import { describePoints, type ValueSet } from './point-text.ts';
import { setBits } from './row-relations.ts';
import { setBit, wordCount } from './row-set.ts';
import { overlaps as meets, type SamplePoint } from './sample-points.ts';

/** Most combinations of values that are examined. */
const COMBINATIONS_MAX = 50_000;
/** Most words of memory for the rows of all values. */
const WORDS_MAX = 8_000_000;
/** Most gaps that are found before neighbouring ones are joined. */
const GAPS_FOUND_MAX = 2_000;
/** Most gaps that are returned. */
const GAPS_RETURNED_MAX = 100;

/** Values of some inputs for which no row is eligible, whatever the other inputs are. */
export interface Gap {
  readonly values: readonly { readonly input: number; readonly set: ValueSet }[];
}

/** The gaps of a matrix, those of the fewest inputs first, and what was skipped. */
export interface Gaps {
  readonly gaps: readonly Gap[];
  readonly omissions: readonly string[];
}

/** Values of a column that the same rows match. */
interface ValueClass {
  readonly points: readonly SamplePoint[];
  /** The rows that match it, those with an empty cell too. */
  readonly rows: Int32Array;
}

/** A combination of value classes: of each input at most one. */
type Combination = readonly { readonly input: number; readonly at: number }[];

/**
 * Finds the smallest combinations of values that no row matches: first of one input, then of two, and so on. A
 * combination that includes a smaller one is not reported.
 */
export function findGaps(
  { table, fullCounts }: MatrixIndex,
  points: readonly (readonly SamplePoint[])[],
  matching: readonly (readonly (Int32Array | undefined)[])[],
): Gaps {
  const size = table.rowNumbers.length;
  // A row of only empty cells matches everything.
  if (size === 0 || fullCounts.some((count) => count === 0)) return { gaps: [], omissions: [] };
  const words = wordCount(size);
  const omissions: string[] = [];
  if (points.reduce((sum, of) => sum + of.length, 0) * words > WORDS_MAX)
    return { gaps: [], omissions: ['The table is too large for a search for values without a row.'] };
  const classes = table.inputs.map(({ cells }, at) =>
    classify(points[at] ?? [], matching[at] ?? [], { codes: cells.codes, words }).filter(isUseful(points[at] ?? [])),
  );
  const found: Combination[] = [];
  const isComplete = searchCombinations(classes, found, words);
  if (!isComplete)
    omissions.push(
      `Values without a row were searched in ${COMBINATIONS_MAX.toLocaleString('en-US')} combinations of values; ` +
        'there may be more.',
    );
  const gaps = joinNeighbours(found, classes)
    .map((values) => ({
      values: values.map(({ input, chosen }) => ({ input, set: describeValues(chosen, points[input] ?? []) })),
    }))
    .slice(0, GAPS_RETURNED_MAX);
  return { gaps, omissions };
}

function describeValues(chosen: readonly SamplePoint[], all: readonly SamplePoint[]): ValueSet {
  const hasTexts = all.some(({ kind }) => kind === 'text');
  const listed = chosen.filter(({ kind }) => kind !== 'other');
  return describePoints(hasTexts || listed.length === 0 ? chosen : listed, all);
}

/** Nobody expects a row for a text in an input of numbers or days. */
function isUseful(all: readonly SamplePoint[]): (of: ValueClass) => boolean {
  const hasTexts = all.some(({ kind }) => kind === 'text');
  return ({ points }) => hasTexts || all.length === 1 || points.some(({ kind }) => kind !== 'other');
}

function classify(
  points: readonly SamplePoint[],
  matching: readonly (Int32Array | undefined)[],
  { codes, words }: { readonly codes: Uint32Array; readonly words: number },
): ValueClass[] {
  const blank = new Int32Array(words);
  const rowsOf = matching.map(() => [] as number[]);
  for (const [row, code] of codes.entries())
    if (matching[code]) rowsOf[code]?.push(row);
    else setBit(blank, row);
  const rowsAt = points.map(() => blank.slice());
  for (const [code, bits] of matching.entries())
    for (const at of bits ? setBits(bits) : [])
      for (const row of rowsOf[code] ?? []) setBit(rowsAt[at] as Int32Array, row);
  const classes = new Map<string, { points: SamplePoint[]; rows: Int32Array }>();
  for (const [at, point] of points.entries()) {
    const rows = rowsAt[at] as Int32Array;
    const key = rows.join();
    const same = classes.get(key);
    if (same) same.points.push(point);
    else classes.set(key, { points: [point], rows });
  }
  return [...classes.values()];
}

/** A search for combinations of one size. */
interface Search {
  readonly classes: readonly (readonly ValueClass[])[];
  readonly size: number;
  readonly found: Combination[];
  /** The keys of the combinations found, and the values that are in any of them. */
  readonly known: Set<string>;
  readonly involved: Set<string>;
  /** By depth: the rows that match the values chosen so far. */
  readonly rows: readonly Int32Array[];
  left: number;
}

/** Collects the smallest combinations without a row. Returns whether all were examined. */
function searchCombinations(classes: readonly (readonly ValueClass[])[], found: Combination[], words: number): boolean {
  const rows = Array.from({ length: classes.length + 1 }, () => new Int32Array(words).fill(-1));
  const known = new Set<string>();
  const involved = new Set<string>();
  let left = COMBINATIONS_MAX;
  for (let size = 1; size <= classes.length; size++) {
    const search: Search = { classes, size, found, known, involved, rows, left };
    if (!extend(search, [])) return false;
    // Nothing of this size was left to examine: all larger combinations include a gap.
    if (search.left === left) return true;
    left = search.left;
  }
  return true;
}

/** Examines the combinations that begin with these values. Returns false when the limit is reached. */
function extend(search: Search, chosen: Combination): boolean {
  const { classes, size, found, known, involved, rows } = search;
  const depth = chosen.length;
  const matched = rows[depth] as Int32Array;
  const isLast = depth + 1 === size;
  for (let input = (chosen.at(-1)?.input ?? -1) + 1; input <= classes.length - (size - depth); input++)
    for (const [at, each] of (classes[input] ?? []).entries()) {
      const value = { input, at };
      if (involved.has(keyOf([value])) && includesKnown([...chosen, value], known)) continue;
      if (!isLast) {
        intersect(rows[depth + 1] as Int32Array, matched, each.rows);
        if (!extend(search, [...chosen, value])) return false;
        continue;
      }
      if (search.left-- <= 0 || found.length >= GAPS_FOUND_MAX) return false;
      if (meets(matched, each.rows)) continue;
      const combination = [...chosen, value];
      known.add(keyOf(combination));
      for (const one of combination) involved.add(keyOf([one]));
      found.push(combination);
    }
  return true;
}

function intersect(into: Int32Array, a: Int32Array, b: Int32Array): void {
  for (let w = 0; w < into.length; w++) into[w] = (a[w] as number) & (b[w] as number);
}

const keyOf = (combination: Combination): string => combination.map(({ input, at }) => `${input}:${at}`).join(' ');

/** Whether a combination, or a smaller one that ends with its last value, is a known gap. */
function includesKnown(combination: Combination, known: ReadonlySet<string>): boolean {
  const last = combination.at(-1) as Combination[number];
  const before = combination.slice(0, -1);
  for (let mask = 0; mask < 1 << before.length; mask++)
    if (known.has(keyOf([...before.filter((_, at) => (mask & (1 << at)) !== 0), last]))) return true;
  return false;
}

interface JoinedValues {
  readonly input: number;
  readonly chosen: readonly SamplePoint[];
}

/** Joins gaps that differ in one input: PA with VA and PA with USDA are PA with VA or USDA. */
function joinNeighbours(
  found: readonly Combination[],
  classes: readonly (readonly ValueClass[])[],
): (readonly JoinedValues[])[] {
  const joined: { of: readonly JoinedValues[]; order: number }[] = [];
  const byInputs = Map.groupBy(found, (each) => each.map(({ input }) => input).join());
  for (const group of byInputs.values()) {
    const inputs = group[0]?.map(({ input }) => input) ?? [];
    const groupings = inputs.map((input) =>
      Map.groupBy(group, (each) => keyOf(each.filter((value) => value.input !== input))),
    );
    const sizes = groupings.map((grouping) => grouping.size);
    const best = sizes.indexOf(Math.min(...sizes));
    for (const gaps of groupings[best]?.values() ?? [])
      joined.push({
        of: inputs.map((input, n) => ({
          input,
          chosen: (n === best ? gaps : gaps.slice(0, 1)).flatMap(
            (gap) => classes[input]?.[gap[n]?.at ?? 0]?.points ?? [],
          ),
        })),
        order: found.indexOf(gaps[0] as Combination),
      });
  }
  const others = ({ of }: (typeof joined)[number]): number =>
    of.filter(({ chosen }) => chosen.some(({ kind }) => kind === 'other')).length;
  return joined
    .sort((a, b) => a.of.length - b.of.length || others(a) - others(b) || a.order - b.order)
    .map(({ of }) => of);
}
