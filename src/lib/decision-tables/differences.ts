import type { Grid, GridColumn } from './grid.ts';

/** What became of one row. `before` and `after` count rows from 0 in the two tables. */
export type RowDifference =
  | { readonly kind: 'same'; readonly before: number; readonly after: number }
  | { readonly kind: 'added'; readonly after: number }
  /** `at`: the row after which it was, plus 1; in the table after. */
  | { readonly kind: 'removed'; readonly before: number; readonly at: number; readonly cells: readonly string[] }
  | {
      readonly kind: 'changed';
      readonly before: number;
      readonly after: number;
      /** The cells that differ: their columns in the table after, and their texts before. */
      readonly cells: readonly { readonly column: number; readonly before: string }[];
    };

/** The differences of two tables, in the order of rows; removed rows are where they were. */
export interface Differences {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Rows that are not the same. */
  readonly rows: readonly Exclude<RowDifference, { readonly kind: 'same' }>[];
  /** Columns that were added, removed, or have another name, weight or type. A renamed one has its new name. */
  readonly columns: readonly ColumnDifference[];
}

/** What became of one column. */
export interface ColumnDifference {
  readonly kind: 'added' | 'removed' | 'renamed' | 'weight' | 'type';
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Most comparisons of rows between two that stayed the same; beyond, rows are paired in order. */
const PAIRS_MAX = 250_000;

/**
 * Compares two tables. Rows have no identity: those that stayed the same are found first, in order; between them, rows
 * are paired so that most cells stay the same. A row that moved is one that was removed and added.
 */
export function differencesOf(before: Grid, after: Grid): Differences {
  const places = after.columns.map((column) => before.columns.findIndex(isFormer(column)));
  // The rows before, in the columns of the table after.
  const former = before.rows.map((row) => places.map((at) => (at < 0 ? '' : (row[at] ?? ''))));
  let at = 0;
  const rows = alignRows(former, after.rows).flatMap((pair): Differences['rows'] => {
    if (pair.after === undefined)
      return [{ kind: 'removed', before: pair.before, at, cells: former[pair.before] ?? [] }];
    at = pair.after + 1;
    if (pair.before === undefined) return [{ kind: 'added', after: pair.after }];
    const [old, now] = [former[pair.before] ?? [], after.rows[pair.after] ?? []];
    const cells = now.flatMap((text, column) => (text === old[column] ? [] : [{ column, before: old[column] ?? '' }]));
    return cells.length === 0 ? [] : [{ kind: 'changed', before: pair.before, after: pair.after, cells }];
  });
  const count = (kind: RowDifference['kind']): number => rows.filter((row) => row.kind === kind).length;
  return {
    added: count('added'),
    changed: count('changed'),
    removed: count('removed'),
    rows,
    columns: columnDifferences(before, after),
  };
}

/** Returns whether a column of the table before is this one of the table after, which may have been renamed. */
const isFormer =
  ({ kind, name, formerName = name }: GridColumn) =>
  (before: GridColumn): boolean =>
    before.kind === kind && before.name.toLowerCase() === formerName.toLowerCase();

function columnDifferences(before: Grid, after: Grid): ColumnDifference[] {
  const removed = before.columns.filter((column) => !after.columns.some((other) => isFormer(other)(column)));
  return [
    ...after.columns.flatMap((column): ColumnDifference[] => {
      const { name } = column;
      const old = before.columns.find(isFormer(column));
      if (!old) return [{ kind: 'added', name, before: null, after: null }];
      return [
        ...(old.name === name ? [] : [{ kind: 'renamed' as const, name, before: old.name, after: name }]),
        ...(Number(old.weight ?? 0) === Number(column.weight ?? 0)
          ? []
          : [{ kind: 'weight' as const, name, before: old.weight, after: column.weight }]),
        ...(typeOf(old) === typeOf(column)
          ? []
          : [{ kind: 'type' as const, name, before: typeOf(old), after: typeOf(column) }]),
      ];
    }),
    ...removed.map(({ name }): ColumnDifference => ({ kind: 'removed', name, before: null, after: null })),
  ];
}

const typeOf = ({ type, objectType }: GridColumn): string | null =>
  type === null ? null : [type, objectType ?? ''].join(' ').trim();

type RowPair =
  | { readonly before: number; readonly after: number }
  | { readonly before: number; readonly after?: undefined }
  | { readonly before?: undefined; readonly after: number };

type Rows = readonly (readonly string[])[];

/** A stretch of rows in both tables: from, and before which row it ends. */
interface Stretch {
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
}

function alignRows(before: Rows, after: Rows): RowPair[] {
  const keys = [before, after].map((rows) => rows.map((row) => row.join('\u0000'))) as [string[], string[]];
  const [a, b] = keys;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const pairs: RowPair[] = Array.from({ length: start }, (_, at) => ({ before: at, after: at }));
  let [fromA, fromB] = [start, start];
  for (const anchor of [...anchorsOf(keys, start, [endA, endB]), { before: endA, after: endB }]) {
    pairs.push(...pairStretch({ before: [fromA, anchor.before], after: [fromB, anchor.after] }, before, after));
    if (anchor.before < endA) pairs.push(anchor);
    [fromA, fromB] = [anchor.before + 1, anchor.after + 1];
  }
  for (let at = 0; endA + at < a.length; at++) pairs.push({ before: endA + at, after: endB + at });
  return pairs;
}

/** Returns equal rows that occur once in each table and are in the same order in both. */
function anchorsOf(
  [a, b]: readonly [readonly string[], readonly string[]],
  start: number,
  [endA, endB]: readonly [number, number],
): { readonly before: number; readonly after: number }[] {
  const once = (keys: readonly string[], end: number): Map<string, number> => {
    const places = new Map<string, number>();
    for (let at = start; at < end; at++) places.set(keys[at] as string, places.has(keys[at] as string) ? -1 : at);
    return places;
  };
  const placesB = once(b, endB);
  const equal = [...once(a, endA)].flatMap(([key, before]) => {
    const after = placesB.get(key) ?? -1;
    return before < 0 || after < 0 ? [] : [{ before, after }];
  });
  return longestIncreasing(equal);
}

/** Returns the longest run of pairs, in the order of the first table, that is also in the order of the second. */
function longestIncreasing<P extends { readonly after: number }>(pairs: readonly P[]): P[] {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, { after }] of pairs.entries()) {
    let [from, to] = [0, ends.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((pairs[ends[middle] as number] as P).after < after) from = middle + 1;
      else to = middle;
    }
    previous[at] = ends[from - 1] ?? -1;
    ends[from] = at;
  }
  const found: P[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) found.push(pairs[at] as P);
  return found.reverse();
}

