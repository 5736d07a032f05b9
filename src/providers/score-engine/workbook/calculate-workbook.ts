import { setImmediate } from 'node:timers/promises';
import { evaluate, cornerAt, singleValue } from './evaluate-formula.ts';
import type { FormulaContext } from './formula-function.ts';
import { cellKey, type Cell, type DefinedName, type Sheet, type Workbook } from './open-workbook.ts';
import type { Formula } from './formula-syntax.ts';
import { CellError, isMatrix, LimitError, type Operand, type Scalar } from './cell-value.ts';

/**
 * Most work of one formula, and of all together: cells read, operators, functions. Work is counted, not timed, so that
 * a workbook that passes also passes on a busy machine.
 */
const FORMULA_STEPS_MAX = 300_000;
const STEPS_MAX = 3_000_000;
/** Work after which other calls get their turn. */
const STEPS_BETWEEN = 100_000;
/** Longest chain of names that refer to names. */
const NAMES_DEEP_MAX = 20;

/** A workbook to calculate, with its context. */
export interface Calculation {
  readonly workbook: Workbook;
  /** The present moment as a day serial of the workbook. */
  readonly now: number;
  /** Cells whose values must not be revealed. */
  readonly hidden: ReadonlySet<Cell>;
  /** Returns the name of a cell for messages, with its sheet. */
  readonly nameOf: (sheet: Sheet, cell: Cell) => string;
}

/** A row and column, from 0. */
type Corner = Pick<Cell, 'row' | 'column'>;

/** A formula's cell, with the cells to calculate first. */
interface FormulaPlace {
  readonly sheet: Sheet;
  readonly cell: Cell;
  readonly needs: { readonly sheet: Sheet; readonly cell: Cell }[];
}

interface Visit {
  readonly sheet: Sheet;
  readonly cell: Cell;
  readonly needs: readonly { readonly sheet: Sheet; readonly cell: Cell }[];
  at: number;
}

/**
 * Calculates every formula after the formulas that it depends on. Returns the cells that depend on hidden ones.
 * @throws LimitError for a cycle, and for more work than the limits allow
 */
export async function calculateWorkbook(calculation: Calculation): Promise<ReadonlySet<Cell>> {
  const work = new WorkbookCalculation(calculation);
  for (const sheet of calculation.workbook.sheets) for (const cell of sheet.formulas) await work.calculate(sheet, cell);
  return work.tainted;
}

class WorkbookCalculation {
  readonly tainted = new Set<Cell>();
  private readonly calculation: Calculation;
  private readonly states = new Map<Cell, 'open' | 'done'>();
  private readonly sheets = new Map<string, Sheet>();
  private readonly names = new Map<string, DefinedName>();
  private readonly hidden: { readonly sheet: Sheet; readonly cell: Cell }[] = [];
  private steps = 0;
  private formulaSteps = 0;
  private rested = 0;

  constructor(calculation: Calculation) {
    this.calculation = calculation;
    const { workbook, hidden } = calculation;
    for (const sheet of workbook.sheets) {
      this.sheets.set(sheet.name.toLowerCase(), sheet);
      if (hidden.size > 0)
        for (const cell of sheet.cells.values()) if (hidden.has(cell)) this.hidden.push({ sheet, cell });
    }
    for (const name of workbook.names) {
      const sheet = name.sheet === undefined ? '' : (workbook.sheets[name.sheet]?.name.toLowerCase() ?? '?');
      const key = `${sheet}!${name.name.toLowerCase()}`;
      if (!this.names.has(key)) this.names.set(key, name);
    }
  }

