import type { Grid, GridColumn } from '../../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import { storedText } from '../../../../lib/decision-tables/read-cell.ts';
import { parseGridHead, type GridColumn as SentColumn } from './parse-grid.ts';
import type { GridLine } from './read-grid.ts';

/**
 * Returns the table that was sent as a grid. Columns without a type in it keep the one that they have in `before`.
 * @throws BAD_PARAMETER, TOO_LARGE for names, weights or types that cannot be read
 */
export function gridOfLines(lines: readonly GridLine[], before: Grid): Grid {
  const head = parseGridHead(lines);
  const columns = head.columns.map((column) => ({ at: column.at, column: gridColumn(column, before) }));
  // Inputs come before outputs.
  const ordered = [
    ...columns.filter(({ column }) => column.kind === 'Input'),
    ...columns.filter(({ column }) => column.kind === 'Output'),
  ];
  const filled = lines.slice(head.lines).filter(({ cells }) => cells.some((cell) => cell !== ''));
  return {
    columns: ordered.map(({ column }) => column),
    rows: filled.map(({ cells }) =>
      ordered.map(({ at, column }) => {
        const text = cells[at] ?? '';
        return column.kind === 'Input' ? storedText(text, (column.type ?? undefined) as InputType) : text;
      }),
    ),
  };
}

function gridColumn({ name, weight, type }: SentColumn, before: Grid): GridColumn {
  const kind = weight === undefined ? 'Output' : 'Input';
  const known = before.columns.find(
    (column) => column.kind === kind && column.name.toLowerCase() === name.toLowerCase(),
  );
  return {
    kind,
    name,
    weight: weight ?? null,
    type: type ? type.valueType : (known?.type ?? null),
    objectType: type ? type.objectType : (known?.objectType ?? null),
  };
}
