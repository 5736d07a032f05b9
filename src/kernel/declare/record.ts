import type { ColumnName } from './columns.ts';
import { computed, f } from './field.ts';
import type { Field, ParameterFields } from './field-types.ts';
import { pluralOf, wordsOf } from './labels.ts';
import type { SettingDefinition } from './setting.ts';
import { REACH_ROLE } from '../database/roles.ts';

/**
 * Which rows firms' users can reach; enforced by row-level security in the database. `one`: a single firm, stored by a
 * trigger in `ReachOrganizationID`. `many`: several firms, stored the same way as an array. `configuration`: every user
 * reads all rows, only staff change them. `none`: firms reach no row.
 */
export type Reach = 'one' | 'many' | 'configuration' | 'none';

/** A label derived from other columns. `by` gets the row as it will be stored. */
export interface DerivedLabel {
  readonly from: readonly string[];
  readonly by: (row: Readonly<Record<string, unknown>>) => string | null;
}

/**
 * Declares a label derived from some columns; `by` gets their values.
 *
 * @example
 * label: derivedLabel(['City', 'State'], ({ City, State }) => `${String(City)}, ${String(State)}`)
 */
export function derivedLabel<const N extends string>(
  from: readonly N[],
  by: (row: Readonly<Partial<Record<N, unknown>>>) => string | null,
): DerivedLabel {
  // Of the row as it will be stored, only these columns are read.
  return { from, by: (row) => by(row as Readonly<Partial<Record<N, unknown>>>) };
}

/** Children that can be saved and shown with a parent. */
export interface Collection {
  readonly name: string;
  /** The children's record type. */
  readonly record: string;
  /** `Object` if the child refers to its parent by Object and ObjectID, else the child's foreign key. */
  readonly by: string;
  /** If set, a child sent again is the same child when these columns are equal. */
  readonly key?: readonly string[];
}

/**
 * The declaration of a record type. The standard columns (id, label, status, type, tracking, Version) are added to all.
 */
export interface RecordDeclaration {
  readonly name: string;
  readonly doc: string;
  /** What people call one such record, in sentence case, if that is not its name in words: "Hold". */
  readonly title?: string;
  /** What people call several, if that is not the title's regular plural. */
  readonly titlePlural?: string;
  /** The record type that it derives from: they share the id, and the columns are in two joined tables. */
  readonly base?: RecordType;
  readonly fields: ParameterFields;
  /** Name of the collection on every parent, if rows belong to any record by `Object` and `ObjectID`. */
  readonly parent?: string;
  /** Foreign keys whose record shows these rows as a collection: key name to collection name. */
  readonly collections?: Readonly<Record<string, string>>;
  /** Collections that the children's declarations do not name, such as a loan's borrowers. */
  readonly children?: readonly Collection[];
  /** Of children that a parent sends again: the columns that identify a child within one parent. */
  readonly childKey?: string | readonly string[];
  /** The record type of its templates. */
  readonly template?: string;
  /** What people call its template, if that is not the template's name in words: "Task type". */
  readonly templateTitle?: string;
  /** A foreign key that tells instances of one template below one parent apart: the workflow of a hold. */
  readonly instanceKey?: string;
  /**
   * More distant rows that a search below records of this type also finds: child type to an SQL condition on the
   * child's table, in which `$P` is an array of parent ids. A case's contacts include its loan's borrowers. Write
   * subqueries as `any(array(select …))`: with `in (select …)` beside other conditions PostgreSQL does not use the
   * child's indexes.
   */
  readonly alsoBelow?: Readonly<Record<string, string>>;
  readonly label?: DerivedLabel;
  /** The column that stores answers, values under names that are no columns, as an XML document. */
  readonly answers?: string;
  /** A new record without a label takes its template's. */
  readonly labelFromTemplate?: true;
  /** Other names of columns: each is read, searched and saved like the column. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Only a base of other types: a process is always a foreclosure or another kind. Pages offer the derived types. */
  readonly derivedOnly?: true;
  /** Columns besides the label that people search by, compared as a whole; each has an index. */
  readonly findBy?: readonly string[];
  /** Text columns of its own table whose words people search by; together they have an index. */
  readonly words?: readonly string[];
  /** Whether the label is the name of a person or a firm. It has an index of sounds, so it is found misspelled, too. */
  readonly isName?: true;
  /** Named filters, which a search accepts as `SqlFilters`: what each finds, and its SQL condition. */
  readonly sqlFilters?: Readonly<Record<string, { readonly doc: string; readonly condition: string }>>;
  /** The named filter that decides where the key of an import row finds several rows. */
  readonly keyFilter?: string;
  readonly labelDoc?: string;
  readonly labelMax?: number;
  /** Its label is an identifier in another system, such as a loan number. */
  readonly labelIdentifies?: true;
  /** Statuses in which a record is finished. Default: those of its base type. */
  readonly finalStatuses?: readonly string[];
  /** Columns of the dates that end a record. Default: those of its base type. */
  readonly endDates?: readonly string[];
  readonly reach: Reach;
  /** Makes the type a kind of configuration that analysts find on Configure. */
  readonly kind?: ConfigurationKind;
  /** Whether saved statements of staff may read a type of reach `none`. Those of firms find no rows in it. */
  readonly staffReports?: true;
  /** False for logs: they have no history, and nobody saves or deletes them. */
  readonly history?: false;
  /**
   * Computed columns that are restored when a call is undone, if the call changed the column `by`: a merge moved the
   * record to another parent.
   */
  readonly restoredIfMoved?: { readonly by: string; readonly columns: readonly string[] };
  /** False if the rows are left out of their parents' summaries. */
  readonly inSummary?: false;
  /**
   * Columns that identify a record in another installation when configuration is transferred and its external id is not
   * known yet. Optional for reach `configuration` (see {@link transferKeyOf}); for any other reach it makes the type
   * part of the transferred configuration.
   */
  readonly transferKey?: readonly string[];
  /** Whether a row never leaves the installation with its configuration, such as a setting that is a secret. */
  readonly withheld?: (row: Readonly<Record<string, unknown>>, settings: readonly SettingDefinition[]) => boolean;
  /**
   * A foreign key to a record that each insert locks. Inserts of one user that wait for the same record are combined:
   * one transaction, and one insert statement for all. Only for types without a base; docs/internals/ledgers.md has the
   * conditions.
   */
  readonly combinedBy?: string;
  /** Database triggers on its table besides the standard ones, each with what it maintains. */
  readonly triggers?: Readonly<Record<string, string>>;
}

