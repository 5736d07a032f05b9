import type { InputType } from '../../../../lib/decision-tables/input-value.ts';

/** The types of an output's values. Undefined: literal text. */
export type OutputType = 'Text' | 'Number' | 'Money' | 'Date' | 'Boolean' | 'Object' | undefined;

/**
 * The cells of one column, with each text stored once. `codes` maps each row of the table to an index in `texts`; 0 is
 * the empty text. For Object outputs, `objects` gives the record that each text references.
 */
export interface ColumnCells {
  readonly texts: readonly string[];
  readonly codes: Uint32Array;
  readonly objects?: readonly (readonly [object: string, id: number] | null)[];
}

/** An input of a matrix. */
export interface Input {
  readonly id: number;
  readonly name: string;
  readonly xpath: string | undefined;
  readonly weight: number;
  readonly type: InputType;
  readonly cells: ColumnCells;
}

/** An output of a matrix. */
export interface Output {
  readonly id: number;
  readonly name: string;
  readonly type: OutputType;
  readonly objectType: string | undefined;
  readonly cells: ColumnCells;
}

/** One version of a whole matrix: row numbers and columns, in order. */
export interface Table {
  readonly name: string;
  readonly rowNumbers: Uint32Array;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
}

/** Returns a column's wire name, as in lookups and answers. */
export const wireName = (name: string): string => name.replace(/\s+/g, '');

/** Whether an output's cells name child matrices, which are looked up in turn. */
export const namesMatrices = ({ name }: Output): boolean => /matrix/i.test(name);

/** Returns the number of filled cells of a column. */
function filledCount({ codes }: ColumnCells): number {
  let count = 0;
  for (const code of codes) if (code !== 0) count++;
  return count;
}

/** Returns the number of filled cells of a table. */
export function factCount({ inputs, outputs }: Table): number {
  return [...inputs, ...outputs].reduce((sum, column) => sum + filledCount(column.cells), 0);
}

/** Collects the cells of one column, row by row. */
export class CellsBuilder {
  private readonly known = new Map<string, number>([['', 0]]);
  private readonly texts: string[] = [''];
  private readonly objects: (readonly [string, number] | null)[] = [null];
  private readonly codes: Uint32Array;
  private hasObjects = false;

  constructor(rows: number) {
    this.codes = new Uint32Array(rows);
  }

  set(row: number, text: string, object: readonly [string, number] | null = null): void {
    const key = object ? `${object[0]}:${object[1]}\u0000${text}` : text;
    let code = this.known.get(key);
    if (code === undefined) {
      code = this.texts.push(text) - 1;
      this.objects.push(object);
      this.known.set(key, code);
    }
    if (object) this.hasObjects = true;
    this.codes[row] = code;
  }

  cells(): ColumnCells {
    return { texts: this.texts, codes: this.codes, ...(this.hasObjects ? { objects: this.objects } : {}) };
  }
}
