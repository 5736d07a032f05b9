import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import { CellSyntaxError, parseCell } from '../../../../lib/decision-tables/cell.ts';
import { isClear, outputField } from './outputs.ts';
import type { OutputType } from './table.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';

/** The location of a cell, for error messages. */
export interface CellPosition {
  readonly row: number;
  readonly column: string;
  /** What `row` counts, if not the matrix's rows: the line of a file. */
  readonly word?: 'Row' | 'Line';
}

/** Throws if an input cell cannot be parsed, naming its row, its column and what was expected. */
export function assertInputCell(text: string, type: InputType, place: CellPosition): void {
  try {
    parseCell(text, type);
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    throw cellError(place, text, error.expected);
  }
}

/** Returns the canonical text of an output cell. Throws if it is not a value of the output's type. */
export function outputCell(text: string, type: OutputType, place: CellPosition): string {
  if (type === undefined || type === 'Text' || type === 'Object' || text === '' || isClear(text)) return text;
  try {
    return String(parseValue(outputField(type), text, place.column, { timeZone: 'UTC' }));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw cellError(place, text, error.message.replace(/^.*?expected /, '').replace(/\.$/, ''));
  }
}

/** Returns the error for a cell. */
export function cellError({ row, column, word = 'Row' }: CellPosition, text: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: 'Cell',
    message: `${word} ${row}, ${column}: "${text.slice(0, 60)}": expected ${expected}.`,
    details: { [word]: row, Column: column, Expected: expected },
  });
}
