import { computed, f } from './field.ts';
import type { Field, ParameterFields } from './field-types.ts';
import type { SettingDefinition } from './setting.ts';
import { REACH_ROLE } from '../database/store.ts';

/**
 * How partner users come to reach a record type's rows; enforced by row level security in the database.
 * `one`: a single firm, kept by a trigger in `ReachOrganizationID`. `many`: several firms, kept likewise as an array.
 * `configuration`: every user reads all rows, only staff change them. `none`: no row is reached by partners.
 */
export type Reach = 'one' | 'many' | 'configuration' | 'none';

/** A label that the platform makes from other columns. `by` gets the row as it will be stored. */
export interface DerivedLabel {
  readonly from: readonly string[];
  readonly by: (row: Readonly<Record<string, unknown>>) => string | null;
}

/**
 * Of children of which a parent has one of each kind, such as one e-mail address, while a setting is on: another one of a kind
 * changes the one that there is, one without a value removes it. The parent takes a value by the kind's name alone: `Email=`.
 */
export interface OneOfKind {
  /** The foreign key of the parent. */
  readonly within: string;
  /** The column that says the kind. */
  readonly kind: string;
  /** The column that holds the value. */
  readonly value: string;
  /** Whether a parent has one of each kind; where it is off it has as many as are sent. */
  readonly only: SettingDefinition<boolean>;
  /** The kinds by whose names the parent takes values, comma-separated; spaces in them are left out of the parameters' names. */
  readonly names: SettingDefinition<string>;
}

/** Children that can be saved and shown with a parent. */
export interface Collection {
  readonly name: string;
  /** The children's record type. */
  readonly record: string;
  /** `Object` where the child points by Object and ObjectID, else the child's foreign key. */
  readonly by: string;
  /** Where set, a child sent again is the same child when these columns are equal. */
  readonly key?: readonly string[];
}

/** What a module says of a record type. The standard columns (id, label, status, type, who and when, Version) are added to all. */
export interface RecordDeclaration<F extends ParameterFields = ParameterFields> {
  readonly name: string;
  readonly doc: string;
  /** The record type that it derives from: the id is shared, the columns live in two joined tables. */
  readonly base?: RecordType;
  readonly fields: F;
  /** True where rows hang below any record by `Object` and `ObjectID`; the text is the collection's name on every parent. */
  readonly parent?: string;
  /** Foreign keys whose record shows these rows as a collection: key name to collection name. */
  readonly collections?: Readonly<Record<string, string>>;
  /** Collections of its own that are not named by the children's declarations, such as a loan's borrowers. */
  readonly children?: readonly Collection[];
  /** Of children that a parent sends again: the column or columns that say which child it is, within one parent. */
  readonly childKey?: string | readonly string[];
  /** Of children of which a parent has one of each kind. */
  readonly oneOfKind?: OneOfKind;
  /** The record type that holds its templates. */
  readonly template?: string;
  /**
   * Rows further away that a search below records of this type finds too: child type to an SQL condition on the child's table, in
   * which `$P` is an array of their ids. A case's contacts include its loan's borrowers. What is looked up first is written as
   * `any(array(select …))`: as `in (select …)` beside other conditions it would keep the child's indexes from being used.
   */
  readonly alsoBelow?: Readonly<Record<string, string>>;
  readonly label?: DerivedLabel;
  /** The column that keeps what was answered to a form's questions and is no column of its own, as XML: `<ImportFormXml>`. */
  readonly answers?: string;
  /** A new record without a label is named after its template. */
  readonly labelFromTemplate?: true;
  /** Other names of columns: each is read, searched and saved like the column itself. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** True where it is only what others have in common: a process is always a foreclosure or another kind. People are offered those to make. */
  readonly derivedOnly?: true;
  /** Columns beside the label by which people look for it, compared whole; each has an index. */
  readonly findBy?: readonly string[];
  /** Filters with a name, which a search takes as `SqlFilters`: each with what it finds and its SQL condition. */
  readonly sqlFilters?: Readonly<Record<string, { readonly doc: string; readonly condition: string }>>;
  readonly labelDoc?: string;
  readonly labelMax?: number;
  /** Statuses after which nothing more happens to a record. */
  readonly finalStatuses?: readonly string[];
  readonly reach: Reach;
  /** False for logs: no history is kept of them and nobody saves or deletes them. */
  readonly history?: false;
  /** False where rows are left out of the summaries of what they hang below. */
  readonly inSummary?: false;
  /**
   * The columns by which a record is found again in another installation when configuration is moved there and its outside
   * identifier is not known yet. Of reach `configuration` it need not be said (see {@link transferKeyOf}); of any other reach
   * saying it makes the type part of the configuration that is moved.
   */
  readonly transferKey?: readonly string[];
  /** Rows that never leave the installation with its configuration, such as a setting that is a secret. */
  readonly withheld?: (row: Readonly<Record<string, unknown>>, settings: readonly SettingDefinition[]) => boolean;
  /** The database triggers on its table beside those that every record has, each with what it keeps. */
  readonly triggers?: Readonly<Record<string, string>>;
}

