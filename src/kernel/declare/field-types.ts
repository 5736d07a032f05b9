/** The kinds of value that the platform stores, takes and answers. */
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
 * Who may see a field: `public` within the reach of the record, `personal` likewise but never in logs, `staff` users with universal access
 * alone, `secret` nobody in any answer.
 */
export type Classification = 'public' | 'personal' | 'staff' | 'secret';

/** What every field may say of itself. */
export interface FieldOptions {
  /** One sentence for the reference page and the form's hint. */
  readonly doc: string;
  /** Taken when the parameter is not sent. */
  readonly default?: unknown;
}

/** A declared column, parameter or result. `T` is the value's form inside the platform. */
export interface Field<T = unknown> extends FieldOptions {
  readonly kind: FieldKind;
  readonly classification: Classification;
  readonly max?: number;
  /** What people call it, where that is not its name in words. */
  readonly label?: string;
  /** Compared byte for byte instead of without case and accents. */
  readonly exact?: boolean;
  readonly values?: readonly string[];
  /** Of an id: the record type that it points to. */
  readonly to?: string;
  /** Of an id of an organization: the named firm reaches the record. */
  readonly grantsReach?: boolean;
  /** Of a protected number: the field that keeps its last four digits. */
  readonly last?: string;
  readonly required?: boolean;
  readonly computed?: boolean;
  /** Never set: carries the value's type. */
  readonly valueType?: T;
}

/** Named fields: the parameters or results of an operation, the columns of a record. */
export type ParameterFields = Readonly<Record<string, Field>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;

type AlwaysPresent<P> = {
  [K in keyof P]: P[K] extends { readonly required: true } | { readonly default: {} } ? K : never;
}[keyof P];

/** The parsed form of named fields: required ones and those with a default are there, the others may be absent or null (sent empty). */
export type Parsed<P> = { readonly [K in AlwaysPresent<P>]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, AlwaysPresent<P>>]?: ValueOf<P[K]> | null;
};
