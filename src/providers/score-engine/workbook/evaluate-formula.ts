import { inlineHint } from '../../../kernel/door/errors.ts';
import { functions } from './functions.ts';
import { inertFunctions, type FormulaContext } from './formula-function.ts';
import type { Corner, Formula } from './formula-syntax.ts';
import {
  CellError,
  compare,
  finite,
  isMatrix,
  LimitError,
  matrixOf,
  TEXT_CHARACTERS_MAX,
  toNumber,
  toText,
  type Matrix,
  type Operand,
  type Scalar,
} from './cell-value.ts';

/** Most cells of one range; cells outside the sheet's used area do not count. */
const RANGE_CELLS_MAX = 100_000;

/** Evaluates a formula in its cell. `around` resolves references to calculated values. */
export function evaluate(formula: Formula, around: FormulaContext): Operand {
  around.spend(1);
  switch (formula.kind) {
    case 'value':
      return formula.value;
    case 'missing':
      return null;
    case 'reference':
      return rangeOf(around, formula.sheet, cornerAt(formula.from, around), cornerAt(formula.to, around));
    case 'name': {
      const named = around.named(formula.name, formula.sheet);
      return named === undefined
        ? new CellError('#NAME?', `there is no name ${formula.name.slice(0, 100)}`)
        : evaluate(named, around);
    }
    case 'prefix':
      return applyPrefix(formula.sign, evaluate(formula.of, around), around);
    case 'sign':
      return applyOperator(formula.sign, evaluate(formula.left, around), evaluate(formula.right, around), around);
    case 'call':
      return callFunction(formula.name, formula.given, around);
  }
}

/** Returns a corner of a reference, adjusted to the formula's cell. */
export function cornerAt(
  { row, column, fixedRow, fixedColumn }: Corner,
  { shift }: Pick<FormulaContext, 'shift'>,
): { readonly row: number; readonly column: number } {
  return { row: fixedRow ? row : row + shift.rows, column: fixedColumn ? column : column + shift.columns };
}

function rangeOf(
  around: FormulaContext,
  sheetName: string | undefined,
  from: { readonly row: number; readonly column: number },
  to: { readonly row: number; readonly column: number },
): Operand {
  const sheet = around.sheet(sheetName);
  if (!sheet || from.row < 0 || from.column < 0)
    return new CellError(
      '#REF!',
      sheet ? 'a reference leads out of the sheet' : `there is no sheet ${(sheetName ?? '').slice(0, 100)}`,
    );
  const [rows, columns] = [
    Math.min(to.row, sheet.height - 1) - from.row + 1,
    Math.min(to.column, sheet.width - 1) - from.column + 1,
  ];
  const count = Math.max(0, rows) * Math.max(0, columns);
  if (count > RANGE_CELLS_MAX)
    throw new LimitError(`a range has ${count} cells, more than the ${RANGE_CELLS_MAX} that are read`);
  around.spend(count);
  const cells: Scalar[][] = [];
  for (let row = from.row; row < from.row + rows; row++) {
    const line: Scalar[] = [];
    for (let column = from.column; column < from.column + columns; column++) line.push(sheet.valueAt(row, column));
    cells.push(line);
  }
  return { cells, height: to.row - from.row + 1, width: to.column - from.column + 1, place: from };
}

/** Returns one value of a range: the one in the formula's own row or column. */
export function singleValue(operand: Operand, around: FormulaContext): Scalar {
  if (!isMatrix(operand)) return operand;
  const { place, height, width, cells } = operand;
  if ((height === 1 && width === 1) || !place) return cells[0]?.[0] ?? null;
  const [row, column] = [around.place.row - place.row, around.place.column - place.column];
  if (width === 1 && isBetween(row, height)) return cells[row]?.[0] ?? null;
  if (height === 1 && isBetween(column, width)) return cells[0]?.[column] ?? null;
  return new CellError('#VALUE!', 'expected one value, found a range');
}

const isBetween = (at: number, length: number): boolean => at >= 0 && at < length;

function applyPrefix(sign: string, of: Operand, around: FormulaContext): Operand {
  if (sign === '@') return singleValue(of, around);
  return mapCells([of], around, ([value = null]) => {
    if (sign === '+') return value;
    const number = toNumber(value);
    return number instanceof CellError ? number : finite(sign === '-' ? -number : number / 100);
  });
}

