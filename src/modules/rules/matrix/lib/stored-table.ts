import type { Db } from '../../../../kernel/database/store.ts';
import { CellsBuilder, type ColumnCells, type OutputType, type Table } from './table.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';

interface StoredInput {
  readonly id: number;
  readonly name: string;
  readonly xpath: string | null;
  readonly weight: string | null;
  readonly type: InputType | null;
}

interface StoredOutput {
  readonly id: number;
  readonly name: string;
  readonly type: Exclude<OutputType, undefined> | null;
  readonly objecttype: string | null;
}

interface StoredFacts {
  readonly rows: readonly number[];
  readonly cells: readonly (string | null)[];
  readonly objects: readonly (string | null)[] | null;
  readonly ids: readonly (number | null)[] | null;
}

/** Returns the inputs of a matrix in order. */
export const readInputs = (db: Db, matrixId: number): Promise<StoredInput[]> =>
  db.query(
    `select matrixdimensionid as id, matrixdimension as name, xpath, weight, valuetype as type
     from matrixdimension
     where matrixid = $1::bigint
     order by sequence nulls last, matrixdimensionid`,
    [matrixId],
  );

/** Returns the outputs of a matrix in order. */
export const readOutputs = (db: Db, matrixId: number): Promise<StoredOutput[]> =>
  db.query(
    `select matrixmeasureid as id, matrixmeasure as name, valuetype as type, objecttype
     from matrixmeasure
     where matrixid = $1::bigint
     order by sequence nulls last, matrixmeasureid`,
    [matrixId],
  );

/**
 * Reads a matrix from its records, one column at a time, so that a million cells are never a million rows in memory.
 * Returns undefined if there is none.
 */
export async function readTable(db: Db, matrixId: number): Promise<Table | undefined> {
  const [matrix] = await db.query<{ name: string | null }>(
    'select matrix as name from matrix where matrixid = $1::bigint',
    [matrixId],
  );
  if (!matrix) return undefined;
  const inputs = await readInputs(db, matrixId);
  const outputs = await readOutputs(db, matrixId);
  const numbers = await db.query<{ rows: readonly number[] | null }>(
    `select json_agg(rownumber order by rownumber) as rows
     from (select distinct rownumber from matrixfact where matrixid = $1::bigint) r`,
    [matrixId],
  );
  const rowNumbers = Uint32Array.from(numbers[0]?.rows ?? []);
  const places = new Map([...rowNumbers].map((number, at) => [number, at]));
  const table: { -readonly [K in keyof Table]: Table[K] } = {
    name: matrix.name ?? '',
    rowNumbers,
    inputs: [],
    outputs: [],
  };
  for (const { id, name, xpath, weight, type } of inputs) {
    table.inputs = [
      ...table.inputs,
      {
        id,
        name,
        xpath: xpath ?? undefined,
        weight: Number(weight ?? 1),
        type: type ?? undefined,
        cells: await readCells(db, 'matrixdimensionid', id, places),
      },
    ];
  }
  for (const { id, name, type, objecttype } of outputs) {
    table.outputs = [
      ...table.outputs,
      {
        id,
        name,
        type: type ?? undefined,
        objectType: objecttype ?? undefined,
        cells: await readCells(db, 'matrixmeasureid', id, places),
      },
    ];
  }
  return table;
}

async function readCells(
  db: Db,
  column: 'matrixdimensionid' | 'matrixmeasureid',
  id: number,
  places: ReadonlyMap<number, number>,
): Promise<ColumnCells> {
  const [facts] = await db.query<StoredFacts>(
    `select coalesce(json_agg(rownumber order by rownumber), '[]') as rows, coalesce(json_agg(cell
      order by rownumber), '[]') as cells,
      case when count(objectid) > 0 then json_agg(object order by rownumber) end as objects, case
      when count(objectid) > 0 then json_agg(objectid order by rownumber) end as ids
      from matrixfact where ${column} = $1::bigint`,
    [id],
  );
  const cells = new CellsBuilder(places.size);
  for (const [at, row] of (facts?.rows ?? []).entries()) {
    const [object, objectId] = [facts?.objects?.[at], facts?.ids?.[at]];
    cells.set(
      places.get(row) ?? 0,
      facts?.cells[at] ?? '',
      typeof object === 'string' && typeof objectId === 'number' ? [object, objectId] : null,
    );
  }
  return cells.cells();
}
