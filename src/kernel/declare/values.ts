import type { ColumnsOf, ValueColumnsOf } from './columns.ts';
import type { Column, RecordType } from './record.ts';

/**
 * The values of some columns of one record that are to be written, by their declared names: `values.Status`. A column
 * that is emptied has null; one that stays as it is has no property.
 */
export type Values<R extends RecordType = RecordType> = {
  -readonly [N in keyof ValueColumnsOf<R>]?: ValueColumnsOf<R>[N] | null;
};

/** The name of a column's value in a save. */
export type ValueName<R extends RecordType = RecordType> = keyof Values<R> & string;

/** Returns a column by its declared name. */
export function requireColumn<R extends RecordType>(record: R, name: ValueName<R>): Column {
  const column = record.valueColumns.get(name);
  if (!column) throw new Error(`${record.name} has no column ${name}`);
  return column;
}

/** Returns the names of the columns that have a value. */
export function valueNames<R extends RecordType>(values: Values<R>): ValueName<R>[] {
  return Object.keys(values);
}

/** Removes a column's value, so that the column is not written. */
export function removeValue<R extends RecordType>(values: Values<R>, name: ValueName<R>): void {
  Reflect.deleteProperty(values, name);
}

/** Returns the value that a column will have after the save: the one to be written, else the stored one. */
export function valueAfter<R extends RecordType, N extends ValueName<R>>(
  values: Values<R>,
  stored: Partial<ValueColumnsOf<R>> | undefined,
  name: N,
): ValueColumnsOf<R>[N] | null | undefined {
  return name in values ? values[name] : stored?.[name];
}

/** Returns the columns as they will be after the save: those to be written over the stored ones. */
export function columnsAfter<R extends RecordType>(
  values: Values<R>,
  stored: Partial<ColumnsOf<R>> | undefined,
): Partial<ColumnsOf<R>> {
  return { ...stored, ...(values as Partial<ColumnsOf<R>>) };
}
