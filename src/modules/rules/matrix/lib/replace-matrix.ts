import { requireColumn } from '../../../../kernel/declare/values.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockConfiguration } from '../../../../kernel/records/transfer/transfer.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { cellError } from './check-cell.ts';
import { findMisreadCells } from '../../../../lib/decision-tables/misread-cell.ts';
import { isClear } from './outputs.ts';
import { parseGridCells, parseGridHead, type GridColumn, type ParsedGrid } from './parse-grid.ts';
import type { GridLine } from './read-grid.ts';
import { readInputs, readOutputs } from './stored-table.ts';
import { referencedRecords } from './unknown-records.ts';
import { wireName, type ColumnCells } from './table.ts';
import type { ColumnType } from './type-line.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import { scheduleVersion } from './versions.ts';

/** A stored input or output of the matrix. */
interface StoredColumn {
  readonly id: number;
  readonly name: string;
  readonly type: string | null | undefined;
  readonly weight?: string | null;
  readonly objecttype?: string | null;
}

interface StoredColumns {
  readonly input: readonly StoredColumn[];
  readonly output: readonly StoredColumn[];
}

const hasName =
  (name: string) =>
  (column: { readonly name: string }): boolean =>
    wireName(column.name).toLowerCase() === wireName(name).toLowerCase();

