import { addRows, removeRows, toRowSet, setBit, wordCount, type RowSet } from './row-set.ts';
import { parseCell, type ParsedCell } from '../../../../lib/decision-tables/cell.ts';
import type { Input } from './table.ts';
import type { InputValue } from '../../../../lib/decision-tables/input-value.ts';

/**
 * Rows whose cells depend on one value or range: those that match with it, and negated ones (`not X`) that then do not.
 */
interface RowMatches {
  readonly matching: RowSet | undefined;
  readonly failing: RowSet | undefined;
}

/** The ranges of one scale, ascending by lower end. */
interface Ranges {
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  readonly rows: readonly RowMatches[];
}

/** One input, indexed for lookups. Rows are positions in the ranking, not in the table. */
export interface ColumnIndex {
  readonly blank: Int32Array;
  /** Rows with a negated cell: they match unless an item of the cell holds. */
  readonly negated: Int32Array | undefined;
  readonly texts: ReadonlyMap<string, RowMatches>;
  readonly numbers: ReadonlyMap<number, RowMatches>;
  readonly days: ReadonlyMap<number, RowMatches>;
  readonly numberRanges: Ranges;
  readonly dayRanges: Ranges;
  /** What a match adds to a row's score. */
  readonly score: number;
  /**
   * Number of rows blank in this column. Columns filter in this order: the one that leaves the fewest rows goes first.
   */
  readonly blankCount: number;
}

/** Collects the rows of one value or range while a column is indexed. */
interface RowLists {
  readonly matching: number[];
  readonly failing: number[];
}

const rangeKey = (low: number, high: number): string => `${low} ${high}`;

/** Builds the index of one input. `order` maps each position in the ranking to its row in the table. */
export function indexColumn({ cells, type }: Input, order: Uint32Array, score: number): ColumnIndex {
  const size = order.length;
  const blank = new Int32Array(wordCount(size));
  const parsed = cells.texts.map((text) => parseCell(text, type));
  const byCode = parsed.map((): number[] => []);
  let negated: Int32Array | undefined;
  let blankCount = 0;
  for (let position = 0; position < size; position++) {
    const code = cells.codes[order[position] as number] as number;
    const cell = parsed[code];
    if (cell) {
      (byCode[code] as number[]).push(position);
      if (cell.negated) setBit((negated ??= new Int32Array(wordCount(size))), position);
    } else {
      setBit(blank, position);
      blankCount++;
    }
  }
  return { blank, negated, ...indexValues(parsed, byCode, size), score, blankCount };
}

function indexValues(
  parsed: readonly (ParsedCell | undefined)[],
  byCode: readonly (readonly number[])[],
  size: number,
): Pick<ColumnIndex, 'texts' | 'numbers' | 'days' | 'numberRanges' | 'dayRanges'> {
  const texts = new Map<string, RowLists>();
  const numbers = new Map<number, RowLists>();
  const days = new Map<number, RowLists>();
  const ranges = {
    number: new Map<string, RowLists & { low: number; high: number }>(),
    day: new Map<string, RowLists & { low: number; high: number }>(),
  };
  for (const [code, cell] of parsed.entries()) {
    if (!cell) continue;
    const rows = byCode[code] ?? [];
    const put = <K, C extends RowLists>(into: Map<K, C>, key: K, make: () => C): void => {
      let collected = into.get(key);
      if (!collected) into.set(key, (collected = make()));
      const list = cell.negated ? collected.failing : collected.matching;
      for (const row of rows) list.push(row);
    };
    const plain = (): RowLists => ({ matching: [], failing: [] });
    for (const item of cell.items) {
      if (item.kind === 'range')
        put(ranges[item.scale], rangeKey(item.low, item.high), () => ({ ...plain(), low: item.low, high: item.high }));
      else {
        if (item.text !== undefined) put(texts, item.text, plain);
        if (item.number !== undefined) put(numbers, item.number, plain);
        if (item.day !== undefined) put(days, item.day, plain);
      }
    }
  }
  const sealed = <K>(map: Map<K, RowLists>): Map<K, RowMatches> =>
    new Map([...map].map(([key, collected]) => [key, toRowMatches(collected, size)]));
  return {
    texts: sealed(texts),
    numbers: sealed(numbers),
    days: sealed(days),
    numberRanges: toRanges([...ranges.number.values()], size),
    dayRanges: toRanges([...ranges.day.values()], size),
  };
}

function toRowMatches({ matching, failing }: RowLists, size: number): RowMatches {
  return {
    matching: matching.length > 0 ? toRowSet(matching, size) : undefined,
    failing: failing.length > 0 ? toRowSet(failing, size) : undefined,
  };
}

function toRanges(
  found: readonly (RowLists & { readonly low: number; readonly high: number })[],
  size: number,
): Ranges {
  const sorted = [...found].sort((a, b) => a.low - b.low || a.high - b.high);
  return {
    lows: Float64Array.from(sorted, (r) => r.low),
    highs: Float64Array.from(sorted, (r) => r.high),
    rows: sorted.map((r) => toRowMatches(r, size)),
  };
}

/** Writes the rows whose filled cells match a value to `into`: none if the value is missing. */
export function writeMatches(into: Int32Array, column: ColumnIndex, value: InputValue | undefined): void {
  if (!value || !column.negated) into.fill(0);
  else into.set(column.negated);
  if (!value) return;
  const found: RowMatches[] = [];
  const { texts, numbers, days, numberRanges, dayRanges } = column;
  const of = texts.get(value.text);
  if (of) found.push(of);
  if (value.number !== undefined) {
    const equal = numbers.get(value.number);
    if (equal) found.push(equal);
    addRangesContaining(numberRanges, value.number, found);
  }
  if (value.day !== undefined) {
    const equal = days.get(value.day);
    if (equal) found.push(equal);
    addRangesContaining(dayRanges, value.day, found);
  }
  // A cell is negated as a whole or not at all, so the two sets of rows are disjoint and their order does not matter.
  for (const { matching, failing } of found) {
    if (matching) addRows(into, matching);
    if (failing) removeRows(into, failing);
  }
}

/** Adds the rows of the ranges that contain a value: ranges that begin at or below it and do not end before it. */
function addRangesContaining({ lows, highs, rows }: Ranges, value: number, found: RowMatches[]): void {
  let [from, to] = [0, lows.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((lows[middle] as number) <= value) from = middle + 1;
    else to = middle;
  }
  for (let i = 0; i < from; i++) if ((highs[i] as number) >= value) found.push(rows[i] as RowMatches);
}
