import type { ImportMap, ImportTemplate } from '../../../contracts/import-engine.ts';
import { constantOf } from '../../../contracts/import-value.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { isReason } from '../../../lib/readers/columns.ts';
import { columnType, TEXT, typeFor, type ColumnType } from './column-type.ts';
import { columnNames } from './sql-names.ts';
import type { BulkOptions } from './bulk-options.ts';

/** Most columns of a PostgreSQL table. */
export const TABLE_COLUMNS_MAX = 1_600;

/** Where a staging column takes its value from. */
export interface ColumnFeed {
  /** Index of the source's column; undefined if the source has none. */
  readonly index: number | undefined;
  /** Undefined: the cell unchanged. */
  readonly map: ImportMap | undefined;
  /** Value of every row, if no column of the source is read. */
  readonly constant: string | undefined;
}

/** A column that is loaded. */
export interface StagingColumn {
  readonly name: string;
  /** Name of the source's column, for messages. */
  readonly source: string;
  readonly feeds: readonly ColumnFeed[];
  readonly isKey: boolean;
  /** Widened while rows are read, if the import type allows it. */
  type: ColumnType;
}

/** How source rows become staging rows. */
export interface StagingPlan {
  readonly columns: readonly StagingColumn[];
  /** Columns with the position of a row, for a merge; undefined if they are not needed. */
  readonly numbered: { readonly row: string; readonly line: string } | undefined;
  readonly identity: string | undefined;
  /** Names of the source's columns, in order. */
  readonly source: readonly string[];
}

/** Input of a plan. */
export interface PlanOptions {
  readonly source: readonly string[];
  readonly template: Pick<ImportTemplate, 'maps'>;
  readonly options: BulkOptions;
  /** Whether rows are numbered, for a merge. */
  readonly numbers: boolean;
  /** Whether columns are loaded unmapped, for rows whose maps are applied later. */
  readonly raw: boolean;
}

/**
 * Returns how the columns of a source are loaded: each under its name, or only the mapped ones if the import type has
 * maps.
 */
export function stagingPlan({ source, template, options, numbers, raw }: PlanOptions): StagingPlan {
  const maps = raw ? [] : template.maps.filter((map) => map.type !== 'Ignore');
  const requested = maps.length === 0 ? unmappedColumns(source) : mappedColumns(source, maps);
  const own = [
    ...(numbers ? ['importrow', 'importline'] : []),
    ...(options.identityColumn === undefined ? [] : [options.identityColumn]),
  ];
  const reserved = columnNames(own, options.useSafe);
  const names = columnNames(
    requested.map((column) => column.name),
    options.useSafe,
    reserved,
  );
  const count = names.length + reserved.length;
  if (count > TABLE_COLUMNS_MAX)
    throw new PlatformError('TOO_LARGE', {
      message:
        `The staging table would have ${count.toLocaleString('en-US')} columns; a table has at most ` +
        `${TABLE_COLUMNS_MAX.toLocaleString('en-US')}. Map the columns that are needed.`,
    });
  if (names.length === 0)
    throw new PlatformError('BAD_PARAMETER', { message: 'The source has no column that the import type loads.' });
  const [row, line] = reserved;
  return {
    columns: requested.map((column, i) => ({ ...column, name: names[i] as string })),
    numbered: numbers && row !== undefined && line !== undefined ? { row, line } : undefined,
    identity: options.identityColumn === undefined ? undefined : reserved.at(-1),
    source,
  };
}

function unmappedColumns(source: readonly string[]): StagingColumn[] {
  return source.flatMap((name, index) =>
    isReason(name)
      ? []
      : [{ name, source: name, feeds: [{ index, map: undefined, constant: undefined }], isKey: false, type: TEXT }],
  );
}

/** Returns one column for each destination; of several maps to one destination the later wins if it has a value. */
function mappedColumns(source: readonly string[], maps: readonly ImportMap[]): StagingColumn[] {
  const places = new Map(source.map((name, index) => [name.trim().toLowerCase(), index]));
  const byDestination = Map.groupBy(maps, (map) => map.destination);
  return [...byDestination].map(([name, own]) => {
    const dataTypes = new Set(own.filter((map) => map.type !== 'Constant').map((map) => map.dataType));
    const [dataType] = dataTypes;
    return {
      name,
      source: own.find((map) => map.type !== 'Constant')?.source ?? name,
      feeds: own.map((map) =>
        map.type === 'Constant'
          ? { index: undefined, map: undefined, constant: constantOf(map) }
          : { index: places.get(map.source.trim().toLowerCase()), map, constant: undefined },
      ),
      isKey: own.some((map) => map.type === 'Key'),
      type: dataTypes.size === 1 ? typeFor(dataType) : TEXT,
    };
  });
}

/** Whether the bytes of rows can be loaded unchanged: every column of the source in order, with nothing to inspect. */
export function isVerbatim(plan: StagingPlan): boolean {
  const { columns, source, numbered } = plan;
  return (
    numbered === undefined &&
    columns.length === source.length &&
    columns.length > 1 &&
    columns.every(
      ({ feeds, type }, i) =>
        feeds.length === 1 && feeds[0]?.index === i && feeds[0].map === undefined && type === TEXT,
    )
  );
}

/** Sets the columns' types to those of a table, by name, and returns the columns that the table lacks. */
export function adoptTypes(plan: StagingPlan, types: ReadonlyMap<string, string>): readonly StagingColumn[] {
  const missing: StagingColumn[] = [];
  for (const column of plan.columns) {
    const sql = types.get(column.name);
    if (sql === undefined) missing.push(column);
    else column.type = columnType(sql);
  }
  return missing;
}