/** Pairs the rows of a stretch in order, so that most cells are equal. */
function pairStretch({ before: [fromA, toA], after: [fromB, toB] }: Stretch, before: Rows, after: Rows): RowPair[] {
  const [countA, countB] = [toA - fromA, toB - fromB];
  if (countA === 0 || countB === 0 || countA * countB > PAIRS_MAX) {
    const paired = Math.min(countA, countB);
    return [
      ...Array.from({ length: paired }, (_, at) => ({ before: fromA + at, after: fromB + at })),
      ...Array.from({ length: countA - paired }, (_, at) => ({ before: fromA + paired + at })),
      ...Array.from({ length: countB - paired }, (_, at) => ({ after: fromB + paired + at })),
    ];
  }
  // best[i][j]: the most equal cells of paired rows from the i-th and j-th on.
  const width = countB + 1;
  const best = new Int32Array((countA + 1) * width);
  for (let i = countA - 1; i >= 0; i--)
    for (let j = countB - 1; j >= 0; j--)
      best[i * width + j] = Math.max(
        best[(i + 1) * width + j] as number,
        best[i * width + j + 1] as number,
        (best[(i + 1) * width + j + 1] as number) + equalCells(before[fromA + i], after[fromB + j]),
      );
  const pairs: RowPair[] = [];
  let [i, j] = [0, 0];
  while (i < countA && j < countB) {
    const equal = equalCells(before[fromA + i], after[fromB + j]);
    const here = best[i * width + j] as number;
    if (equal > 0 && here === (best[(i + 1) * width + j + 1] as number) + equal)
      pairs.push({ before: fromA + i++, after: fromB + j++ });
    else if (here === best[(i + 1) * width + j]) pairs.push({ before: fromA + i++ });
    else pairs.push({ after: fromB + j++ });
  }
  while (i < countA) pairs.push({ before: fromA + i++ });
  while (j < countB) pairs.push({ after: fromB + j++ });
  return pairs;
}

/** Returns how alike two rows are: their equal cells, if these are at least half of all; else 0. */
function equalCells(a: readonly string[] = [], b: readonly string[] = []): number {
  let equal = 0;
  for (let at = 0; at < b.length; at++) if (a[at] === b[at]) equal++;
  return equal * 2 >= b.length ? equal : 0;
}
