import type { ValueOf } from './field-types.ts';
import type { RecordDeclaration, RecordType } from './record.ts';

/**
 * The columns of a record type by their declared names, with the types of their values. Ids of the record itself,
 * required columns and most tracking columns always have a value; any other may be null. Of a record type that is not
 * known at compile time: any name, and values of any type.
 */
export type ColumnsOf<R extends RecordType> = R extends RecordType<infer D> ? DeclaredColumns<D> : never;

/** A record type that code names: the compiler knows its columns. Nothing is assignable to it of any other. */
export type NamedType<R extends RecordType> = string extends R['name'] ? never : R;

/** The declared names of a record type's columns. */
export type ColumnName<R extends RecordType> = keyof ColumnsOf<R> & string;

type DeclaredColumns<D extends RecordDeclaration> = string extends D['name']
  ? Readonly<Record<string, unknown>>
  : Flat<InheritedColumns<D> & OwnColumns<D['name']> & FieldColumns<D['fields']>>;

/** The columns of a record type's rows: a derived type has the id and label of its base only under its own name. */
export type ShownColumnsOf<R extends RecordType> = R extends RecordType<infer D> ? ShownColumns<D> : never;

type ShownColumns<D extends RecordDeclaration> = D extends { readonly base: RecordType<infer B> }
  ? Omit<DeclaredColumns<D>, IdAndLabel<B>>
  : DeclaredColumns<D>;

/** The names of a record type's id and label. */
export type IdAndLabelOf<R extends RecordType> = R extends RecordType<infer D> ? IdAndLabel<D> : never;

type IdAndLabel<D extends RecordDeclaration> = D['name'] | `${D['name']}ID`;

/**
 * The columns of a record type by the names of their values in a save. Each has one: a derived type shows the id, label
 * and type of its base also under its own name, but saves them under the base's.
 */
export type ValueColumnsOf<R extends RecordType> = R extends RecordType<infer D> ? ValueColumns<D> : never;

type ValueColumns<D extends RecordDeclaration> = string extends D['name']
  ? Readonly<Record<string, unknown>>
  : D extends { readonly base: RecordType<infer B> }
    ? Flat<ValueColumns<B> & FieldColumns<D['fields']>>
    : DeclaredColumns<D>;

/** One object type instead of an intersection: shorter in messages and faster to compare. */
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The values of declared fields: one that is not required may be null. */
export type FieldColumns<F> = {
  readonly [K in keyof F]: F[K] extends { readonly required: true } ? ValueOf<F[K]> : ValueOf<F[K]> | null;
};

/** The columns that a derived record type shows under its own name, and any other declares. */
type OwnColumns<Name extends string> = Readonly<
  Record<`${Name}ID`, number> & Record<Name | `${Name}Type`, string | null>
>;

type InheritedColumns<D extends RecordDeclaration> = D extends { readonly base: RecordType<infer B> }
  ? DeclaredColumns<B>
  : StandardColumns & ParentColumns<D> & TemplateColumns<D>;

interface StandardColumns {
  readonly Status: string | null;
  readonly CreatedDate: string;
  readonly CreatedPersonID: number | null;
  readonly UpdatedDate: string | null;
  readonly UpdatedPersonID: number | null;
  readonly Version: number;
}

/**
 * The columns of a record whose type is known only at run time: those that every record has, and those by which
 * children name their parent and records of a base type their derived one. Any other is read by a name in brackets.
 */
export type AnyColumns = Readonly<Record<string, unknown>> &
  StandardColumns &
  Readonly<Partial<Record<'Object' | 'RecordClass', string | null> & Record<'ObjectID', number | null>>>;

type ParentColumns<D> = D extends { readonly parent: string }
  ? { readonly Object: string | null; readonly ObjectID: number | null }
  : unknown;

type TemplateColumns<D> = D extends { readonly template: infer T extends string }
  ? Readonly<Record<`${T}ID`, number | null>>
  : unknown;