/** Where the value of a custom field is kept, and how SQL compares it. */
export interface CustomValue {
  /** The member of the record's document of custom fields. */
  readonly member: string;
  /** SQL of the value in conditions and orders. */
  readonly value: string;
  /** The SQL type of what it is compared with. */
  readonly type: string;
}

/** One column of a record type as SQL sees it. */
export interface Column {
  /** The name on the wire and in the reference. */
  readonly name: string;
  readonly field: Field;
  readonly table: string;
  /** The physical column; of a custom field `custom.` and its member, which no other column is called. */
  readonly column: string;
  /** Of a custom field, which has no physical column of its own. */
  readonly custom?: CustomValue;
  /** SQL that reads the value for an answer; null where the field never leaves. */
  readonly read: string | null;
}

/** A resolved record type: its declaration with the standard columns and its names in SQL and routes. */
export interface RecordType<F extends ParameterFields = ParameterFields> extends RecordDeclaration<F> {
  /** The first segment of its routes. */
  readonly module: string;
  readonly table: string;
  readonly idField: string;
  /** The column of the identity in the table that hands it out (the base's where there is one). */
  readonly root: RecordType;
  /** All columns by lower-cased name, the base's and the aliases (`ForeclosureID` of `ProcessID`) included. */
  readonly columns: ReadonlyMap<string, Column>;
  /** The columns that an answer shows, in order. */
  readonly shown: readonly Column[];
}

/** The columns that every record type has beside its own. */
function standardFields(declaration: RecordDeclaration): Record<string, Field> {
  const { name } = declaration;
  const label = f.text({ doc: declaration.labelDoc ?? `The ${name}'s label.`, max: declaration.labelMax ?? 255 });
  return {
    [`${name}ID`]: computed(f.id({ doc: `Identifies the ${name}.` })),
    [name]: declaration.label ? computed(label) : label,
    Status: f.text({ doc: `Where the ${name} stands.`, max: 100 }),
    [`${name}Type`]: f.text({ doc: `What kind of ${name} it is.`, max: 100 }),
    ...(declaration.parent
      ? {
          Object: f.text({ doc: 'The record type of the parent, its concrete class.', max: 60, exact: true }),
          ObjectID: f.id({ doc: "The parent's id." }),
        }
      : {}),
    ...(declaration.template
      ? {
          [`${declaration.template}ID`]: f.id({ doc: 'The template that it was made from.', to: declaration.template }),
        }
      : {}),
  };
}

const trackingFields = {
  CreatedDate: computed(f.timestamp({ doc: 'When the record was made.' })),
  CreatedPersonID: computed(f.id({ doc: 'Who made it.', to: 'Person' })),
  UpdatedDate: computed(f.timestamp({ doc: 'When it was last changed.' })),
  UpdatedPersonID: computed(f.id({ doc: 'Who changed it last.', to: 'Person' })),
  Version: f.integer({ doc: 'Counts the changes. Sent back with a change, an old value is refused with 409.' }),
};

/** The names of the columns of who and when, which stand last in answers. */
export const trackingNames: ReadonlySet<string> = new Set(Object.keys(trackingFields));

