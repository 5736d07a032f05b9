import type { ImportMap } from '../../../contracts/import-engine.ts';

type DataType = NonNullable<ImportMap['dataType']>;

/** The type of a staging column, as far as it limits values. */
export interface ColumnType {
  /** Its SQL text. */
  readonly sql: string;
  /** Type of its values; undefined: any text, or a type that only the database can check. */
  readonly dataType: DataType | undefined;
  /** Returns what is expected of a value that has the data type but does not fit; undefined if it fits. */
  misfit(value: string): string | undefined;
}

const alwaysFits = (): undefined => undefined;

/** Any text. */
export const TEXT: ColumnType = { sql: 'text', dataType: undefined, misfit: alwaysFits };

const INTEGER_RANGES: Readonly<Record<string, { readonly least: bigint; readonly most: bigint }>> = {
  smallint: { least: -32_768n, most: 32_767n },
  integer: { least: -2_147_483_648n, most: 2_147_483_647n },
  bigint: { least: -9_223_372_036_854_775_808n, most: 9_223_372_036_854_775_807n },
};

const DATA_TYPES: Readonly<Record<string, DataType>> = {
  date: 'Date',
  'timestamp with time zone': 'Timestamp',
  'timestamp without time zone': 'Timestamp',
  boolean: 'Boolean',
  'double precision': 'Decimal',
  real: 'Decimal',
};

/** Returns the type of a column by its SQL text, such as `character varying(20)`. */
export function columnType(sql: string): ColumnType {
  const [, base = sql, first, second] =
    /^([a-z ]+?)(?:\((\d+)(?:,(-?\d+))?\))?( with(?:out)? time zone)?$/.exec(sql) ?? [];
  if (sql === 'text') return TEXT;
  if ((base === 'character varying' || base === 'character') && first !== undefined) {
    const max = Number(first);
    return {
      sql,
      dataType: undefined,
      misfit: (value) =>
        value.length > max && Array.from(value).length > max ? `at most ${max} characters` : undefined,
    };
  }
  const range = INTEGER_RANGES[sql];
  if (range)
    return {
      sql,
      dataType: 'Integer',
      misfit: (value) =>
        value.length > 18 || BigInt(value) > range.most || BigInt(value) < range.least
          ? `a whole number between ${range.least} and ${range.most}`
          : undefined,
    };
  if (base === 'numeric') return numeric(sql, first, second);
  return { sql, dataType: DATA_TYPES[sql], misfit: alwaysFits };
}

/** Decimals beyond the scale are rounded as the database does; digits before the point must fit. */
function numeric(sql: string, precision: string | undefined, scale: string | undefined): ColumnType {
  if (precision === undefined) return { sql, dataType: 'Decimal', misfit: alwaysFits };
  const digits = Number(precision) - Number(scale ?? 0);
  const fits = (value: string): boolean => value.replace(/^[+-]?0*/, '').replace(/\..*$/, '').length <= digits;
  return {
    sql,
    dataType: sql === 'numeric(19,4)' ? 'Money' : 'Decimal',
    misfit: (value) => (fits(value) ? undefined : `a number with at most ${digits} digits before the point`),
  };
}

const SQL_TYPES: Readonly<Record<DataType, string>> = {
  Text: 'text',
  Integer: 'bigint',
  Decimal: 'numeric',
  Money: 'numeric(19,4)',
  Date: 'date',
  Timestamp: 'timestamp with time zone',
  Boolean: 'boolean',
};

/** Returns the type of a new column for values of a data type. */
export function typeFor(dataType: DataType | undefined): ColumnType {
  return columnType(SQL_TYPES[dataType ?? 'Text']);
}

/** Returns the next wider type that can hold a value: integers, numbers, then text. */
export function widerType(type: ColumnType, value: string): ColumnType {
  const isNumber = type.dataType === 'Integer' || type.dataType === 'Decimal' || type.dataType === 'Money';
  if (type.dataType === 'Integer' && type.sql !== 'bigint' && /^[+-]?\d{1,18}$/.test(value))
    return columnType('bigint');
  return isNumber && type.sql !== 'numeric' && /^[+-]?\d{1,18}(?:\.\d{0,18})?$/.test(value)
    ? columnType('numeric')
    : TEXT;
}
