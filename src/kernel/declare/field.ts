import type { Classification, Field, FieldKind, FieldOptions } from './field-types.ts';

/** A field of values of type `T`, which remembers in its type whether it has a default. */
type DeclaredField<T, O> = Field<T> & (O extends { readonly default: infer D } ? { readonly default: D } : unknown);

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
}

/**
 * The one vocabulary of fields: it serves columns of records, parameters of operations and results.
 * Each answers a {@link Field} whose type argument is the value's form inside the platform:
 * ids and integers are numbers, money and decimals exact decimal text, dates `YYYY-MM-DD`, timestamps ISO 8601 in UTC.
 */
export const f = {
  /** Text of at most `max` characters; compared without case and accents unless `exact`. */
  text: <const O extends TextOptions>(o: O) => field<string, O>('text', o),
  /** Text about a person (name, address): kept out of logs. */
  personal: <const O extends TextOptions>(o: O) => field<string, O>('text', o, 'personal'),
  /** One of a list of words, compared without case, kept in the list's spelling. */
  choice: <const V extends string, const O extends FieldOptions>(values: readonly V[], o: O) =>
    field<V, O>('text', { ...o, values, max: Math.max(...values.map((v) => v.length)) }),
  integer: <const O extends FieldOptions>(o: O) => field<number, O>('integer', o),
  /** The id of a record; `to` names the record type that it points to. */
  id: <const O extends FieldOptions & { readonly to?: string; readonly grantsReach?: boolean }>(o: O) =>
    field<number, O>('id', o),
  /** One or more ids: a list, or text with commas between them. */
  idList: <const O extends FieldOptions>(o: O) => field<readonly number[], O>('idList', o),
  /** Words or names: a repeated parameter, or text with commas between them. */
  textList: <const O extends FieldOptions>(o: O) => field<readonly string[], O>('textList', o),
  /** An exact decimal number, as text. */
  decimal: <const O extends FieldOptions>(o: O) => field<string, O>('decimal', o),
  /** An amount of money with at most four decimals, as text; never floating point. */
  money: <const O extends FieldOptions>(o: O) => field<string, O>('money', o),
  boolean: <const O extends FieldOptions>(o: O) => field<boolean, O>('boolean', o),
  /** A calendar day. */
  date: <const O extends FieldOptions>(o: O) => field<string, O>('date', o),
  /** A calendar day about a person, such as a birth date. */
  personalDate: <const O extends FieldOptions>(o: O) => field<string, O>('date', o, 'personal'),
  /** An instant. Sent without a zone it is read in the installation's time zone. */
  timestamp: <const O extends FieldOptions>(o: O) => field<string, O>('timestamp', o),
  /** An XML document, as text. */
  xml: <const O extends FieldOptions>(o: O) => field<string, O>('xml', o, 'personal'),
  /** Any JSON value. */
  json: <const O extends FieldOptions>(o: O) => field<unknown, O>('json', o),
  /** Long text about a case or person: bodies, notes. */
  body: <const O extends FieldOptions>(o: O) => field<string, O>('text', o, 'personal'),
  /** Text for users with universal access alone, also within a record that firms reach: what the platform says of its inner work. To a firm it is empty. */
  staff: <const O extends TextOptions>(o: O) => field<string, O>('text', o, 'staff'),
  /** Text that never leaves in any answer, log or history: hashes, keys, passwords. */
  secret: <const O extends TextOptions>(o: O) => field<string, O>('text', { ...o, exact: true }, 'secret'),
  /**
   * A nine-digit number kept encrypted, with a keyed blind index for equality and the last four digits in the field `last`.
   * Answers show `XXX-XX-` and the last four digits.
   */
  socialSecurityNumber: <const O extends FieldOptions & { readonly last: string }>(o: O) =>
    field<string, O>('ssn', o, 'secret'),
};

/** Marks a field as one that must be sent. */
export function required<F extends Field>(of: F): F & { readonly required: true } {
  return { ...of, required: true };
}

/** Marks a field as one that the platform computes: it is answered and searched but never taken from a caller. */
export function computed<F extends Field>(of: F): F & { readonly computed: true } {
  return { ...of, computed: true };
}
