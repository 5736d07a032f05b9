import { inlineHint } from '../../../kernel/door/errors.ts';
import { cellKey, workbookError, type Cell, type DefinedName, type Sheet, type Workbook } from './open-workbook.ts';
import type { EngineParameters } from './engine-parameters.ts';
import { CellError } from './cell-value.ts';

/** A named cell. */
export interface NamedCell {
  readonly name: string;
  /** The item or input that EngineParameters map it to; otherwise its own name. */
  readonly itemName: string;
  readonly isMapped: boolean;
  readonly sheet: Sheet;
  readonly row: number;
  readonly column: number;
  /** The cell; undefined if it is empty. */
  readonly cell: Cell | undefined;
}

/** Most named cells that an error message lists. */
const NAMES_LISTED_MAX = 50;

/**
 * Returns the named cells. Names of ranges are skipped: only formulas use them. @throws STATE_REFUSES for a mapped name
 * that is not a cell's
 */
export function namedCells(workbook: Workbook, mappings: EngineParameters['cells']): NamedCell[] {
  const found: NamedCell[] = [];
  const known = new Set<string>();
  // Names of the workbook take precedence over the same names of a sheet.
  for (const defined of [...workbook.names].sort(
    (a, b) => Number(a.sheet !== undefined) - Number(b.sheet !== undefined),
  )) {
    const key = defined.name.toLowerCase();
    const place = placeOf(workbook, defined);
    if (known.has(key) || typeof place === 'string') {
      if (typeof place === 'string' && mappings.has(key) && !known.has(key))
        throw workbookError(`has the name ${defined.name.slice(0, 100)}, which ${place}; expected one cell`);
      continue;
    }
    known.add(key);
    found.push({
      name: defined.name,
      itemName: mappings.get(key)?.means ?? defined.name,
      isMapped: mappings.has(key),
      ...place,
    });
  }
  for (const [key, { name }] of mappings) {
    if (known.has(key)) continue;
    const names = found.map((cell) => cell.name);
    const named = names.slice(0, NAMES_LISTED_MAX).join(', ') || 'none';
    throw workbookError(
      `has no cell named ${name.slice(0, 100)}${inlineHint(name, names)}; its named cells are ${named}`,
    );
  }
  return found;
}

function placeOf(
  workbook: Workbook,
  { parsed }: DefinedName,
): Pick<NamedCell, 'sheet' | 'row' | 'column' | 'cell'> | string {
  if (parsed instanceof CellError) return `cannot be followed: ${parsed.reason ?? parsed.code}`;
  if (parsed.kind !== 'reference') return 'refers to no cell';
  const { from, to } = parsed;
  const sheet = workbook.sheets.find(({ name }) => name.toLowerCase() === parsed.sheet?.toLowerCase());
  if (!sheet) return 'refers to a missing sheet';
  if (from.row !== to.row || from.column !== to.column) return 'points to a range';
  return { sheet, row: from.row, column: from.column, cell: sheet.cells.get(cellKey(from.row, from.column)) };
}
