/** Kinds of values that the platform stores, accepts and returns. */
export type FieldKind =
  | 'text'
  | 'integer'
  | 'id'
  | 'idList'
  | 'textList'
  | 'decimal'
  | 'money'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'xml'
  | 'json'
  | 'ssn';

/**
 * Who may see a field. `public`: anybody who can reach the record. `personal`: the same, but never in logs. `staff`:
 * only users with universal access. `secret`: nobody, in any answer.
 */
export type Classification = 'public' | 'personal' | 'staff' | 'secret';

/** Options of every field. */
export interface FieldOptions {
  /** One sentence for the reference and the form's hint. */
  readonly doc: string;
  /** What people call it, in sentence case, if that is not its name in words (see `labels.ts`). */
  readonly label?: string;
  /** What people read instead of some of its values. */
  readonly valueLabels?: Readonly<Record<string, string>>;
  /** Of a text: the record type whose records it names, separated by commas, lines or other signs. */
  readonly names?: string;
  /** Used when the parameter is not sent. */
  readonly default?: unknown;
}

/** A declared column, parameter or result. `T` is the type of its value inside the platform. */
export interface Field<T = unknown> extends FieldOptions {
  readonly kind: FieldKind;
  readonly classification: Classification;
  readonly max?: number;
  /** Compared byte by byte instead of ignoring case and accents. */
  readonly exact?: boolean;
  /** It identifies something in another system: digits in a row, also after letters, are no card number. */
  readonly identifies?: true;
  readonly values?: readonly string[];
  /** Of an id: the record type that it refers to. */
  readonly to?: string;
  /** Of an organization's id: that firm can reach the record. */
  readonly grantsReach?: boolean;
  /** Of a protected number: the field that stores its last four digits. */
  readonly last?: string;
  readonly required?: boolean;
  readonly computed?: boolean;
  /** Never set; carries the value's type. */
  readonly valueType?: T;
}

/** Named fields: the parameters or results of an operation, the columns of a record. */
export type ParameterFields = Readonly<Record<string, Field>>;

/** The type of a field's value inside the platform. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

// oxlint-disable-next-line typescript/no-empty-object-type -- any value but null and undefined is a default
type AnyDefault = {};

type AlwaysPresent<P> = {
  [K in keyof P]: P[K] extends { readonly required: true } | { readonly default: AnyDefault } ? K : never;
}[keyof P];

/**
 * Parsed values of named fields. Required fields and those with a default are present; others may be absent, or null if
 * sent empty.
 */
export type Parsed<P> = { readonly [K in AlwaysPresent<P>]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, AlwaysPresent<P>>]?: ValueOf<P[K]> | null;
};