/** How a kind of configuration is listed on Configure. */
export interface ConfigurationKind {
  readonly group: ConfigurationGroupName;
  /** Its place in the group, from 1. */
  readonly position: number;
  /** The name of an icon of the console. */
  readonly icon: string;
  /** What it is for, in a few words. */
  readonly text: string;
}

/** The groups of kinds of configuration: what they are configured for. */
export type ConfigurationGroupName = 'work' | 'rules' | 'words' | 'data' | 'pages' | 'exchange';

/** Where a custom field's value is stored, and how SQL compares it. */
export interface CustomValue {
  /** Its key in the record's JSON document of custom fields. */
  readonly member: string;
  /** SQL of the value in conditions and orders. */
  readonly value: string;
  /** SQL type of the values that it is compared with. */
  readonly type: string;
}

/** A column of a record type as SQL sees it. */
export interface Column {
  /** The name on the wire and in the reference. */
  readonly name: string;
  /** The name of its value in a save. All names of one column (a synonym, `Foreclosure` of `Process`) have the same. */
  readonly valueName: string;
  readonly field: Field;
  readonly table: string;
  /** The physical column; for a custom field, `custom.` and its key, which no other column has. */
  readonly column: string;
  /** Of a custom field, which has no physical column. */
  readonly custom?: CustomValue;
  /** SQL that reads the value for an answer; null if the field never leaves. */
  readonly read: string | null;
}

/**
 * A resolved record type: its declaration with the standard columns and its names in SQL and routes. `D` is the type of
 * the declaration, of which {@link ColumnsOf} makes the types of rows.
 */
export interface RecordType<D extends RecordDeclaration = RecordDeclaration> extends RecordDeclaration {
  readonly name: D['name'];
  readonly fields: D['fields'];
  readonly title: string;
  readonly titlePlural: string;
  /** The first segment of its routes. */
  readonly module: string;
  readonly table: string;
  readonly idField: string;
  /** The type whose table assigns the id: the base's root, or the type itself. */
  readonly root: RecordType;
  /** All columns by lower-cased name, including the base's and the aliases (`ForeclosureID` for `ProcessID`). */
  readonly columns: ReadonlyMap<string, Column>;
  /** Each column once, by the name of its value in a save. */
  readonly valueColumns: ReadonlyMap<string, Column>;
  /** The columns of an answer, in order. */
  readonly shown: readonly Column[];
  /** Never set; carries the declaration's type. */
  readonly declarationType?: D;
}

function titleOf({ name, title }: Pick<RecordDeclaration, 'name' | 'title'>): string {
  return title ?? wordsOf(name);
}