/** How many rows of a matrix were added, changed or removed. Rows are compared by their number. */
export interface ReplacementCounts {
  readonly matrixId: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/**
 * Replaces the columns and cells of a matrix with those of a table. Creates the matrix if it is missing. Leaves equal
 * columns and cells untouched, so importing the same table again changes nothing. Concurrent imports are serialized.
 */
export async function replaceMatrix(
  ctx: Context,
  name: string,
  lines: readonly GridLine[],
): Promise<ReplacementCounts> {
  const head = parseGridHead(lines);
  const { columns } = head;
  await lockConfiguration(ctx);
  const [found] = await ctx.db.query<{ id: number }>(
    'select matrixid as id from matrix where matrix = $1::text collate casewright_text',
    [name],
  );
  const matrixId = found?.id ?? (await ctx.call('matrix/insert', { Matrix: name })).row.MatrixID;
  const before: StoredColumns = {
    input: await readInputs(ctx.db, matrixId),
    output: await readOutputs(ctx.db, matrixId),
  };
  const grid = await parseGridCells(lines, head, {
    type: (column) => typeAfter(column, before).valueType ?? undefined,
    charactersMax: requireColumn(ctx.registry.recordType('MatrixFact'), 'Cell').field.max ?? 0,
  });
  const { cells } = grid;
  const rows = grid.lines.length;
  const former = await storedRowNumbers(ctx, matrixId);
  const touched = await rowsOfRemovedColumns(ctx, matrixId, columns, before);
  const ids = await replaceColumns(ctx, matrixId, columns, before);
  const now = new Set<number>();
  for (const [at, column] of columns.entries()) {
    const kind = kindOf(column);
    const { valueType, objectType } = typeAfter(column, before);
    const own = cells[at] as ColumnCells;
    const pointing =
      valueType === 'Object' ? await resolveRecordReferences(ctx, own, objectType ?? '', { column, lines }) : undefined;
    for (let row = 0; row < rows; row++) if (own.codes[row] !== 0) now.add(row + 1);
    for (const row of await replaceCells(ctx, {
      matrixId,
      kind,
      id: ids[at] ?? 0,
      name: column.name,
      cells: own,
      rows,
      references: pointing,
    }))
      touched.add(row);
  }
  if (touched.size > 0) scheduleVersion(ctx, matrixId);
  warnOfMisreadCells(ctx, matrixId, columns, { grid, before });
  const count = (of: Iterable<number>, is: (row: number) => boolean): number => [...of].filter(is).length;
  return {
    matrixId,
    added: count(now, (row) => !former.has(row)),
    changed: count(touched, (row) => now.has(row) && former.has(row)),
    removed: count(former, (row) => !now.has(row)),
  };
}

const kindOf = ({ weight }: GridColumn): keyof StoredColumns => (weight === undefined ? 'output' : 'input');

/** Returns the type that a column will have: that of the table, or else the stored one. */
function typeAfter(column: GridColumn, before: StoredColumns): ColumnType {
  const stored = before[kindOf(column)].find(hasName(column.name));
  return column.type ?? { valueType: stored?.type ?? null, objectType: stored?.objecttype ?? null };
}

/** Most misread cells that are warned of. */
const WARNINGS_MAX = 20;

/** Warns of cells that are compared as text although they look like something else. */
function warnOfMisreadCells(
  ctx: Context,
  matrixId: number,
  columns: readonly GridColumn[],
  { grid, before }: { readonly grid: ParsedGrid; readonly before: StoredColumns },
): void {
  const warnings: string[] = [];
  for (const [at, column] of columns.entries()) {
    const own = grid.cells[at] as ColumnCells;
    const type = typeAfter(column, before).valueType ?? undefined;
    if (kindOf(column) === 'output') continue;
    for (const { code, advice } of findMisreadCells(own, type as InputType)) {
      const lines = grid.lines.filter((_line, row) => own.codes[row] === code);
      const more = lines.length > 1 ? ` (and ${lines.length - 1} more)` : '';
      warnings.push(
        `Line ${lines[0] ?? 0}${more}, ${column.name}: "${(own.texts[code] ?? '').slice(0, 60)}". ${advice}`,
      );
      if (warnings.length > WARNINGS_MAX) break;
    }
  }
  for (const text of warnings.slice(0, WARNINGS_MAX)) ctx.alert({ code: 'CELL_READ_AS_TEXT', id: matrixId, text });
  if (warnings.length > WARNINGS_MAX)
    ctx.alert({
      code: 'CELL_READ_AS_TEXT',
      id: matrixId,
      text: 'There are more such cells; matrix/analyze lists them.',
    });
}

/** Returns the rows of a matrix that have a cell. */
async function storedRowNumbers(ctx: Context, matrixId: number): Promise<Set<number>> {
  const [found] = await ctx.db.query<{ rows: string | null }>(
    "select string_agg(distinct rownumber::text, ',') as rows from matrixfact where matrixid = $1::bigint",
    [matrixId],
  );
  return parseRowNumbers(found?.rows);
}

/** Returns the rows with a cell in a column that the table no longer has. */
async function rowsOfRemovedColumns(
  ctx: Context,
  matrixId: number,
  columns: readonly GridColumn[],
  before: StoredColumns,
): Promise<Set<number>> {
  const gone = (kind: keyof StoredColumns): string =>
    arrayLiteral(
      before[kind]
        .filter(
          ({ name }) =>
            !columns.some((column) => (column.weight !== undefined) === (kind === 'input') && hasName(name)(column)),
        )
        .map(({ id }) => id),
    );
  const [inputs, outputs] = [gone('input'), gone('output')];
  if (inputs === '{}' && outputs === '{}') return new Set();
  const [found] = await ctx.db.query<{ rows: string | null }>(
    `select string_agg(distinct rownumber::text, ',') as rows
     from matrixfact
     where matrixid = $1::bigint and (matrixdimensionid = any($2::bigint[]) or matrixmeasureid = any($3::bigint[]))`,
    [matrixId, inputs, outputs],
  );
  return parseRowNumbers(found?.rows);
}

function parseRowNumbers(text: string | null | undefined): Set<number> {
  return new Set(text ? text.split(',').map(Number) : []);
}

async function replaceColumns(
  ctx: Context,
  matrixId: number,
  columns: readonly GridColumn[],
  before: StoredColumns,
): Promise<number[]> {
  const byKind = {
    input: columns.filter((column) => column.weight !== undefined),
    output: columns.filter((column) => column.weight === undefined),
  };
  for (const { id, name } of before.input)
    if (!byKind.input.some(hasName(name))) await ctx.call('matrixdimension/delete', { ID: id });
  for (const { id, name } of before.output)
    if (!byKind.output.some(hasName(name))) await ctx.call('matrixmeasure/delete', { ID: id });
  const ids: number[] = [];
  for (const column of columns) {
    const kind = column.weight === undefined ? 'output' : 'input';
    const stored = before[kind].find(hasName(column.name));
    const isUnchanged =
      stored !== undefined &&
      isSameColumn(stored, column, typeAfter(column, before)) &&
      isSameOrder(before[kind], byKind[kind]);
    const sequence = byKind[kind].indexOf(column) + 1;
    ids.push(isUnchanged ? stored.id : await saveColumn(ctx, matrixId, { column, stored, sequence }));
  }
  return ids;
}

function isSameColumn(stored: StoredColumn, column: GridColumn, type: ColumnType): boolean {
  return (
    stored.name === column.name &&
    (column.weight === undefined || Number(stored.weight) === Number(column.weight)) &&
    hasType(stored, type)
  );
}

const hasType = (stored: StoredColumn, { valueType, objectType }: ColumnType): boolean =>
  (stored.type ?? null) === valueType && (stored.objecttype ?? '').toLowerCase() === (objectType ?? '').toLowerCase();

/** Deletes the cells of a column whose type changes: they need not have the new type, and the table replaces them. */
async function deleteCells(ctx: Context, kind: keyof StoredColumns, id: number): Promise<void> {
  const key = kind === 'input' ? 'matrixdimensionid' : 'matrixmeasureid';
  await ctx.db.query(`delete from matrixfact where ${key} = $1::bigint`, [id]);
}

/** Inserts or changes a column. Returns its id. */
async function saveColumn(
  ctx: Context,
  matrixId: number,
  {
    column,
    stored,
    sequence,
  }: { readonly column: GridColumn; readonly stored: StoredColumn | undefined; readonly sequence: number },
): Promise<number> {
  const target = stored ? { ID: stored.id } : { MatrixID: matrixId };
  if (stored && column.type && !hasType(stored, column.type)) await deleteCells(ctx, kindOf(column), stored.id);
  if (column.weight === undefined) {
    const type = column.type && { ValueType: column.type.valueType, ObjectType: column.type.objectType };
    const output = { ...target, MatrixMeasure: column.name, Sequence: sequence };
    return (await ctx.call('matrixmeasure/save', output, type ?? {})).row.MatrixMeasureID;
  }
  const type = column.type && { ValueType: column.type.valueType };
  const input = { ...target, MatrixDimension: column.name, Weight: column.weight, Sequence: sequence };
  return (await ctx.call('matrixdimension/save', input, type ?? {})).row.MatrixDimensionID;
}

/** Whether the remaining columns are already in the table's order. */
function isSameOrder(stored: readonly StoredColumn[], columns: readonly GridColumn[]): boolean {
  return (
    stored.length === columns.length && stored.every((column, at) => hasName(column.name)(columns[at] ?? { name: '' }))
  );
}

interface CellReplacement {
  readonly matrixId: number;
  readonly kind: 'input' | 'output';
  readonly id: number;
  readonly name: string;
  readonly cells: ColumnCells;
  readonly rows: number;
  /** For an Object output: the record that each of the column's texts references. */
  readonly references: readonly (readonly [object: string, id: number] | null)[] | undefined;
}

/**
 * Replaces the cells of one column with two statements, however many cells there are. Returns the rows that changed.
 */
async function replaceCells(
  ctx: Context,
  { matrixId, kind, id, name, cells, rows, references: pointing }: CellReplacement,
): Promise<Iterable<number>> {
  const key = kind === 'input' ? 'matrixdimensionid' : 'matrixmeasureid';
  const filled = Array.from({ length: rows }, (_, row) => row).filter((row) => cells.codes[row] !== 0);
  const numbers = arrayLiteral(filled.map((row) => row + 1));
  const [gone] = await ctx.db.query<{ rows: string | null }>(
    `with gone as (
       delete from matrixfact
       where ${key} = $1::bigint
         and not exists (select from unnest($2::integer[]) n(row) where n.row = matrixfact.rownumber)
       returning rownumber)
     select string_agg(rownumber::text, ',') as rows
     from gone`,
    [id, numbers],
  );
  const [put] = await ctx.db.query<{ rows: string | null }>(
    `with put as (insert into matrixfact (matrixfact, matrixfacttype, matrixid, rownumber, ${key}, cell, object,
      objectid, createddate, createdpersonid, updateddate, updatedpersonid)
      select $4::text, $5::text, $6::bigint, n.row, $1::bigint, t.text, t.object, t.objectid, $7::timestamptz,
      $8::bigint, $7::timestamptz, $8::bigint
      from unnest($2::integer[], $3::integer[]) n(row, code)
      join unnest($9::text[], $10::text[], $11::bigint[]) with ordinality t(text, object, objectid, code) on t.code =
      n.code + 1
      on conflict (${key}, rownumber) do update
      set cell = excluded.cell, object = excluded.object, objectid = excluded.objectid, updateddate =
      excluded.updateddate, updatedpersonid = excluded.updatedpersonid, version = matrixfact.version + 1
        where (matrixfact.cell, matrixfact.object, matrixfact.objectid) is distinct
        from (excluded.cell, excluded.object, excluded.objectid)
      returning rownumber) select string_agg(rownumber::text, ',') as rows from put`,
    [
      id,
      numbers,
      arrayLiteral(filled.map((row) => cells.codes[row] as number)),
      name,
      kind === 'input' ? 'Input' : 'Output',
      matrixId,
      ctx.clock.now(),
      ctx.user.personId,
      arrayLiteral(cells.texts),
      arrayLiteral(cells.texts.map((_, code) => pointing?.[code]?.[0] ?? null)),
      arrayLiteral(cells.texts.map((_, code) => pointing?.[code]?.[1] ?? null)),
    ],
  );
  return [...parseRowNumbers(gone?.rows), ...parseRowNumbers(put?.rows)];
}

/** Resolves the texts of an Object output: each is a record's id or a label that only one record has. */
async function resolveRecordReferences(
  ctx: Context,
  cells: ColumnCells,
  objectType: string,
  { column, lines }: { readonly column: GridColumn; readonly lines: readonly GridLine[] },
): Promise<(readonly [string, number] | null)[]> {
  const { record, byCode } = await referencedRecords(ctx, cells.texts, objectType);
  return cells.texts.map((text, code) => {
    if (code === 0 || isClear(text)) return null;
    const match = byCode.get(code);
    if (match?.count === 1) return [record.name, match.id] as const;
    const line = lines.find(({ cells: texts }) => texts[column.at] === text)?.line ?? 0;
    throw cellError(
      { row: line, column: column.name, word: 'Line' },
      text,
      `the name or id of one ${record.name}; ${match ? `${match.count} have this name` : 'there is none'}`,
    );
  });
}

/** Returns the name under which the table is imported. */
export function requireMatrixName(name: string | null | undefined): string {
  const trimmed = (name ?? '').trim();
  if (trimmed === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Matrix',
      message: 'Matrix is required: the name of the matrix to import.',
    });
  return trimmed;
}
