import type { ColumnEdit, Grid, GridColumn, GridEdit, SentEdit } from './grid.ts';
import { GridEditError } from './grid-edit-error.ts';

/** Most columns of a table that is edited as a draft. */
const COLUMNS_MAX = 100;

/** Whether an edit is one of columns. */
export function isColumnEdit(edit: GridEdit): edit is ColumnEdit {
  return edit.kind.endsWith('Column');
}

/** Returns the grid with another value of a column. */
export function withColumn(grid: Grid, at: number, change: Partial<GridColumn>): Grid {
  return {
    ...grid,
    columns: grid.columns.map((column, place) => (place === at ? { ...column, ...change } : column)),
  };
}

/** Returns the grid after an edit that fits it. */
export function applyColumnEdit(grid: Grid, edit: ColumnEdit): Grid {
  const { columns, rows } = grid;
  switch (edit.kind) {
    case 'addColumn':
      return {
        columns: columns.toSpliced(edit.at, 0, edit.column),
        rows: rows.map((row, at) => row.toSpliced(edit.at, 0, edit.cells?.[at] ?? '')),
      };
    case 'removeColumn':
      return {
        columns: columns.toSpliced(edit.column, 1),
        rows: rows.map((row) => row.toSpliced(edit.column, 1)),
      };
    case 'moveColumn':
      return { columns: moved(columns, edit), rows: rows.map((row) => moved(row, edit)) };
    case 'renameColumn':
      return { ...grid, columns: columns.with(edit.column, renamed(columns[edit.column] as GridColumn, edit.name)) };
    case 'typeColumn':
      return withColumn(grid, edit.column, { type: edit.type, objectType: edit.objectType });
  }
}

function moved<T>(entries: readonly T[], { from, to }: { readonly from: number; readonly to: number }): T[] {
  return entries.toSpliced(from, 1).toSpliced(to, 0, entries[from] as T);
}

/** Returns a column under another name. It remembers the first one, under which it was published. */
function renamed({ formerName, ...column }: GridColumn, name: string): GridColumn {
  const first = formerName ?? column.name;
  return { ...column, name, ...(first !== name && { formerName: first }) };
}

/** Returns the edit that undoes another one on the grid before it. */
export function inverseOfColumnEdit({ columns, rows }: Grid, edit: ColumnEdit): ColumnEdit {
  switch (edit.kind) {
    case 'addColumn':
      return { kind: 'removeColumn', column: edit.at };
    case 'removeColumn':
      return {
        kind: 'addColumn',
        at: edit.column,
        column: columns[edit.column] as GridColumn,
        cells: rows.map((row) => row[edit.column] ?? ''),
      };
    case 'moveColumn':
      return { kind: 'moveColumn', from: edit.to, to: edit.from };
    case 'renameColumn':
      return { kind: 'renameColumn', column: edit.column, name: columns[edit.column]?.name ?? '' };
    case 'typeColumn': {
      const { type = null, objectType = null } = columns[edit.column] ?? {};
      return { kind: 'typeColumn', column: edit.column, type, objectType };
    }
  }
}

/** @throws GridEditError for an edit that does not fit the grid */
export function assertColumnEdit({ columns, rows }: Grid, edit: ColumnEdit): void {
  const inputs = columns.filter(({ kind }) => kind === 'Input').length;
  if (edit.kind === 'addColumn') {
    const [first, last] = edit.column.kind === 'Input' ? [0, inputs] : [inputs, columns.length];
    if (!Number.isInteger(edit.at) || edit.at < first || edit.at > last)
      throw new GridEditError(`a position from ${first + 1} to ${last + 1}: inputs are before outputs`);
    if (columns.length >= COLUMNS_MAX) throw new GridEditError(`at most ${COLUMNS_MAX} columns`);
    if (edit.cells && edit.cells.length !== rows.length) throw new GridEditError(`${rows.length} cells`);
    return;
  }
  if (edit.kind === 'moveColumn') {
    const [from, to] = [columns[edit.from], columns[edit.to]];
    if (!from || from.kind !== to?.kind) throw new GridEditError('the position of another column of its kind');
    return;
  }
  if (!columns[edit.column]) throw new GridEditError(`a column from 1 to ${columns.length}`);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

/** By kind: returns the edit if its values have the right types. */
export const columnEditParsers: Readonly<Record<ColumnEdit['kind'], (sent: SentEdit) => ColumnEdit | undefined>> = {
  addColumn({ at, column, cells }) {
    if (typeof at !== 'number' || !isColumn(column)) return undefined;
    if (cells !== undefined && !(Array.isArray(cells) && cells.every(isText))) return undefined;
    return { kind: 'addColumn', at, column, ...(cells !== undefined && { cells }) };
  },
  removeColumn: ({ column }) => (typeof column === 'number' ? { kind: 'removeColumn', column } : undefined),
  moveColumn: ({ from, to }) =>
    typeof from === 'number' && typeof to === 'number' ? { kind: 'moveColumn', from, to } : undefined,
  renameColumn: ({ column, name }) =>
    typeof column === 'number' && isText(name) ? { kind: 'renameColumn', column, name } : undefined,
  typeColumn: ({ column, type, objectType }) =>
    typeof column === 'number' && isTextOrNull(type) && isTextOrNull(objectType)
      ? { kind: 'typeColumn', column, type, objectType }
      : undefined,
};

function isColumn(sent: unknown): sent is GridColumn {
  if (typeof sent !== 'object' || sent === null) return false;
  const { kind, name, weight, type, objectType } = sent as SentEdit;
  return (
    (kind === 'Input' || kind === 'Output') &&
    isText(name) &&
    isTextOrNull(weight) &&
    isTextOrNull(type) &&
    isTextOrNull(objectType)
  );
}
