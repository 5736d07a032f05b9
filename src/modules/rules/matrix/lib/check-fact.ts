import type { Context } from '../../../../kernel/door/context.ts';
import { inlineHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { assertInputCell, outputCell } from './check-cell.ts';
import { misreadAdvice } from '../../../../lib/decision-tables/misread-cell.ts';
import { readInputs, readOutputs } from './stored-table.ts';
import { wireName, type OutputType } from './table.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import { notFound, readColumns } from '../../../../kernel/records/search/read.ts';
import { matrixFact } from '../../records/matrixfact.record.ts';
import { type Values, valueAfter } from '../../../../kernel/declare/values.ts';
import type { Row } from '../../../../kernel/door/answer.ts';

const factColumns = [
  'MatrixID',
  'RowNumber',
  'MatrixDimensionID',
  'MatrixMeasureID',
  'Cell',
  'Object',
  'ObjectID',
] as const;

type StoredFact = Pick<Row<typeof matrixFact>, (typeof factColumns)[number]>;

interface FactColumn {
  readonly id: number;
  readonly kind: 'Input' | 'Output';
  readonly name: string;
  readonly type: string | null;
  readonly objectType: string | null;
}

/**
 * Checks a cell before it is saved: its column is in its matrix and its text can be parsed. The column is named by id,
 * or by name in MatrixFact, so that a whole matrix can be saved before its columns have ids.
 */
export async function checkFact(
  ctx: Context,
  values: Values<typeof matrixFact>,
  id: number | undefined,
): Promise<void> {
  const before = id === undefined ? undefined : await readColumns(ctx.db, matrixFact, id, factColumns);
  const of = <N extends keyof StoredFact>(name: N): StoredFact[N] | null => valueAfter(values, before, name) ?? null;
  const matrixId = of('MatrixID');
  if (typeof matrixId !== 'number') return;
  if (before && matrixId !== before.MatrixID)
    throw bad('MatrixID', 'the matrix of the cell; it cannot be moved to another');
  const row = of('RowNumber');
  if (typeof row !== 'number') return;
  if (row < 1) throw bad('RowNumber', 'a row, from 1 on');
  const column = await findColumn(ctx, matrixId, values, before);
  values.MatrixDimensionID = column.kind === 'Input' ? column.id : null;
  values.MatrixMeasureID = column.kind === 'Output' ? column.id : null;
  values.MatrixFact = column.name;
  values.MatrixFactType = column.kind;
  if (!before) await assertCellFree(ctx, row, column);
  const cell = (of('Cell') ?? '').trim();
  checkCell(values, column, { row, cell });
  if (values.Cell !== undefined) warnIfMisread(ctx, matrixId, column, { row, cell });
  await checkPointer(ctx, values, column, { object: of('Object'), objectId: of('ObjectID') });
  if (cell === '' && typeof of('ObjectID') !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Cell',
      message: `Row ${row}, ${column.name}: Cell is required. Delete the fact to leave the cell empty.`,
    });
}

function checkCell(
  values: Values<typeof matrixFact>,
  { kind, type, name }: FactColumn,
  { row, cell }: { readonly row: number; readonly cell: string },
): void {
  const position = { row, column: name };
  if (kind === 'Input') assertInputCell(cell, (type ?? undefined) as InputType, position);
  else if (values.Cell !== undefined) values.Cell = outputCell(cell, (type ?? undefined) as OutputType, position);
}

/** Warns of a cell that is compared as text although it looks like something else. */
function warnIfMisread(
  ctx: Context,
  matrixId: number,
  { kind, name, type }: FactColumn,
  { row, cell }: { readonly row: number; readonly cell: string },
): void {
  const advice = kind === 'Input' ? misreadAdvice(cell, (type ?? undefined) as InputType) : undefined;
  if (advice !== undefined)
    ctx.alert({
      code: 'CELL_READ_AS_TEXT',
      id: matrixId,
      text: `Row ${row}, ${name}: "${cell.slice(0, 60)}". ${advice}`,
    });
}

/**
 * Throws if the row already has a cell in the column: a change must name its record. The database decides between two
 * concurrent inserts.
 */
