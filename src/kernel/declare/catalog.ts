import type { Answer, ItemAnswer, ListAnswer } from '../door/answer.ts';
import type { AnyColumns, ColumnName, ColumnsOf, FieldColumns, ShownColumnsOf } from './columns.ts';
import type { ParameterFields, ValueOf } from './field-types.ts';
import type { OperationDeclaration } from './operation.ts';
import type { RecordDeclaration, RecordType } from './record.ts';

/**
 * The operations that code calls by a literal name, each with the types of its parameters and its answer. The generated
 * catalog adds the members.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- the catalog adds members to it
export interface OperationCatalog {}

/**
 * The operations that every record type has, by their part of the route: `search`. A record type's own version takes
 * their parameters and returns the same kind of answer. The generated catalog adds the members.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- the catalog adds members to it
export interface RecordOperationCatalog {}

/** The record types by name. The generated catalog adds the members. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the catalog adds members to it
export interface RecordCatalog {}

/** The name of a record type as code writes it: `ImportForm`. */
export type RecordName = keyof RecordCatalog;

/** Whether other record types derive from one. */
export type HasDerivedTypes<R extends RecordType> =
  DeclarationOf<R>['name'] extends BaseName<RecordCatalog[RecordName]> ? true : false;

type BaseName<R extends RecordType> =
  DeclarationOf<R> extends infer D ? (D extends { readonly base: RecordType<infer B> } ? B['name'] : never) : never;

type RecordsByModule = { readonly [N in RecordName as Lowercase<N>]: RecordCatalog[N] };

/** The record type of a module, if it is one. */
export type RecordOfModule<M extends string> = M extends keyof RecordsByModule ? RecordsByModule[M] : RecordType;

/** The name of an operation as code writes it: `contact/save`. */
export type OperationName = keyof OperationCatalog;

/** The name of an operation that every record type has, as code writes it: `search`. */
export type RecordOperationName = keyof RecordOperationCatalog;

/**
 * A row of a record type by its name, for code that sees the registry and not the modules: `RowNamed<'Contact'>` is
 * `Row<typeof contact>`.
 */
export type RowNamed<N extends RecordName> = ShownColumnsOf<RecordCatalog[N]>;

/** The catalog's entry of an operation file. `R`: the record type of its module, if it is one. */
export interface CatalogEntry<
  D extends OperationDeclaration,
  H extends (...args: never) => Promise<Answer>,
  R extends RecordType = RecordType,
> {
  readonly params: DeclaredParameters<D['params']> & FreeParameters<D, R>;
  readonly more: D extends { readonly free: string } ? Readonly<Record<string, unknown>> : never;
  readonly answer: AnswerOf<D, Awaited<ReturnType<H>>, R>;
}

type MemberOf<N extends OperationName, K extends string> =
  OperationCatalog[N] extends Readonly<Record<K, infer T>> ? T : never;

/** The parameters of an operation as code passes them: values of the declared types. */
export type ParametersFor<N extends OperationName> = MemberOf<N, 'params'>;

/** The parameters of an operation as a user sends them: each may also be text, which the door parses. */
export type SentParametersFor<N extends OperationName> = SentParameters<ParametersFor<N>>;

/** Parameters whose names are known only at run time; `never` for an operation that accepts declared names only. */
export type MoreParametersFor<N extends OperationName> = MemberOf<N, 'more'>;

/** What an operation returns. */
export type AnswerFor<N extends OperationName> =
  OperationCatalog[N] extends Readonly<Record<'answer', infer A extends Answer>> ? A : never;

/** The parameters, as a user sends them, of an operation that every record type has. */
export type SentRecordParametersFor<N extends RecordOperationName> =
  RecordOperationCatalog[N] extends Readonly<Record<'params', infer P>> ? SentParameters<P> : never;

/** What an operation that every record type has returns for one that is known only at run time. */
export type RecordAnswerFor<N extends RecordOperationName> =
  RecordOperationCatalog[N] extends Readonly<Record<'answer', infer A extends Answer>> ? WithAnyColumns<A> : never;

/** A row of a record type that is known only at run time. */
export type AnyRow = RecordAnswerFor<'select'>['row'];

type WithAnyColumns<A> =
  A extends ItemAnswer<infer Row>
    ? ItemAnswer<AnyColumnsOf<Row>>
    : A extends ListAnswer<infer Row>
      ? ListAnswer<AnyColumnsOf<Row>>
      : A;

type AnyColumnsOf<Row> = string extends keyof Row ? Row & AnyColumns : Row;