function applyOperator(sign: string, left: Operand, right: Operand, around: FormulaContext): Operand {
  return mapCells([left, right], around, ([a = null, b = null]) => {
    if (a instanceof CellError) return a;
    if (b instanceof CellError) return b;
    if (sign === '&') return joined(toText(a), toText(b), around);
    if ('<=>'.includes(sign.charAt(0))) return compared(sign, compare(a, b));
    return arithmetic(sign, toNumber(a), toNumber(b));
  });
}

function joined(a: string | CellError, b: string | CellError, around: FormulaContext): Scalar {
  if (a instanceof CellError || b instanceof CellError) return a instanceof CellError ? a : b;
  around.spend(Math.ceil((a.length + b.length) / 16));
  return a.length + b.length > TEXT_CHARACTERS_MAX
    ? new CellError('#VALUE!', `a text would be longer than ${TEXT_CHARACTERS_MAX} characters`)
    : a + b;
}

function compared(sign: string, order: number): boolean {
  switch (sign) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

function arithmetic(sign: string, a: number | CellError, b: number | CellError): Scalar {
  if (a instanceof CellError) return a;
  if (b instanceof CellError) return b;
  switch (sign) {
    case '+':
      return finite(a + b);
    case '-':
      return finite(a - b);
    case '*':
      return finite(a * b);
    case '/':
      return b === 0 ? new CellError('#DIV/0!') : finite(a / b);
    default:
      if (a === 0 && b <= 0) return new CellError(b === 0 ? '#NUM!' : '#DIV/0!');
      return finite(a ** b);
  }
}

/** Applies a function to single values, or to each element in an array formula. */
function mapCells(given: readonly Operand[], around: FormulaContext, work: (values: Scalar[]) => Scalar): Operand {
  const wide = given.filter(
    (operand): operand is Matrix => isMatrix(operand) && (around.lists || !operand.place) && operand.cells.length > 0,
  );
  if (wide.length === 0) return work(given.map((operand) => singleValue(operand, around)));
  const [rows, columns] = [
    Math.max(...wide.map(({ cells }) => cells.length)),
    Math.max(...wide.map(({ cells }) => cells[0]?.length ?? 0)),
  ];
  if (rows * columns > RANGE_CELLS_MAX)
    throw new LimitError(`a list has ${rows * columns} values, more than the ${RANGE_CELLS_MAX} that are allowed`);
  around.spend(rows * columns);
  const valueAt = (operand: Operand, row: number, column: number): Scalar => {
    if (!isMatrix(operand)) return operand;
    if (!around.lists && operand.place) return singleValue(operand, around);
    const line = operand.cells[operand.height === 1 ? 0 : row];
    if (!line || (operand.width !== 1 && column >= line.length))
      return row < operand.height && column < operand.width
        ? null
        : new CellError('#N/A', 'lists of different lengths are combined');
    return line[operand.width === 1 ? 0 : column] ?? null;
  };
  return matrixOf(
    Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (__, column) => work(given.map((operand) => valueAt(operand, row, column)))),
    ),
  );
}

function callFunction(name: string, given: readonly Formula[], around: FormulaContext): Operand {
  const made = functions.get(name);
  if (!made)
    return new CellError(
      '#NAME?',
      inertFunctions.has(name)
        ? `${name} is not calculated here: its result would not follow from the workbook alone`
        : `there is no function ${name.slice(0, 60)}${inlineHint(name, functions.keys())}`,
    );
  if (given.length < made.least || given.length > made.most)
    return new CellError('#VALUE!', `${name} takes ${made.least} to ${made.most} values, found ${given.length}`);
  if (made.kind === 'lazy')
    return made.run(
      given,
      (formula) => evaluate(formula, around),
      around,
      (operand) => singleValue(operand, around),
    );
  const inside = made.kind === 'wide' && made.lists === true ? { ...around, lists: true } : around;
  const operands = given.map((formula) => evaluate(formula, inside));
  if (made.kind === 'wide') return made.run(operands, around, (operand) => singleValue(operand, around));
  return mapCells(operands, around, (values) => {
    const wrong = values.find((value) => value instanceof CellError);
    return wrong ?? made.run(values as Exclude<Scalar, CellError>[], around);
  });
}
