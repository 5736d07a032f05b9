import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { assertInputCell, outputCell } from './check-cell.ts';
import { COLUMNS_MAX, WEIGHT_MAX } from './limits.ts';
import { WEIGHT_DECIMALS } from './matrix-index.ts';
import { assertColumnName } from './column-name.ts';
import type { OutputType } from './table.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import type { matrixDimension } from '../../records/matrixdimension.record.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { matrixMeasure } from '../../records/matrixmeasure.record.ts';

interface ColumnKind {
  readonly word: 'input' | 'output';
  readonly table: 'matrixdimension' | 'matrixmeasure';
  readonly label: 'MatrixDimension' | 'MatrixMeasure';
}

const input: ColumnKind = { word: 'input', table: 'matrixdimension', label: 'MatrixDimension' };
const output: ColumnKind = { word: 'output', table: 'matrixmeasure', label: 'MatrixMeasure' };

interface StoredColumn {
  readonly id: number;
  readonly matrixid: number;
  readonly name: string;
  readonly type: string | null;
  readonly objecttype: string | null;
}

/** A save of an input or an output, which have their matrix in one column and their name in another. */
interface ColumnSave {
  readonly id: number | undefined;
  readonly sent: { readonly MatrixID: number | null | undefined; readonly name: string | null | undefined };
  /** Stores the name as it is spelled from now on. */
  readonly setName: (name: string) => void;
}

/**
 * Checks what inputs and outputs have in common: a unique name, a matrix that does not change, and the limit per
 * matrix.
 */
async function checkColumn(
  ctx: Context,
  kind: ColumnKind,
  { id, sent, setName }: ColumnSave,
): Promise<{ readonly before: StoredColumn | undefined; readonly name: string }> {
  const { MatrixID: matrixId } = sent;
  const columns = await ctx.db.query<StoredColumn>(
    `select ${kind.table}id as id, matrixid, ${kind.table} as name, valuetype as type,
       ${kind.word === 'output' ? 'objecttype' : 'null as objecttype'}
     from ${kind.table}
     where matrixid = coalesce((select matrixid from ${kind.table} where ${kind.table}id = $1::bigint), $2::bigint)`,
    [id ?? null, typeof matrixId === 'number' ? matrixId : null],
  );
  const before = columns.find((column) => column.id === id);
  if (before && typeof matrixId === 'number' && matrixId !== before.matrixid)
    throw bad('MatrixID', `the matrix of the ${kind.word}; it cannot be moved to another`);
  const name = ((sent.name === undefined ? before?.name : sent.name) ?? '').trim();
  if (name === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: kind.label,
      message: `${kind.label} is required: the name of the ${kind.word}.`,
    });
  if (sent.name !== undefined) setName(name);
  const others = columns.filter((column) => column.id !== id);
  assertColumnName(
    kind.word,
    name,
    others.map((column) => column.name),
    kind.label,
  );
  if (!before && others.length >= COLUMNS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: kind.label,
      message: `A matrix has at most ${COLUMNS_MAX} ${kind.word}s.`,
    });
  return { before, name };
}

/** Checks an input before it is saved. */
export async function checkInput(
  ctx: Context,
  values: Values<typeof matrixDimension>,
  id: number | undefined,
): Promise<void> {
  const { before, name } = await checkColumn(ctx, input, {
    id,
    sent: { MatrixID: values.MatrixID, name: values.MatrixDimension },
    setName: (label) => (values.MatrixDimension = label),
  });
  assertWeight(values.Weight ?? null, 'Weight');
  const xpath = values.XPath;
  if (typeof xpath === 'string') await ctx.sandbox.checkXPath([xpath]);
  const type = (values.ValueType !== undefined ? values.ValueType : (before?.type as InputType | null)) ?? undefined;
  if (before && type !== (before.type ?? undefined))
    for (const { row, text } of await storedCells(ctx, input, before.id))
      assertInputCell(text, type, { row, column: name });
}

/** Throws for a weight that would make sums inexact. */
export function assertWeight(weight: string | null, field: string): void {
  if (weight === null) return;
  const decimals = weight.split('.')[1]?.length ?? 0;
  if (weight.startsWith('-') || Number(weight) > WEIGHT_MAX || decimals > WEIGHT_DECIMALS)
    throw bad(field, `a weight from 0 to ${WEIGHT_MAX} with at most ${WEIGHT_DECIMALS} decimals`);
}

/** Checks an output before it is saved. */
export async function checkOutput(
  ctx: Context,
  values: Values<typeof matrixMeasure>,
  id: number | undefined,
): Promise<void> {
  const { before, name } = await checkColumn(ctx, output, {
    id,
    sent: { MatrixID: values.MatrixID, name: values.MatrixMeasure },
    setName: (label) => (values.MatrixMeasure = label),
  });
  const type = (values.ValueType !== undefined ? values.ValueType : (before?.type as OutputType | null)) ?? undefined;
  assertObjectType(ctx, values, type, before?.objecttype);
  if (before && type !== (before.type ?? undefined))
    for (const { row, text } of await storedCells(ctx, output, before.id))
      outputCell(text, type, { row, column: name });
}

/** Checks that an output of records, and no other, names their type, and stores it in its declared spelling. */
function assertObjectType(
  ctx: Context,
  values: Values<typeof matrixMeasure>,
  type: OutputType,
  before: string | null | undefined,
): void {
  const objectType = (values.ObjectType !== undefined ? values.ObjectType : before) ?? null;
  if (type === 'Object' && objectType === null)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ObjectType',
      message: 'ObjectType is required: the record type that the cells of an Object output reference.',
    });
  if (objectType !== null && type !== 'Object')
    throw bad('ObjectType', 'no value: only an output with ValueType Object references records');
  if (objectType !== null && values.ObjectType !== undefined)
    values.ObjectType = ctx.registry.requireRecord(objectType, 'ObjectType').name;
}

async function storedCells(
  ctx: Context,
  kind: ColumnKind,
  id: number,
): Promise<{ readonly row: number; readonly text: string }[]> {
  return ctx.db.query(
    `select rownumber as row, coalesce(cell, '') as text
     from matrixfact
     where ${kind.table}id = $1::bigint
     order by rownumber`,
    [id],
  );
}