/** What a call with the parameters `P` returns: a list requested with `SqlColumns` has only those. */
export type AnswerTo<N extends OperationName, P> = P extends { readonly SqlColumns: infer C }
  ? SelectedColumns<AnswerFor<N>, NamesIn<C>>
  : AnswerFor<N>;

type SelectedColumns<A, C> =
  A extends ListAnswer<infer Row>
    ? [C] extends [never]
      ? A
      : ListAnswer<Pick<Row, C & keyof Row> & SearchColumns>
    : A;

/** The result of an operation that returns one, or a row of its list. */
export type AnswerRowFor<N extends OperationName> =
  AnswerFor<N> extends ItemAnswer<infer Row> | ListAnswer<infer Row> ? Row : never;

/**
 * The type of parameters `P` that have no names besides those of `Allowed`, nor have the children in them, and whose
 * `OrderBy` and `SqlColumns` name no other columns. Without it the compiler reports unknown names only where they are
 * written in the argument itself, not those of a spread or a variable.
 */
export type OnlyKnown<P, Allowed> = P extends unknown
  ? P & {
      readonly [K in Exclude<keyof P, KeysOf<Allowed>>]: never;
    } & { readonly [K in ListName<P> & keyof Allowed]: KnownElements<P[K], Allowed[K]> } & {
      readonly [K in keyof P as K extends ColumnList ? K : never]: KnownColumns<P[K], KeysOf<Allowed>>;
    }
  : never;

/** Parameters of searches that name columns in a text, such as `LastName,-ContactID`. */
type ColumnList = 'OrderBy' | 'SqlColumns';

type KnownColumns<T, Names> = [Exclude<NamesIn<T>, Names>] extends [never] ? T : never;

/** The names in a text that is a literal; none if it is known only at run time. */
type NamesIn<T> = T extends string
  ? string extends T
    ? never
    : T extends `${infer First},${infer Rest}`
      ? NamesIn<First> | NamesIn<Rest>
      : T extends `-${infer Name}`
        ? NamesIn<Name>
        : T
  : T extends readonly (infer E)[]
    ? NamesIn<E>
    : never;

type ListName<P> = { [K in keyof P]: P[K] extends readonly object[] ? K : never }[keyof P];

type KnownElements<V, A> = V extends readonly (infer E)[]
  ? [ElementOf<A>] extends [never]
    ? V
    : readonly OnlyKnown<E, ElementOf<A>>[]
  : V;

type ElementOf<A> = A extends readonly (infer E)[] ? E : never;

type KeysOf<T> = T extends unknown ? keyof T : never;

type SentParameters<T> = { readonly [K in keyof T]: SentValue<T[K]> };

type SentValue<V> = V extends readonly (infer E)[]
  ? E extends object
    ? V
    : V | E | string | readonly string[]
  : V | string;

type RequiredName<P> = { [K in keyof P]: P[K] extends { readonly required: true } ? K : never }[keyof P];

/** Declared parameters: required ones must be passed; null passes an optional one as empty. */
type DeclaredParameters<P extends ParameterFields> = { readonly [K in RequiredName<P>]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, RequiredName<P>>]?: ValueOf<P[K]> | null;
};

/** Parameters besides the declared ones, by what the operation is `free` to accept. */
type FreeParameters<D, R extends RecordType> = D extends { readonly free: infer F }
  ? F extends 'fields'
    ? FieldValues<R>
    : F extends 'filters'
      ? Filters<R>
      : Readonly<Record<string, unknown>>
  : unknown;

type DeclarationOf<R extends RecordType> = R extends RecordType<infer D> ? D : never;

/** A declaration and those that it derives from. */
type Lineage<D extends RecordDeclaration> = D | (D extends { readonly base: RecordType<infer B> } ? Lineage<B> : never);

/** Names by which saves and searches refer to records by external ID, this one and those that it refers to. */
type ExternalIdName<R extends RecordType> =
  | 'SubscriberID'
  | (ColumnName<R> extends infer K ? (K extends `${infer X}ID` ? `${X}SubscriberID` : never) : never);

/** Names by which saves and searches name the record's template. */
type TemplateName<D extends RecordDeclaration> = D extends { readonly template: infer T extends string }
  ? T | 'Template'
  : never;

type TemplateIdName<D extends RecordDeclaration> = D extends { readonly template: string } ? 'TemplateID' : never;

type SynonymsOf<D extends RecordDeclaration> = D extends { readonly synonyms: infer S } ? keyof S : never;

/** Names of columns that the platform computes; a save does not change them. */
type ComputedName<D extends RecordDeclaration> =
  | 'CreatedDate'
  | 'CreatedPersonID'
  | 'UpdatedDate'
  | 'UpdatedPersonID'
  | (D extends unknown ? ComputedField<D['fields']> : never);