/** Columns that every record type has besides its own. */
function standardFields(declaration: RecordDeclaration): Record<string, Field> {
  const { name } = declaration;
  const label = f.text({
    doc: declaration.labelDoc ?? `The ${name}'s label.`,
    label: titleOf(declaration),
    max: declaration.labelMax ?? 255,
    ...(declaration.labelIdentifies && { identifies: true }),
  });
  return {
    [`${name}ID`]: computed(f.id({ doc: `Identifies the ${name}.`, label: 'Record number' })),
    [name]: declaration.label ? computed(label) : label,
    Status: f.text({ doc: `Status of the ${name}.`, max: 100 }),
    [`${name}Type`]: f.text({ doc: `Type of the ${name}.`, label: 'Type', max: 100 }),
    ...(declaration.parent
      ? {
          Object: f.text({
            doc: 'The record type of the parent, its concrete class.',
            label: 'Belongs to',
            max: 60,
            exact: true,
          }),
          ObjectID: f.id({ doc: "The parent's id.", label: 'Belongs to, record number' }),
        }
      : {}),
    ...(declaration.template
      ? {
          [`${declaration.template}ID`]: f.id({
            doc: 'The template that it was created from.',
            label: declaration.templateTitle ?? wordsOf(declaration.template),
            to: declaration.template,
          }),
        }
      : {}),
  };
}

const trackingFields = {
  CreatedDate: computed(f.timestamp({ doc: 'When the record was created.', label: 'Created' })),
  CreatedPersonID: computed(f.id({ doc: 'Who created it.', label: 'Created by', to: 'Person' })),
  UpdatedDate: computed(f.timestamp({ doc: 'When it was last changed.', label: 'Updated' })),
  UpdatedPersonID: computed(f.id({ doc: 'Who last changed it.', label: 'Updated by', to: 'Person' })),
  Version: f.integer({
    label: 'Changes',
    doc: 'Number of changes. Send it with a change: if it is outdated, the change is refused with 409.',
  }),
};

/** Names of the tracking columns (who and when), which are last in answers. */
export const trackingNames: ReadonlySet<string> = new Set(Object.keys(trackingFields));

/**
 * Columns that a declaration names. Those of a derived label are checked at start: a function beside them keeps the
 * compiler from inferring their names.
 */
interface NamedColumns<D extends RecordDeclaration> {
  readonly endDates?: readonly ColumnName<RecordType<D>>[];
  readonly findBy?: readonly ColumnName<RecordType<D>>[];
  readonly words?: readonly ColumnName<RecordType<D>>[];
  readonly transferKey?: readonly ColumnName<RecordType<D>>[];
  readonly childKey?: ColumnName<RecordType<D>> | readonly ColumnName<RecordType<D>>[];
  readonly answers?: ColumnName<RecordType<D>>;
  readonly combinedBy?: ColumnName<RecordType<D>>;
  readonly synonyms?: Readonly<Record<string, ColumnName<RecordType<D>>>>;
}

/**
 * Declares a record type. Tables, searches, XML, JSON, CSV, OpenAPI and forms follow from the declaration.
 *
 * @example
 * export const property = defineRecord({ name: 'Property', doc: 'A piece of real estate.', reach: 'many',
 *   fields: { Address: f.personal({ doc: 'Street address.', max: 100 }) } });
 */
export function defineRecord<const D extends RecordDeclaration>(
  declaration: D & NamedColumns<NoInfer<D>>,
): RecordType<D> {
  const table = declaration.name.toLowerCase();
  const own: Record<string, Field> = declaration.base
    ? declaration.fields
    : { ...standardFields(declaration), ...declaration.fields, ...trackingFields };
  const columns = new Map<string, Column>(declaration.base?.columns);
  if (declaration.base) addAliases(columns, declaration, table);
  for (const [name, of] of Object.entries(own)) columns.set(name.toLowerCase(), columnOf(name, of, table, own));
  addSynonyms(columns, declaration);
  assertLabelColumns(columns, declaration);
  assertCombinable(declaration);
  const title = titleOf(declaration);
  const type = {
    ...declaration,
    title,
    titlePlural: declaration.titlePlural ?? pluralOf(title),
    table,
    module: table,
    idField: `${declaration.name}ID`,
    columns,
    valueColumns: valueColumnsOf(columns),
    shown: shownColumns(declaration, columns),
  };
  // The root of a hierarchy must be its own root: the very same object.
  return Object.assign(type, { root: declaration.base?.root ?? (type as unknown as RecordType) });
}

function addSynonyms(columns: Map<string, Column>, declaration: RecordDeclaration): void {
  for (const [name, of] of Object.entries(declaration.synonyms ?? {})) {
    const column = columns.get(of.toLowerCase());
    if (!column) throw new Error(`${declaration.name} has no column ${of} for its synonym ${name}`);
    columns.set(name.toLowerCase(), { ...column, name });
  }
}

