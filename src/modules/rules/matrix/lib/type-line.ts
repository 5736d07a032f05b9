import { inlineHint } from '../../../../kernel/door/errors.ts';
import { matrixDimension } from '../../records/matrixdimension.record.ts';
import { matrixMeasure } from '../../records/matrixmeasure.record.ts';
import { cellError, type CellPosition } from './check-cell.ts';
import type { GridLine } from './read-grid.ts';

/** The type that a table gives a column; null for none. */
export interface ColumnType {
  readonly valueType: string | null;
  /** For an output of records: their type. */
  readonly objectType: string | null;
}

/** The text before each type: a row of a table may contain the name of a type, but hardly this. */
const PREFIX = /^type\s*:\s*/i;

/** Whether a line gives the types of the columns: each of its filled cells begins with `type:`. */
export function isTypeLine({ cells }: GridLine): boolean {
  const filled = cells.filter((cell) => cell !== '');
  return filled.length > 0 && filled.every((cell) => PREFIX.test(cell));
}

/** Returns the text of a column's type, as a table has it. */
export function typeCell(type: string | undefined, objectType: string | undefined): string {
  if (type === undefined) return '';
  return objectType === undefined ? `type: ${type}` : `type: ${type} ${objectType}`;
}

const types = {
  input: matrixDimension.fields.ValueType.values ?? [],
  output: matrixMeasure.fields.ValueType.values ?? [],
};

/**
 * Parses a column's type: `type: Number`, `type: Object MessageTemplate`, or `type: none`. Returns undefined for an
 * empty cell. @throws BAD_PARAMETER naming line and column
 */
export function parseColumnType(
  cell: string,
  kind: 'input' | 'output',
  position: CellPosition,
): ColumnType | undefined {
  if (cell === '') return undefined;
  const [word = '', objectType = '', ...rest] = cell.replace(PREFIX, '').trim().split(/\s+/);
  const noType = { valueType: null, objectType: null };
  if (/^none$/i.test(word) && objectType === '') return noType;
  const valueType = types[kind].find((known) => known.toLowerCase() === word.toLowerCase());
  if (valueType === undefined || rest.length > 0) {
    throw cellError(
      position,
      cell,
      `type: and one of ${types[kind].join(', ')} or none${inlineHint(word, types[kind])}`,
    );
  }
  if ((valueType === 'Object') !== (objectType !== ''))
    throw cellError(
      position,
      cell,
      valueType === 'Object' ? 'type: Object and the record type, such as MessageTemplate' : `type: ${valueType} alone`,
    );
  return { valueType, objectType: objectType === '' ? null : objectType };
}