async function assertCellFree(ctx: Context, row: number, { id, kind, name }: FactColumn): Promise<void> {
  const [stood] = await ctx.db.query<{ id: number }>(
    `select matrixfactid as id
     from matrixfact
     where ${kind === 'Input' ? 'matrixdimensionid' : 'matrixmeasureid'} = $1::bigint and rownumber = $2::integer`,
    [id, row],
  );
  if (stood)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'RowNumber',
      message:
        `RowNumber: row ${row} already has a cell for ${name}, MatrixFactID ${stood.id}. Send its ID to change ` +
        'it, or delete it.',
      details: { Object: 'MatrixFact', ObjectID: stood.id },
    });
}

async function findColumn(
  ctx: Context,
  matrixId: number,
  values: Values<typeof matrixFact>,
  before: StoredFact | undefined,
): Promise<FactColumn> {
  const inputs = (await readInputs(ctx.db, matrixId)).map(({ id, name, type }): FactColumn => ({
    id,
    kind: 'Input',
    name,
    type: type ?? null,
    objectType: null,
  }));
  const outputs = (await readOutputs(ctx.db, matrixId)).map(({ id, name, type, objecttype }): FactColumn => ({
    id,
    kind: 'Output',
    name,
    type,
    objectType: objecttype,
  }));
  const sent = {
    Input: values.MatrixDimensionID,
    Output: values.MatrixMeasureID,
    name: values.MatrixFact,
  };
  for (const [kind, columns, field] of [
    ['Input', inputs, 'MatrixDimensionID'],
    ['Output', outputs, 'MatrixMeasureID'],
  ] as const) {
    if (typeof sent[kind] !== 'number') continue;
    const found = columns.find(({ id }) => id === sent[kind]);
    if (!found)
      throw new PlatformError('NOT_FOUND', {
        field,
        message: `${field}: the matrix has no ${kind.toLowerCase()} ${sent[kind]}.`,
      });
    return found;
  }
  if (typeof sent.name === 'string') return columnByName(sent.name, values.MatrixFactType, [...inputs, ...outputs]);
  const stood = [...inputs, ...outputs].find(
    ({ id, kind }) => id === (kind === 'Input' ? before?.MatrixDimensionID : before?.MatrixMeasureID),
  );
  if (stood) return stood;
  throw new PlatformError('MISSING_PARAMETER', {
    field: 'MatrixFact',
    message:
      'MatrixFact is required: the name of the input or output; or send its id in MatrixDimensionID or ' +
      'MatrixMeasureID.',
  });
}

function columnByName(name: string, kind: unknown, columns: readonly FactColumn[]): FactColumn {
  const key = wireName(name).toLowerCase();
  const named = columns.filter(
    (column) =>
      wireName(column.name).toLowerCase() === key &&
      (typeof kind !== 'string' || column.kind.toLowerCase() === kind.toLowerCase()),
  );
  const [column] = named;
  if (named.length > 1)
    throw bad(
      'MatrixFactType',
      `Input or Output: the matrix has an input and an output called ${column?.name ?? name}`,
    );
  if (column) return column;
  const known = columns.map((each) => each.name);
  throw bad('MatrixFact', `an input or output of the matrix${inlineHint(name, known)}`);
}

/**
 * Checks the record that a cell of an Object output references: it exists and has the output's type. Other cells
 * reference none.
 */
async function checkPointer(
  ctx: Context,
  values: Values<typeof matrixFact>,
  column: FactColumn,
  { object, objectId }: { readonly object: string | null; readonly objectId: number | null },
): Promise<void> {
  if (column.objectType === null) {
    if (objectId !== null || object !== null) throw bad('ObjectID', `no value: ${column.name} is not an Object output`);
    return;
  }
  if (objectId === null) return;
  const record = ctx.registry.requireRecord(object ?? column.objectType, 'Object');
  const family = ctx.registry.family(ctx.registry.requireRecord(column.objectType, 'Object'));
  if (!family.includes(record)) throw bad('Object', column.objectType);
  values.Object = record.name;
  if (values.ObjectID === undefined) return;
  const { root } = record;
  const [found] = await ctx.db.query<{ label: string | null }>(
    `select ${root.table} as label from ${root.table} where ${root.table}id = $1::bigint`,
    [objectId],
  );
  if (!found) throw notFound(record, objectId, 'ObjectID');
  // Without its own text the cell shows the label of the record that it references.
  if (values.Cell === undefined) values.Cell = found.label;
}
