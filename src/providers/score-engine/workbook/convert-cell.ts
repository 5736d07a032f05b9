import type { ValueType } from '../../../contracts/score-engine.ts';
import type { RawValue } from '../../../kernel/parameters/parse-value.ts';
import { serialOfText } from './day-serial.ts';
import { rounded } from './functions-number.ts';
import { workbookError, type Cell, type Workbook } from './open-workbook.ts';
import type { CellFormat, WorkbookReader } from './workbook-reader.ts';
import { CellError, numberIn, displayedNumber, TEXT_CHARACTERS_MAX, type Scalar } from './cell-value.ts';

/** Decimals stored for money. */
const MONEY_DECIMALS = 4;
const isNumeric = (type: ValueType | undefined): boolean => type === 'Money' || type === 'Int' || type === 'Float';

interface Target {
  readonly type: ValueType | undefined;
  readonly format: CellFormat;
  readonly from1904: boolean;
  /** The name and the cell, for errors. */
  readonly where: string;
}

type OutputTarget = Target & Pick<WorkbookReader, 'numberText'>;

/**
 * Returns an item or input as a cell value. A cell that holds a number, or is formatted as a date, accepts nothing
 * else. In an empty cell, numeric text becomes a number unless its item is a text.
 */
export function toCellValue(
  value: RawValue,
  { type, before, format, from1904, where }: Target & { readonly before: Scalar },
): Scalar {
  if (value === '') return null;
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value !== 'string') throw workbookError(`takes one value in ${where}; found several`);
  if (value.length > TEXT_CHARACTERS_MAX)
    throw workbookError(`takes at most ${TEXT_CHARACTERS_MAX} characters in ${where}`);
  if (type === 'Date' || format === 'date') return dateInput(value, { type, from1904, where });
  if (isNumeric(type)) return Number(value);
  if (typeof before === 'number') return numberIn(value) ?? inputError(where, 'a number, as the workbook has there');
  if (typeof before === 'boolean') return booleanInput(value, where);
  return isPlainInput(type, before) && isPlainNumber(value) ? Number(value) : value;
}

const isPlainInput = (type: ValueType | undefined, before: Scalar): boolean => type === undefined && before === null;

function dateInput(value: string, { type, from1904, where }: Omit<Target, 'format'>): number {
  const serial = serialOfText(value, from1904) ?? (type === 'Date' ? undefined : numberIn(value));
  return serial ?? inputError(where, `a date from ${from1904 ? 1904 : 1900} on, such as 2026-01-31,`);
}

function booleanInput(value: string, where: string): boolean {
  if (!/^(?:true|false)$/i.test(value)) return inputError(where, 'true or false, as the workbook has there');
  return value.toLowerCase() === 'true';
}

/** Whether a text is a number rather than a code: 00501 is a code, and so are more than fifteen digits. */
const isPlainNumber = (value: string): boolean =>
  /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(value) && value.length <= 17;

function inputError(where: string, expected: string): never {
  throw workbookError(`takes ${expected} in ${where}; the value sent is not`);
}

/** Converts a formula's result to a value type. An error names the cell where it occurred. */
export function fromCellValue(value: Scalar, target: OutputTarget): RawValue {
  const { type, where } = target;
  if (value instanceof CellError) {
    const arose = value.cell === undefined || where.endsWith(`(${value.cell})`) ? '' : `, which arose in ${value.cell}`;
    throw workbookError(
      `has ${value.code} in ${where}${arose}${value.reason === undefined ? '' : `: ${value.reason}`}`,
    );
  }
  if (value === null || value === '') return null;
  if (typeof value === 'number') return numberOutput(value, target);
  if (typeof value === 'boolean') return booleanOutput(value, type, where);
  if (!isNumeric(type)) return value;
  const number = numberIn(value);
  return number === undefined ? typeError(where, type) : numberOutput(number, { ...target, format: 'number' });
}

function booleanOutput(value: boolean, type: ValueType | undefined, where: string): RawValue {
  if (type === 'Boolean' || type === undefined) return value;
  return isNumeric(type) || type === 'Date' ? typeError(where, type) : String(value).toUpperCase();
}

function typeError(where: string, type: ValueType | undefined): never {
  throw workbookError(`must have ${type === 'Date' ? 'a day' : 'a number'} in ${where}`);
}

function numberOutput(value: number, { type, format, from1904, numberText }: OutputTarget): RawValue {
  if (type === 'Boolean') return value !== 0;
  if (type === 'Date') return numberText(String(value), 'date', from1904).slice(0, 10);
  if (type === 'String' || type === 'Enumerated') return numberText(String(displayedNumber(value)), format, from1904);
  const shown = type === 'Money' ? rounded(value, MONEY_DECIMALS) : displayedNumber(value);
  return numberText(String(shown), 'number', from1904);
}

/** Guesses the value type of a cell. */
export function cellValueType(cell: Cell | undefined, { formats }: Workbook): ValueType {
  if (cell && formats[cell.style] === 'date') return 'Date';
  if (typeof cell?.value === 'boolean') return 'Boolean';
  return typeof cell?.value === 'string' ? 'String' : 'Float';
}