  /** Calculates a cell after the cells it needs. Iterative, since chains of formulas can be tens of thousands long. */
  async calculate(sheet: Sheet, cell: Cell): Promise<void> {
    if (this.states.get(cell) === 'done') return;
    const path: Visit[] = [this.visit(sheet, cell)];
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const need = visit.needs[visit.at++];
      if (need === undefined) {
        this.settle(visit);
        path.pop();
      } else if (this.states.get(need.cell) === 'open') throw this.circle(path, need.cell);
      else if (this.states.get(need.cell) === undefined) path.push(this.visit(need.sheet, need.cell));
      if (this.steps - this.rested > STEPS_BETWEEN) {
        this.rested = this.steps;
        await setImmediate();
      }
    }
  }

  private visit(sheet: Sheet, cell: Cell): Visit {
    this.states.set(cell, 'open');
    this.formulaSteps = 0;
    const needs: { sheet: Sheet; cell: Cell }[] = [];
    const { formula } = cell;
    if (formula && !(formula.parsed instanceof CellError)) this.addNeeds(formula.parsed, { sheet, cell, needs });
    return { sheet, cell, needs, at: 0 };
  }

  /** Adds the formula cells that a formula refers to. `names`: length of the chain of names so far. */
  private addNeeds(formula: Formula, place: FormulaPlace, names = 0): void {
    this.spend(1);
    switch (formula.kind) {
      case 'value':
      case 'missing':
        return;
      case 'reference':
        this.addReference(formula, place);
        return;
      case 'name': {
        const named = this.named(formula.name, formula.sheet ?? place.sheet.name);
        if (names > NAMES_DEEP_MAX) throw new LimitError(`the name ${formula.name.slice(0, 100)} refers to itself`);
        if (named) this.addNeeds(named, place, names + 1);
        return;
      }
      case 'prefix':
        this.addNeeds(formula.of, place, names);
        return;
      case 'sign':
        this.addNeeds(formula.left, place, names);
        this.addNeeds(formula.right, place, names);
        return;
      case 'call':
        for (const given of formula.given) this.addNeeds(given, place, names);
    }
  }

  private addReference(formula: Extract<Formula, { kind: 'reference' }>, place: FormulaPlace): void {
    const sheet = formula.sheet === undefined ? place.sheet : this.sheets.get(formula.sheet.toLowerCase());
    const shift = place.cell.formula?.shift ?? { rows: 0, columns: 0 };
    if (sheet) this.addRange(sheet, cornerAt(formula.from, { shift }), cornerAt(formula.to, { shift }), place);
  }

  private addRange(sheet: Sheet, from: Corner, to: Corner, { cell, needs }: FormulaPlace): void {
    const isInside = ({ row, column }: Corner): boolean =>
      row >= from.row && row <= to.row && column >= from.column && column <= to.column;
    const area = (Math.min(to.row, sheet.height) - from.row + 1) * (Math.min(to.column, sheet.width) - from.column + 1);
    this.spend(Math.max(1, Math.min(area, sheet.formulas.length)));
    if (area < sheet.formulas.length) {
      for (let row = from.row; row <= Math.min(to.row, sheet.height); row++) {
        for (let column = from.column; column <= Math.min(to.column, sheet.width); column++) {
          const found = sheet.cells.get(cellKey(row, column));
          if (found?.formula) needs.push({ sheet, cell: found });
        }
      }
    } else for (const found of sheet.formulas) if (isInside(found)) needs.push({ sheet, cell: found });
    if (this.hidden.some((hidden) => hidden.sheet === sheet && isInside(hidden.cell))) this.tainted.add(cell);
  }

  private settle({ sheet, cell, needs }: Visit): void {
    const { formula } = cell;
    this.formulaSteps = 0;
    if (formula)
      cell.value = this.located(
        formula.parsed instanceof CellError ? formula.parsed : this.valueOf(formula.parsed, sheet, cell),
        sheet,
        cell,
      );
    if (needs.some((need) => this.tainted.has(need.cell))) this.tainted.add(cell);
    this.states.set(cell, 'done');
  }

  private valueOf(formula: Formula, sheet: Sheet, cell: Cell): Scalar {
    try {
      const around = this.around(sheet, cell);
      const found: Operand = evaluate(formula, around);
      const value = isMatrix(found) && around.lists ? (found.cells[0]?.[0] ?? null) : singleValue(found, around);
      // A reference to an empty cell shows 0.
      return value ?? 0;
    } catch (error) {
      if (error instanceof LimitError)
        throw new LimitError(`${this.calculation.nameOf(sheet, cell)}: ${error.message}`);
      throw error;
    }
  }

  /** Adds to an error the cell where it occurred. */
  private located(value: Scalar, sheet: Sheet, cell: Cell): Scalar {
    return value instanceof CellError && value.cell === undefined
      ? new CellError(value.code, value.reason, this.calculation.nameOf(sheet, cell))
      : value;
  }

  private around(sheet: Sheet, cell: Cell): FormulaContext {
    const {
      workbook: { from1904 },
      now,
    } = this.calculation;
    return {
      place: cell,
      shift: cell.formula?.shift ?? { rows: 0, columns: 0 },
      lists: cell.formula?.lists ?? false,
      now,
      from1904,
      sheet: (name) => {
        const on = name === undefined ? sheet : this.sheets.get(name.toLowerCase());
        return (
          on && {
            height: on.height,
            width: on.width,
            valueAt: (row, column) => {
              const found = on.cells.get(cellKey(row, column));
              return found ? this.located(found.value, on, found) : null;
            },
          }
        );
      },
      named: (name, on) => this.named(name, on ?? sheet.name),
      spend: (steps) => this.spend(steps),
    };
  }

  private named(name: string, sheet: string): Formula | undefined {
    const found =
      this.names.get(`${sheet.toLowerCase()}!${name.toLowerCase()}`) ?? this.names.get(`!${name.toLowerCase()}`);
    return found && (found.parsed instanceof CellError ? { kind: 'value', value: found.parsed } : found.parsed);
  }

  private spend(steps: number): void {
    this.steps += steps;
    this.formulaSteps += steps;
    if (this.formulaSteps > FORMULA_STEPS_MAX)
      throw new LimitError(`the formula takes more than ${FORMULA_STEPS_MAX} steps`);
    if (this.steps > STEPS_MAX) throw new LimitError(`the workbook takes more than ${STEPS_MAX} steps`);
  }

  private circle(path: readonly Visit[], cell: Cell): LimitError {
    const from = path.findIndex((visit) => visit.cell === cell);
    const names = path.slice(from).map((visit) => this.calculation.nameOf(visit.sheet, visit.cell));
    return new LimitError(
      `the formulas refer to one another in a circle: ${[...names.slice(0, 10), names[0]].join(' → ')}`,
    );
  }
}
