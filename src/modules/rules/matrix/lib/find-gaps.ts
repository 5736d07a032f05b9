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
  /** By their last value: the other values of the combinations found. */
  readonly known: Map<number, (readonly number[])[]>;
  /** By depth: the rows that match the values chosen so far. */
  readonly rows: readonly Int32Array[];
  /** The values chosen so far, as {@link numberOf} numbers them. */
  readonly chosen: number[];
  left: number;
}

/** Collects the smallest combinations without a row. Returns whether all were examined. */
function searchCombinations(classes: readonly (readonly ValueClass[])[], found: Combination[], words: number): boolean {
  const rows = Array.from({ length: classes.length + 1 }, () => new Int32Array(words).fill(-1));
  const search: Omit<Search, 'size'> = { classes, found, known: new Map(), rows, chosen: [], left: COMBINATIONS_MAX };
  for (let size = 1; size <= classes.length; size++) {
    const before = search.left;
    const current: Search = { ...search, size };
    if (!extend(current)) return false;
    // Nothing of this size was left to examine: all larger combinations include a gap.
    if (current.left === before) return true;
    search.left = current.left;
  }
  return true;
}

/** Values are numbered by their input and their place among its classes. */
const CLASSES_MAX = 65_536;
const numberOf = (input: number, at: number): number => input * CLASSES_MAX + at;
const inputOf = (value: number): number => Math.floor(value / CLASSES_MAX);

/** Examines the combinations that begin with the values chosen. Returns false when the limit is reached. */
function extend(search: Search): boolean {
  const { classes, size, rows, chosen } = search;
  const depth = chosen.length;
  const matched = rows[depth] as Int32Array;
  const first = depth === 0 ? 0 : inputOf(chosen[depth - 1] as number) + 1;
  for (let input = first; input <= classes.length - (size - depth); input++)
    for (const [at, each] of (classes[input] ?? []).entries()) {
      const value = numberOf(input, at);
      if (includesKnown(search, value)) continue;
      if (depth + 1 < size) {
        intersect(rows[depth + 1] as Int32Array, matched, each.rows);
        chosen.push(value);
        const isWithinLimit = extend(search);
        chosen.pop();
        if (!isWithinLimit) return false;
        continue;
      }
      if (search.left-- <= 0 || search.found.length >= GAPS_FOUND_MAX) return false;
      if (!meets(matched, each.rows)) addGap(search, value);
    }
  return true;
}

function addGap({ known, chosen, found }: Search, last: number): void {
  const others = known.get(last);
  if (others) others.push([...chosen]);
  else known.set(last, [[...chosen]]);
  found.push([...chosen, last].map((value) => ({ input: inputOf(value), at: value % CLASSES_MAX })));
}

/** Whether the values chosen with this one include a gap that ends with it. */
function includesKnown({ known, chosen }: Search, last: number): boolean {
  return known.get(last)?.some((others) => others.every((value) => chosen.includes(value))) === true;
}

function intersect(into: Int32Array, a: Int32Array, b: Int32Array): void {
  for (let w = 0; w < into.length; w++) into[w] = (a[w] as number) & (b[w] as number);
}

const keyOf = (combination: Combination): string => combination.map(({ input, at }) => `${input}:${at}`).join(' ');

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