/**
 * Declares a record type once; tables, searches, XML, JSON, CSV, OpenAPI and forms follow from it.
 *
 * @example
 * export const property = defineRecord({ name: 'Property', doc: 'A piece of real estate.', reach: 'many',
 *   fields: { Address: f.personal({ doc: 'Street address.', max: 100 }) } });
 */
export function defineRecord<const F extends ParameterFields>(declaration: RecordDeclaration<F>): RecordType<F> {
  const table = declaration.name.toLowerCase();
  const own: Record<string, Field> = declaration.base
    ? declaration.fields
    : { ...standardFields(declaration), ...declaration.fields, ...trackingFields };
  const columns = new Map<string, Column>(declaration.base?.columns);
  if (declaration.base) addAliases(columns, declaration, table);
  for (const [name, of] of Object.entries(own)) columns.set(name.toLowerCase(), columnOf(name, of, table, own));
  for (const [name, of] of Object.entries(declaration.synonyms ?? {})) {
    const column = columns.get(of.toLowerCase());
    if (!column) throw new Error(`${declaration.name} has no column ${of} for its synonym ${name}`);
    columns.set(name.toLowerCase(), { ...column, name });
  }
  const type = {
    ...declaration,
    table,
    module: table,
    idField: `${declaration.name}ID`,
    columns,
    shown: shownColumns(declaration, columns),
  };
  // The root of a hierarchy is its own root: the very same object.
  return Object.assign(type, { root: declaration.base?.root ?? (type as unknown as RecordType) });
}

/** A derived record names its base's id, label and type after itself too: ForeclosureID is ProcessID, Foreclosure is Process. */
function addAliases(columns: Map<string, Column>, declaration: RecordDeclaration, table: string): void {
  const base = declaration.base;
  if (!base) return;
  for (const suffix of ['', 'ID', 'Type']) {
    const of = columns.get(`${base.table}${suffix.toLowerCase()}`);
    if (!of) continue;
    // A contact's label is made from its name; an organization's is its name, and is sent.
    const field =
      suffix === '' && !declaration.label
        ? { ...of.field, doc: declaration.labelDoc ?? of.field.doc, computed: false }
        : of.field;
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
      field: of,
      table,
      column,
      read: `case when ${table}.${column}cipher is not null then 'XXX-XX-' || coalesce(${table}.${last}, 'XXXX') end`,
    };
  }
  return {
    name,
    field: of,
    table,
    column,
    read:
      of.classification === 'secret'
        ? null
        : of.classification === 'staff'
          ? forStaff(`${table}.${column}`)
          : `${table}.${column}`,
  };
}

/**
 * SQL of a value that no firm sees. The firm stands in the transaction also where a part of it leaves row security, as the reading of the
 * past does; a user of no firm is known by the role.
 */
export function forStaff(value: string): string {
  return `case when coalesce(nullif(current_setting('casewright.firm', true), ''), '0') = '0' and current_user <> '${REACH_ROLE}' then ${value} end`;
}

/** Own aliases first, then the base's columns (its id and label give way to the aliases), then the derived table's, then who and when. */
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

/** Whether processes remember records of a type, and are told of changes. */
export function isConfiguration(record: RecordType): boolean {
  return record.reach === 'configuration' || `${record.table}_configuration` in (record.triggers ?? {});
}

/**
 * The columns that name a record of a type among the others of it wherever it is moved: by default what it belongs to, the
 * record type that it applies to, and its label. Undefined of a type that is not moved: of cases, logs, and types that share
 * their table or hang below any record.
 */
export function transferKeyOf(record: RecordType): readonly string[] | undefined {
  if (
    record.history === false ||
    record.base !== undefined ||
    record.parent !== undefined ||
    record.columns.has('recordclass')
  )
    return undefined;
  if (record.transferKey) return record.transferKey;
  if (record.reach !== 'configuration') return undefined;
  return [
    ...Object.keys(record.collections ?? {}),
    ...(record.columns.has('appliesto') ? ['AppliesTo'] : []),
    record.name,
  ];
}
