import type { ColumnName, ColumnsOf } from './columns.ts';
import type { RecordType } from './record.ts';

/** Values of some columns of one record, by their declared names; a column that is emptied has null. */
export interface Values<R extends RecordType = RecordType> {
  has(name: ColumnName<R>): boolean;
  /** Returns the value; undefined if the column is not among them. */
  get<N extends ColumnName<R>>(name: N): ColumnsOf<R>[N] | null | undefined;
  set<N extends ColumnName<R>>(name: N, value: ColumnsOf<R>[N]): this;
  delete(name: ColumnName<R>): void;
  /** Returns the names of the columns, declared as they are. */
  names(): readonly ColumnName<R>[];
}

/** Names of columns, by their declared spelling. */
export interface ColumnNames<R extends RecordType = RecordType> {
  readonly size: number;
  has(name: ColumnName<R>): boolean;
  /** Returns the names, declared as they are. */
  names(): readonly ColumnName<R>[];
}

/** Returns the same values for columns that are known only at run time. */
export function columnsOfAnyName<R extends RecordType>(values: Values<R>): Values {
  return values;
}

/** Returns the value that a column will have after the save: the one to be written, else the stored one. */
export function valueAfter<R extends RecordType, N extends ColumnName<R>>(
  values: Values<R>,
  stored: Partial<ColumnsOf<R>> | undefined,
  name: N,
): ColumnsOf<R>[N] | null | undefined {
  return values.has(name) ? values.get(name) : stored?.[name];
}

/** Returns the columns as they will be after the save: those to be written over the stored ones. */
export function columnsAfter<R extends RecordType>(
  values: Values<R>,
  stored: Partial<ColumnsOf<R>> | undefined,
): Partial<ColumnsOf<R>> {
  const written = values.names().map((name) => [name, values.get(name)] as const);
  return { ...stored, ...(Object.fromEntries(written) as Partial<ColumnsOf<R>>) };
}

/**
 * Returns the values of a save, which are stored by lower-cased name, under the declared names. Changes go through to
 * `byLowerName`.
 */
export function valuesOf(record: RecordType, byLowerName: Map<string, unknown>): Values {
  return {
    has: (name) => byLowerName.has(name.toLowerCase()),
    get: (name) => byLowerName.get(name.toLowerCase()),
    set(name, value) {
      byLowerName.set(name.toLowerCase(), value);
      return this;
    },
    delete: (name) => void byLowerName.delete(name.toLowerCase()),
    names: () => declaredNames(record, byLowerName.keys()),
  };
}

/** Returns the names of columns, which are given lower-cased, by their declared spelling. */
export function namesOf(record: RecordType, lowerNames: ReadonlySet<string>): ColumnNames {
  return {
    size: lowerNames.size,
    has: (name) => lowerNames.has(name.toLowerCase()),
    names: () => declaredNames(record, lowerNames),
  };
}

function declaredNames(record: RecordType, lowerNames: Iterable<string>): string[] {
  return [...lowerNames].map((name) => record.columns.get(name)?.name ?? name);
}