type ComputedField<F> = { [K in keyof F]: F[K] extends { readonly computed: true } ? K : never }[keyof F];

/** What a save accepts: columns, the template, external IDs, and children as lists under their collection's name. */
type FieldValues<R extends RecordType> = FieldValuesOf<R, Lineage<DeclarationOf<R>>>;

type FieldValuesOf<R extends RecordType, D extends RecordDeclaration> = {
  readonly [K in Exclude<ColumnName<R>, ComputedName<D>>]?: ColumnsOf<R>[K] | null;
} & { readonly [K in 'ID' | TemplateIdName<D>]?: number | null } & {
  readonly [K in ExternalIdName<R> | TemplateName<D> | SynonymsOf<D>]?: string | null;
} & ChildValues<D>;

/** Children that a save accepts with their parent. */
type ChildValues<D extends RecordDeclaration> = {
  readonly [N in keyof RecordCatalog as CollectionName<RecordCatalog[N], D['name']>]?: readonly FieldValues<
    RecordCatalog[N]
  >[];
} & {
  readonly [C in OwnCollection<D> as C['name']]?: readonly FieldValues<RecordNamed<C['record']>>[];
};

interface CollectionDeclaration {
  readonly name: string;
  readonly record: string;
}

type OwnCollection<D extends RecordDeclaration> = D extends {
  readonly children: readonly (infer C extends CollectionDeclaration)[];
}
  ? C
  : never;

type RecordNamed<N> = N extends keyof RecordCatalog ? RecordCatalog[N] : never;

/** The collections in which records of type `R` appear on a parent of type `P`. */
type CollectionName<R, P extends string> =
  R extends RecordType<infer D> ? ParentCollection<D> | KeyCollection<D, P> : never;

type ParentCollection<D> = D extends { readonly parent: infer C extends string } ? C : never;

type KeyCollection<D, P extends string> = D extends {
  readonly collections: infer C;
  readonly fields: infer F;
}
  ? { [K in keyof C & keyof F]: F[K] extends { readonly to: P } ? C[K] & string : never }[keyof C & keyof F]
  : never;

/** A filter's value: a value of the column, a list of them, or text with a comparison, such as `>=5` or `Smi*`. */
type FilterValue = string | number | boolean | null | readonly (string | number)[];

type LinkFilterName = 'LinkedTo' | 'LinkedFrom' | 'NotLinkedTo' | 'NotLinkedFrom' | 'ObjectLinkType';

/** What a search accepts besides its paging. */
type Filters<R extends RecordType> = {
  readonly [
    K in
      | ColumnName<R>
      | 'ID'
      | ExternalIdName<R>
      | TemplateName<Lineage<DeclarationOf<R>>>
      | TemplateIdName<Lineage<DeclarationOf<R>>>
      | SynonymsOf<Lineage<DeclarationOf<R>>>
      | LinkFilterName
  ]?: FilterValue;
};

/**
 * The answer of an operation: with the fields that it declares; else, if it works on any record type, with the columns
 * of this one.
 */
type AnswerOf<D, A, R extends RecordType> = D extends { readonly rows: infer F extends ParameterFields }
  ? WithRows<A, FieldColumns<F>>
  : D extends { readonly returns: infer F extends ParameterFields }
    ? WithRows<A, FieldColumns<F>>
    : WithRows<A, A extends ListAnswer<object> ? ShownColumnsOf<R> & SearchColumns : ShownColumnsOf<R>>;

/**
 * The columns that a search adds: the counts to each row, unless it is called with `RecordCount: false`, and the next
 * page's cursor to the last one, if it is called with a `Cursor`.
 */
export type SearchColumns = Readonly<
  Partial<Record<'RecordCount', number> & Record<'RecordCountIsEstimate', boolean> & Record<'NextCursor', string>>
>;

/** The answer with the columns `Known`, if the operation itself does not know all of them. */
type WithRows<A, Known> =
  A extends ItemAnswer<infer Row>
    ? ItemAnswer<AnsweredColumns<Row, Known>>
    : A extends ListAnswer<infer Row>
      ? ListAnswer<AnsweredColumns<Row, Known>>
      : A;

type AnsweredColumns<Row, Known> = string extends keyof Row ? Known & NamedColumns<Row> : NamedColumns<Row>;

/** The columns that a row's type names, as a type that is also one of any names: interfaces are not. */
type NamedColumns<Row> = { readonly [K in keyof Row as string extends K ? never : K]: Row[K] };
