import type { SchemaElement } from 'hyparquet-writer';
import type { Field } from '../../../kernel/declare/field-types.ts';
import { valueText } from '../../../kernel/parameters/value-text.ts';

/** A value as Parquet stores it; null for none. */
type StoredValue = string | bigint | boolean | Date | null;

/** How a column is stored. */
export interface ParquetColumn {
  readonly name: string;
  readonly element: SchemaElement;
  /** Returns a value as it is stored. Throws a RangeError for one that is not of the column's type. */
  readonly stored: (value: unknown) => StoredValue;
}

/** Decimal places of amounts of money. */
const MONEY_SCALE = 4;
/** Decimal places of other decimal numbers; further ones are rounded. */
const DECIMAL_SCALE = 10;
/** Digits and bytes of the largest decimal numbers of Parquet that programs read. */
const DECIMAL_DIGITS = 38;
const DECIMAL_BYTES = 16;

/** Returns how a column is stored: by the type of its field, and as text if Parquet has no such type. */
export function parquetColumn(name: string, { kind }: Pick<Field, 'kind'>): ParquetColumn {
  const element = { name, repetition_type: 'OPTIONAL' as const };
  const column = (type: Omit<SchemaElement, 'name'>, stored: (text: string) => StoredValue): ParquetColumn => ({
    name,
    element: { ...element, ...type },
    stored: (value) => (value === null || value === undefined || value === '' ? null : stored(valueText(value))),
  });
  switch (kind) {
    case 'money':
      return column(decimalType(MONEY_SCALE), (text) => scaledDecimal(text, MONEY_SCALE));
    case 'decimal':
      return column(decimalType(DECIMAL_SCALE), (text) => scaledDecimal(text, DECIMAL_SCALE));
    case 'integer':
    case 'id':
      return column({ type: 'INT64' }, (text) => scaledDecimal(text, 0));
    case 'boolean':
      return column({ type: 'BOOLEAN' }, (text) => text === 'true');
    case 'date':
      return column({ type: 'INT32', converted_type: 'DATE' }, (text) => new Date(Number(micros(text) / 1000n)));
    case 'timestamp':
      return column(
        { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
        micros,
      );
    default:
      return column({ type: 'BYTE_ARRAY', converted_type: 'UTF8' }, (text) => text);
  }
}

function decimalType(scale: number): Omit<SchemaElement, 'name'> {
  return {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: DECIMAL_BYTES,
    converted_type: 'DECIMAL',
    precision: DECIMAL_DIGITS,
    scale,
  };
}

/** Returns a decimal number without its point, rounded to a number of places. */
function scaledDecimal(text: string, scale: number): bigint {
  const [, sign, whole = '', fraction = ''] = /^([-+]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || whole.length + scale > DECIMAL_DIGITS) throw new RangeError('a number');
  const size =
    BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0')) + (/^[5-9]/.test(fraction.slice(scale)) ? 1n : 0n);
  return sign === '-' ? -size : size;
}

/** Returns the microseconds since 1970 of a date or a point in time. */
function micros(text: string): bigint {
  const milliseconds = Date.parse(text);
  if (!Number.isFinite(milliseconds)) throw new RangeError('a date');
  // Dates of JavaScript end at milliseconds; the database has three more digits.
  const [, below = ''] = /\.\d{3}(\d{1,3})/.exec(text) ?? [];
  return BigInt(milliseconds) * 1000n + BigInt(below.padEnd(3, '0'));
}
