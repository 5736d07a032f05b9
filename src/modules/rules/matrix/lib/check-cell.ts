import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import { CellSyntaxError, parseCell } from './cell.ts';
import { outputField } from './outputs.ts';
import type { OutputType } from './table.ts';
import type { InputType } from './input-value.ts';

/** Where a cell stands, for those who must mend it. */
export interface CellPosition {
  readonly row: number;
  readonly column: string;
  /** What the row is the number of, where it is not the matrix's own: the line of a file. */
  readonly word?: 'Row' | 'Line';
}

/** Refuses a cell of an input that cannot be understood, naming its row and column and what was expected. */
export function assertInputCell(text: string, type: InputType, place: CellPosition): void {
  try {
    parseCell(text, type);
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    throw cellError(place, text, error.expected);
  }
}

/** The text of an output's cell in its one form; refuses one that is no value of the output's type. */
export function outputCell(text: string, type: OutputType, place: CellPosition): string {
  if (type === undefined || type === 'Text' || type === 'Object' || text === '') return text;
  try {
    return String(parseValue(outputField(type), text, place.column, { timeZone: 'UTC' }));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw cellError(place, text, error.message.replace(/^.*?expected /, '').replace(/\.$/, ''));
  }
}

/** The refusal of a cell. */
export function cellError({ row, column, word = 'Row' }: CellPosition, text: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: 'Cell',
    message: `${word} ${row}, ${column}: "${text.slice(0, 60)}": expected ${expected}.`,
    details: { [word]: row, Column: column, Expected: expected },
  });
}
