import type { Row, Shape } from '../../../../kernel/door/answer.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import type { MatrixIndex } from './matrix-index.ts';
import type { RankedRow } from './rank.ts';
import { wireName, type Output, type OutputType } from './table.ts';

const doc = 'The value that the row decides.';
const fields: Readonly<Record<Exclude<OutputType, undefined>, Field>> = {
  Text: f.text({ doc }),
  Number: f.decimal({ doc }),
  Money: f.money({ doc }),
  Date: f.date({ doc }),
  Boolean: f.boolean({ doc }),
  Object: f.text({ doc }),
};

/** Returns the field for an output's values. */
export const outputField = (type: OutputType): Field => fields[type ?? 'Text'];

/** The text of an output cell that empties the field that it sets. */
const CLEARS = '{null}';

/** Whether an output cell empties its field. */
export const isClear = (text: string): boolean => text.trim().toLowerCase() === CLEARS;

/** The columns of every row of a ranking. */
export const rankFields = {
  Weight: f.decimal({ doc: 'The sum of the weights of the inputs that match.' }),
  MatchCount: f.integer({ doc: 'How many filled cells match.' }),
  MisMatchCount: f.integer({ doc: 'How many filled cells do not match. A row decides only if this is 0.' }),
};

const idField = f.id({ doc: 'The output.', to: 'MatrixMeasure' });
const typeField = f.text({ doc: "The type of the output's values." });
const objectField = f.text({ doc: 'For an Object output: the record type that the cell references.' });
const objectIdField = f.id({ doc: 'For an Object output: the record that the cell references.' });

const shapes = new WeakMap<MatrixIndex, Shape>();

/** Returns the columns of a matrix's outputs, in order. */
export function outputShape(index: MatrixIndex): Shape {
  let shape = shapes.get(index);
  if (!shape) {
    shape = index.table.outputs.flatMap(({ name, type }) => {
      const wire = wireName(name);
      const own = [
        { name: wire, field: outputField(type) },
        { name: `${wire}ID`, field: idField },
        { name: `${wire}Type`, field: typeField },
      ];
      return type === 'Object'
        ? [...own, { name: `${wire}Object`, field: objectField }, { name: `${wire}ObjectID`, field: objectIdField }]
        : own;
    });
    shapes.set(index, shape);
  }
  return shape;
}

const rankShape: Shape = Object.entries(rankFields).map(([name, field]) => ({ name, field }));
const rankedShapes = new WeakMap<MatrixIndex, Shape>();

/** Returns the columns of a matrix's ranking: match counts, then the outputs. */
export function rankedShape(index: MatrixIndex): Shape {
  let shape = rankedShapes.get(index);
  if (!shape) rankedShapes.set(index, (shape = [...rankShape, ...outputShape(index)]));
  return shape;
}

/** Returns a row of a ranking: its match counts and the values of its outputs, named as in {@link outputShape}. */
export function rankedRowValues(index: MatrixIndex, ranked: RankedRow): Record<string, unknown> {
  return {
    Weight: String(ranked.weight),
    MatchCount: ranked.matches,
    MisMatchCount: ranked.mismatches,
    ...outputValues(index, ranked.row),
  };
}

/**
 * Returns the outputs of one row. An empty cell has no value, but its output's id and type are returned. A cell that
 * empties its field has no value either, except as text and with `keepClear`.
 */
export function outputValues({ table }: MatrixIndex, row: number, keepClear = false): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const output of table.outputs) {
    const wire = wireName(output.name);
    const code = output.cells.codes[row] ?? 0;
    values[wire] = code === 0 ? null : parseOutputCell(output, code, keepClear);
    values[`${wire}ID`] = output.id;
    values[`${wire}Type`] = output.type ?? 'Text';
    const object = output.cells.objects?.[code];
    if (output.type === 'Object') [values[`${wire}Object`], values[`${wire}ObjectID`]] = object ?? [null, null];
  }
  return values;
}

const anyZone = { timeZone: 'UTC' };

function parseOutputCell({ name, type, cells }: Output, code: number, keepClear: boolean): unknown {
  const text = cells.texts[code] ?? '';
  if (type === undefined || type === 'Text' || type === 'Object') return text;
  if (isClear(text)) return keepClear ? CLEARS : null;
  return parseValue(outputField(type), text, wireName(name), anyZone);
}

/** Merges a child's outputs into a row. The row's own values win. */
export function appendOutputs(row: Record<string, unknown>, child: Row): void {
  for (const [name, value] of Object.entries(child)) if ((row[name] ?? null) === null) row[name] = value;
}
