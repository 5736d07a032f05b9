import type { Classification, Field, FieldKind, FieldOptions } from './field-types.ts';

/** A field of type `T` whose type records its default, and the record type that it refers to. */
type DeclaredField<T, O> = Field<T> &
  (O extends { readonly default: infer D } ? { readonly default: D } : unknown) &
  (O extends { readonly to: infer R } ? { readonly to: R } : unknown);

function field<T, O extends FieldOptions>(
  kind: FieldKind,
  options: O,
  classification: Classification = 'public',
): DeclaredField<T, O> {
  return { kind, classification, ...options } as unknown as DeclaredField<T, O>;
}

interface TextOptions extends FieldOptions {
  readonly max?: number;
  readonly exact?: boolean;
  readonly identifies?: true;
}

/**
 * Constructors of all fields: columns of records, parameters of operations and results. Each returns a {@link Field}
 * whose type argument is the value inside the platform: ids and integers are numbers, money and decimals exact decimal
 * text, dates `YYYY-MM-DD`, timestamps ISO 8601 in UTC.
 */
export const f = {
  /** Text of at most `max` characters. Comparison ignores case and accents unless `exact`. */
  text: <const O extends TextOptions>(o: O) => field<string, O>('text', o),
  /** Text about a person (name, address): kept out of logs. */
  personal: <const O extends TextOptions>(o: O) => field<string, O>('text', o, 'personal'),
  /** One of a list of words. Comparison ignores case; the list's spelling is stored. */
  choice: <const V extends string, const O extends FieldOptions>(values: readonly V[], o: O) =>
    field<V, O>('text', { ...o, values, max: Math.max(...values.map((v) => v.length)) }),
  integer: <const O extends FieldOptions>(o: O) => field<number, O>('integer', o),
  /** The id of a record; `to` names the record type that it refers to. */
  id: <const O extends FieldOptions & { readonly to?: string; readonly grantsReach?: boolean }>(o: O) =>
    field<number, O>('id', o),
  /** One or more IDs, at most `max`: a list, or comma-separated text. */
  idList: <const O extends FieldOptions & { readonly max?: number }>(o: O) => field<readonly number[], O>('idList', o),
  /** Words or names: a repeated parameter, or comma-separated text. */
  textList: <const O extends FieldOptions>(o: O) => field<readonly string[], O>('textList', o),
  /** An exact decimal number, as text. */
  decimal: <const O extends FieldOptions>(o: O) => field<string, O>('decimal', o),
  /** An amount of money with at most four decimals, as text, never as floating point. */
  money: <const O extends FieldOptions>(o: O) => field<string, O>('money', o),
  boolean: <const O extends FieldOptions>(o: O) => field<boolean, O>('boolean', o),
  /** A calendar date. */
  date: <const O extends FieldOptions>(o: O) => field<string, O>('date', o),
  /** A calendar date about a person, such as a birth date. */
  personalDate: <const O extends FieldOptions>(o: O) => field<string, O>('date', o, 'personal'),
  /** An instant. Without a time zone it is read in the installation's. */
  timestamp: <const O extends FieldOptions>(o: O) => field<string, O>('timestamp', o),
  /** An XML document, as text. */
  xml: <const O extends FieldOptions>(o: O) => field<string, O>('xml', o, 'personal'),
  /** Any JSON value. */
  json: <const O extends FieldOptions>(o: O) => field<unknown, O>('json', o),
  /** Long text about a case or person: bodies, notes. */
  body: <const O extends FieldOptions>(o: O) => field<string, O>('text', o, 'personal'),
  /**
   * Text only for users with universal access, even in records that firms reach: what the platform notes about its own
   * work, and how an installation is configured. Firms see it as empty.
   */
  staff: <const O extends TextOptions>(o: O) => field<string, O>('text', o, 'staff'),
  /** Text that never leaves in any answer, log or history: hashes, keys, passwords. */
  secret: <const O extends TextOptions>(o: O) => field<string, O>('text', { ...o, exact: true }, 'secret'),
  /**
   * A nine-digit number stored encrypted, with a keyed blind index for equality and its last four digits in the field
   * `last`. Answers show `XXX-XX-` and the last four digits.
   */
  socialSecurityNumber: <const O extends FieldOptions & { readonly last: string }>(o: O) =>
    field<string, O>('ssn', o, 'secret'),
};

/** Marks a field as required. */
export function required<F extends Field>(of: F): F & { readonly required: true } {
  return { ...of, required: true };
}

/** Marks a field as computed by the platform: returned and searchable, never accepted from a caller. */
export function computed<F extends Field>(of: F): F & { readonly computed: true } {
  return { ...of, computed: true };
}