function assertLabelColumns(columns: ReadonlyMap<string, Column>, { name, label }: RecordDeclaration): void {
  for (const from of label?.from ?? [])
    if (!columns.has(from.toLowerCase())) throw new Error(`${name} has no column ${from} for its label`);
}

/** One statement inserts several rows into one table only. */
function assertCombinable({ name, base, combinedBy }: RecordDeclaration): void {
  if (combinedBy !== undefined && base)
    throw new Error(`${name} is based on ${base.name}, so combinedBy is not possible`);
}

/** Returns each column once, by the name of its value in a save. `columns` has all their names. */
export function valueColumnsOf(columns: ReadonlyMap<string, Column>): ReadonlyMap<string, Column> {
  return new Map([...columns.values()].filter((c) => c.name === c.valueName).map((c) => [c.name, c]));
}

/**
 * Adds the names of the base's id, label and type under the derived record's name: ForeclosureID is ProcessID,
 * Foreclosure is Process.
 */
function addAliases(columns: Map<string, Column>, declaration: RecordDeclaration, table: string): void {
  const base = declaration.base;
  if (!base) return;
  for (const suffix of ['', 'ID', 'Type']) {
    const of = columns.get(`${base.table}${suffix.toLowerCase()}`);
    if (!of) continue;
    // A contact's label is derived from its name; an organization's is its name, and is sent.
    const named = suffix === '' ? { ...of.field, label: titleOf(declaration) } : of.field;
    const field =
      suffix === '' && !declaration.label
        ? { ...named, doc: declaration.labelDoc ?? of.field.doc, computed: false }
        : named;
    columns.set(`${table}${suffix.toLowerCase()}`, { ...of, name: `${declaration.name}${suffix}`, field });
  }
}

function columnOf(name: string, of: Field, table: string, siblings: Record<string, Field>): Column {
  const column = name.toLowerCase();
  if (of.kind === 'ssn') {
    const last = String(of.last).toLowerCase();
    if (!siblings[String(of.last)])
      throw new Error(`${name} keeps its last four digits in ${of.last}, which the record does not declare`);
    return {
      name,
      valueName: name,
      field: of,
      table,
      column,
      read: `case when ${table}.${column}cipher is not null then 'XXX-XX-' || coalesce(${table}.${last}, 'XXXX') end`,
    };
  }
  return {
    name,
    valueName: name,
    field: of,
    table,
    column,
    read: readText(of, `${table}.${column}`),
  };
}

function readText(of: Field, stored: string): string | null {
  if (of.classification === 'secret') return null;
  return of.classification === 'staff' ? forStaff(stored) : stored;
}

/**
 * Returns SQL of a value that firms never see. The transaction's `casewright.firm` is set even where part of it
 * bypasses row-level security, as reading the past does; a user without a firm is recognized by the role.
 */
export function forStaff(value: string): string {
  return (
    `case when coalesce(nullif(current_setting('casewright.firm', true), ''), '0') = '0' and current_user <> ` +
    `'${REACH_ROLE}' then ${value} end`
  );
}

/**
 * Returns the columns in order: own aliases, the base's columns (its id and label are replaced by the aliases), the
 * derived table's columns, tracking columns.
 */
function shownColumns(declaration: RecordDeclaration, columns: ReadonlyMap<string, Column>): readonly Column[] {
  const { base, name } = declaration;
  const all = [...columns.values()].filter((c) => c.read !== null);
  if (!base) return all;
  const aliases = new Set([name, `${name}ID`, `${name}Type`]);
  const given = new Set([base.name, base.idField]);
  return [
    ...all.filter((c) => aliases.has(c.name)),
    ...all.filter((c) => !aliases.has(c.name) && !given.has(c.name) && !trackingNames.has(c.name)),
    ...all.filter((c) => trackingNames.has(c.name)),
  ];
}

/** Whether processes cache records of a type and are notified of changes. */
export function isConfiguration(record: RecordType): boolean {
  return record.reach === 'configuration' || `${record.table}_configuration` in (record.triggers ?? {});
}

/**
 * Returns the columns that identify a record among others of its type in any installation: by default what it belongs
 * to, the record type that it applies to, and its label. Undefined for types that are not transferred: cases, logs, and
 * types that share a table or belong to any record.
 */
export function transferKeyOf(record: RecordType): readonly string[] | undefined {
  if (
    record.history === false ||
    record.base !== undefined ||
    record.parent !== undefined ||
    record.valueColumns.has('RecordClass')
  )
    return undefined;
  if (record.transferKey) return record.transferKey;
  if (record.reach !== 'configuration') return undefined;
  return [
    ...Object.keys(record.collections ?? {}),
    ...(record.valueColumns.has('AppliesTo') ? ['AppliesTo'] : []),
    record.name,
  ];
}
