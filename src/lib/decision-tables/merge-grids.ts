import { differencesOf } from './differences.ts';
import type { CellText, Grid, GridColumn, GridEdit } from './grid.ts';

/** Edits that repeat on one grid what was changed in another. */
export interface MergedEdits {
  readonly edits: readonly GridEdit[];
  /** Changed rows that are no longer there: their changes are lost. */
  readonly lost: number;
  /** Cells that both changed: the edits overwrite them. */
  readonly overwritten: number;
}

/** Returns a grid in the columns of another one. Cells of columns that this one lacks are left out. */
export function inColumnsOf({ columns }: Grid, grid: Grid): Grid {
  const nameOf = ({ kind, name, formerName = name }: GridColumn): string => `${kind} ${formerName}`.toLowerCase();
  const places = columns.map((column) => grid.columns.findIndex((own) => nameOf(own) === nameOf(column)));
  return {
    columns: columns.map((column, at) => ({
      ...column,
      weight: grid.columns[places[at] ?? -1]?.weight ?? column.weight,
    })),
    rows: grid.rows.map((row) => places.map((at) => row[at] ?? '')),
  };
}

/**
 * Returns the edits that make the changes from `base` to `mine` on `theirs`, which was changed from `base` by somebody
 * else. All three have the same columns.
 */
export function mergeGrids(base: Grid, mine: Grid, theirs: Grid): MergedEdits {
  const places = placesIn(base, theirs);
  const their = differencesOf(base, theirs).rows;
  const theirCells = new Set(
    their.flatMap((row) => (row.kind === 'changed' ? row.cells.map(({ column }) => `${row.before} ${column}`) : [])),
  );
  const cells: CellText[] = [];
  const removed: number[] = [];
  const added: { readonly at: number; readonly row: readonly string[] }[] = [];
  const changed = differencesOf(base, mine).rows;
  let [lost, overwritten] = [0, 0];
  for (const row of changed) {
    const place = row.kind === 'added' ? undefined : places[row.before];
    if (row.kind === 'added')
      added.push({ at: placeOfAdded(row.after, mine, base, places), row: mine.rows[row.after] ?? [] });
    else if (place === undefined) lost += row.kind === 'changed' ? 1 : 0;
    else if (row.kind === 'removed') removed.push(place);
    else
      for (const { column } of row.cells) {
        if (theirCells.has(`${row.before} ${column}`)) overwritten++;
        cells.push({ row: place, column, text: mine.rows[row.after]?.[column] ?? '' });
      }
  }
  const weights = mine.columns.flatMap(({ weight, kind }, column): GridEdit[] =>
    kind === 'Input' && weight !== null && weight !== base.columns[column]?.weight
      ? [{ kind: 'weight', column, weight }]
      : [],
  );
  return {
    edits: [
      ...weights,
      ...(cells.length > 0 ? [{ kind: 'set' as const, cells }] : []),
      // From the last on, so that places before them stay valid.
      ...structureEdits(removed, added),
    ],
    lost,
    overwritten,
  };
}

function structureEdits(
  removed: readonly number[],
  added: readonly { readonly at: number; readonly row: readonly string[] }[],
): GridEdit[] {
  const edits: { readonly at: number; readonly order: number; readonly edit: GridEdit }[] = [
    ...removed.map((at) => ({ at, order: Infinity, edit: { kind: 'remove' as const, at, count: 1 } })),
    // Of rows added at one place, the last is inserted first.
    ...added.map(({ at, row }, order) => ({ at, order, edit: { kind: 'insert' as const, at, rows: [row] } })),
  ];
  return edits.sort((a, b) => b.at - a.at || b.order - a.order).map(({ edit }) => edit);
}

/** Returns where each row of a grid is in another one; undefined for those that are not. */
function placesIn(from: Grid, to: Grid): (number | undefined)[] {
  const differing = differencesOf(from, to).rows;
  const removed = new Set(differing.flatMap((row) => (row.kind === 'removed' ? [row.before] : [])));
  const added = new Set(differing.flatMap((row) => (row.kind === 'added' ? [row.after] : [])));
  let place = -1;
  return from.rows.map((_, before) => {
    if (removed.has(before)) return undefined;
    do place++;
    while (added.has(place));
    return place;
  });
}

/** Returns where an added row belongs: after the row before it that is still there. */
function placeOfAdded(after: number, mine: Grid, base: Grid, places: readonly (number | undefined)[]): number {
  const own = placesIn(base, mine);
  let before = -1;
  for (const [row, place] of own.entries())
    if (place !== undefined && place < after && places[row] !== undefined) before = row;
  return (before < 0 ? -1 : (places[before] ?? -1)) + 1;
}
