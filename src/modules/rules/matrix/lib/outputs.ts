import type { Row, Shape } from '../../../../kernel/door/answer.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import type { MatrixIndex } from './matrix-index.ts';
import type { RankedRow } from './rank.ts';
import { wireName, type Output, type OutputType } from './table.ts';

const doc = 'What the row decides.';
const fields: Readonly<Record<Exclude<OutputType, undefined>, Field>> = {
  Text: f.text({ doc }),
  Number: f.decimal({ doc }),
  Money: f.money({ doc }),
  Date: f.date({ doc }),
  Boolean: f.boolean({ doc }),
  Object: f.text({ doc }),
};

/** The field that an output's values are. */
export const outputField = (type: OutputType): Field => fields[type ?? 'Text'];

/** The columns that every row of a ranking has. */
export const rankFields = {
  Weight: f.decimal({ doc: 'The weights of the inputs that match, added up.' }),
  MatchCount: f.integer({ doc: 'How many filled cells match.' }),
  MisMatchCount: f.integer({ doc: 'How many filled cells do not. A row decides only where it is 0.' }),
};

const idField = f.id({ doc: 'The output.', to: 'MatrixMeasure' });
const typeField = f.text({ doc: "What the output's values are." });
const objectField = f.text({ doc: 'Of an Object output: the record type that the cell points to.' });
const objectIdField = f.id({ doc: 'Of an Object output: the record that the cell points to.' });

const shapes = new WeakMap<MatrixIndex, Shape>();

/** The columns of a matrix's outputs, in their order. */
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

/** The columns of a matrix's ranking: what it says of each row, and the outputs. */
export function rankedShape(index: MatrixIndex): Shape {
  let shape = rankedShapes.get(index);
  if (!shape) rankedShapes.set(index, (shape = [...rankShape, ...outputShape(index)]));
  return shape;
}

/** What a ranking says of a row, and what the row's outputs hold, under the names of {@link outputShape}. */
export function rankedRowValues(index: MatrixIndex, ranked: RankedRow): Record<string, unknown> {
  return {
    Weight: String(ranked.weight),
    MatchCount: ranked.matches,
    MisMatchCount: ranked.mismatches,
    ...outputValues(index, ranked.row),
  };
}

/** The outputs of one row. An empty cell says nothing; the output's id and type are told all the same. */
export function outputValues({ table }: MatrixIndex, row: number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const output of table.outputs) {
    const wire = wireName(output.name);
    const code = output.cells.codes[row] ?? 0;
    values[wire] = code === 0 ? null : parseOutputCell(output, code);
    values[`${wire}ID`] = output.id;
    values[`${wire}Type`] = output.type ?? 'Text';
    const object = output.cells.objects?.[code];
    if (output.type === 'Object') [values[`${wire}Object`], values[`${wire}ObjectID`]] = object ?? [null, null];
  }
  return values;
}

const anyZone = { timeZone: 'UTC' };

function parseOutputCell({ name, type, cells }: Output, code: number): unknown {
  const text = cells.texts[code] ?? '';
  return type === undefined || type === 'Text' || type === 'Object'
    ? text
    : parseValue(outputField(type), text, wireName(name), anyZone);
}

/** Lays a child's outputs over a row: what the row has itself stays. */
export function appendOutputs(row: Record<string, unknown>, child: Row): void {
  for (const [name, value] of Object.entries(child)) if ((row[name] ?? null) === null) row[name] = value;
}
