import { DISPLAY_SIZE_MAX } from '../../kernel/records/search/search.ts';
import type { FieldKind, ParameterFields } from '../../kernel/declare/field-types.ts';
import type { Column, RecordType } from '../../kernel/declare/record.ts';
import type { Registry } from '../../kernel/declare/registry.ts';
import { answeredExample, sentExample } from './examples.ts';
import { answeredSchema, describe, ref, sentSchema, type Schema } from './schema.ts';

/** Fields shown in an example of a save. */
const EXAMPLE_FIELDS_MAX = 8;

const filterSchemas: Readonly<Record<string, Schema>> = {
  'Filter.Text': filter(
    'Case- and accent-insensitive. `*` matches any letters, `null` and `not null` match an empty and a ' +
      'non-empty value, `not X` everything else; text in double quotes is literal. A name sent more than ' +
      'once is a list.',
    ['Riv*', 'null', 'not Closed', '"not X"'],
  ),
  'Filter.Number': filter(
    'A number; `>=`, `<=`, `>`, `<` before it; a range `500-1000`; a list `1, 2, 5` (a space after each ' +
      'comma); `null`, `not null`, `not X`.',
    ['1250.50', '>=1000', '500,000-10,000,000', 'not null'],
  ),
  'Filter.Date': filter(
    'A date or instant; `>=`, `<=`, `>`, `<` before it; a range `2026-01-01 - 2026-02-01`; a list with a ' +
      'space after each comma; `null`, `not null`, `not X`. On an instant a bare day means the whole day.',
    ['2026-01-15', '>=2026-01-01', '2026-01-01 - 2026-02-01'],
  ),
  'Filter.Id': {
    ...filter('An ID, or a comma-separated list of IDs; `null`, `not null`, `not X`.', ['1', '1,2,3', 'null']),
    type: ['integer', 'string', 'array'],
  },
  'Filter.Boolean': { ...filter('true or false; `null`, `not null`.', ['true']), type: ['boolean', 'string', 'array'] },
  'Filter.Number9': filter(
    'All nine digits, which find the record by its protected number; `null`, `not null`. The value is ' +
      'never stored or logged.',
    ['900-00-0001', 'not null'],
  ),
  'Filter.Null': filter('`null` or `not null`; no other search of this column is possible.', ['not null']),
};

function filter(description: string, examples: readonly string[]): Schema {
  return { type: ['string', 'array'], items: { type: 'string' }, description, examples };
}

const filterNames: Readonly<Record<FieldKind, string>> = {
  text: 'Filter.Text',
  xml: 'Filter.Text',
  integer: 'Filter.Number',
  decimal: 'Filter.Number',
  money: 'Filter.Number',
  date: 'Filter.Date',
  timestamp: 'Filter.Date',
  id: 'Filter.Id',
  boolean: 'Filter.Boolean',
  ssn: 'Filter.Number9',
  json: 'Filter.Null',
  idList: 'Filter.Null',
  textList: 'Filter.Null',
};

/** Schemas of the filters on a column, by kind of column. */
export function filterSchemasOf(records: readonly RecordType[]): Record<string, Schema> {
  const used = new Set(records.flatMap((record) => record.shown.map((column) => filterNames[column.field.kind])));
  return Object.fromEntries(Object.entries(filterSchemas).filter(([name]) => used.has(name)));
}

/** The filters of a search without references: each column with the types that its filter accepts. */
export function plainFilters(registry: Registry, record: RecordType): Record<string, Schema> {
  const properties = Object.entries(filtersSchema(registry, record)['properties'] as Record<string, Schema>);
  return Object.fromEntries(
    properties.map(([name, { $ref, ...own }]) => {
      if (typeof $ref !== 'string') return [name, own] as const;
      const { examples: _examples, ...filtered } = filterSchemas[$ref.split('/').at(-1) ?? ''] ?? {};
      return [name, { ...filtered, ...own }] as const;
    }),
  );
}

/** A link of a record: the foreign key's name without `ID`, and the record type behind it. */
interface Link {
  readonly name: string;
  readonly target: RecordType;
}

/** Returns the foreign keys of a record type that a caller sets, each with the record type that it points to. */
function linksOf(registry: Registry, record: RecordType): Link[] {
  const taken = new Set(record.shown.map((column) => column.name));
  return record.shown.flatMap(({ name, field }) => {
    const target = field.to === undefined || field.computed ? undefined : registry.record(field.to);
    const link = name.slice(0, -2);
    return target && !taken.has(link) ? [{ name: link, target }] : [];
  });
}

/** The columns that a save takes: those that are not computed, and secrets, which go in and never come out. */
export function settable(record: RecordType): readonly Column[] {
  const shown = new Set(record.shown);
  const secrets = [...record.columns.values()].filter((column) => column.read === null && !shown.has(column));
  return [...record.shown, ...secrets].filter(({ field, name }) => field.computed !== true && name !== record.idField);
}

/** Whether the platform's own save takes the record type: logs are never saved. */
export function isSaved(record: RecordType): boolean {
  return record.history !== false;
}

/** The schemas of a record type: its answer, its list, its summary tree, what a save takes, and its search filters. */
export function recordSchemas(registry: Registry, record: RecordType): Record<string, Schema> {
  const { name } = record;
  const list = { allOf: [ref('schemas', name), ref('schemas', 'Counted')] };
  return {
    [name]: {
      type: 'object',
      description: record.doc,
      properties: Object.fromEntries(record.shown.map((column) => [column.name, answeredSchema(column.field)])),
      examples: [
        Object.fromEntries(
          shownInExample(record).map((column) => [column.name, answeredExample(column.name, column.field)]),
        ),
      ],
      xml: { name: `${name}Item` },
    },
    [`${name}.List`]: listSchema(name, list),
    [`${name}.Tree`]: treeSchema(registry, record),
    [`${name}.Filters`]: filtersSchema(registry, record),
    ...(isSaved(record)
      ? { [`${name}.Fields`]: fieldsSchema(registry, record), [`${name}.Save`]: saveSchema(registry, record) }
      : {}),
  };
}

/** `{"ContactCollection":{"ContactItem":[…]}}` with rows of a schema. */
export function listSchema(name: string, rows: Schema): Schema {
  return {
    type: 'object',
    allOf: [ref('schemas', 'Alerted')],
    properties: {
      [`${name}Collection`]: {
        type: 'object',
        properties: { [`${name}Item`]: { type: 'array', items: rows, maxItems: DISPLAY_SIZE_MAX } },
        required: [`${name}Item`],
      },
    },
    required: [`${name}Collection`],
  };
}

/** Columns of a search's rows besides the record's own. */
export const countedSchema: Schema = {
  type: 'object',
  properties: {
    RecordCount: { type: 'integer', description: 'The total before paging, the same in each row.' },
    RecordCountIsEstimate: { type: 'boolean', description: 'True if RecordCount is an estimate.' },
    NextCursor: {
      type: 'string',
      description: 'In the last row, if a Cursor was sent and there is another page: the Cursor of that page.',
    },
  },
};

/**
 * Returns the schema of a summary: the record, the records that it points to, and its child collections, each with
 * theirs up to a depth of three.
 */
function treeSchema(registry: Registry, record: RecordType): Schema {
  const links = linksOf(registry, record).map(({ name, target }) => [
    name,
    {
      ...ref('schemas', `${target.name}.Tree`),
      description: `The ${target.name} that ${name}ID points to, if it is visible.`,
      xml: { name },
    },
  ]);
  const collections = [...registry.collections(record).values()].map(({ name, record: child }) => [
    name,
    { type: 'array', items: ref('schemas', `${child}.Tree`), xml: { wrapped: true } },
  ]);
  return {
    type: 'object',
    allOf: [ref('schemas', record.name)],
    properties: Object.fromEntries([...links, ...collections]) as Schema,
    ...(record.parent === undefined
      ? {}
      : {
          patternProperties: {
            '^Parent[A-Z]\\w*(?<!ID)$': {
              type: 'object',
              description: 'The parent named by Object and ObjectID, under its record type: ParentLoan.',
              additionalProperties: true,
            },
          },
        }),
    xml: { name: `${record.name}Item` },
  };
}

/** Returns what a search of a record type accepts besides paging: a filter for each column, and alternatives to IDs. */
function filtersSchema(registry: Registry, record: RecordType): Schema {
  const columns = record.shown.map(({ name, field }) => [
    name,
    { ...ref('schemas', filterNames[field.kind]), description: describe(field) },
  ]);
  const declared = Object.fromEntries(
    registry.searchFilters().map(({ name, doc }) => [name, { type: 'string', description: doc }]),
  );
  return {
    type: 'object',
    description: `Filters of a search of ${record.name}: each row must match all that are sent.`,
    properties: {
      ...declared,
      ...Object.fromEntries(columns),
      ...identifiers(registry, record, 'The record that an external ID identifies.'),
    },
  };
}

/** Returns `SubscriberID`, `{X}SubscriberID` of each link, and the template's name: alternatives to IDs. */
function identifiers(registry: Registry, record: RecordType, own: string): Record<string, Schema> {
  const text = (description: string): Schema => ({ type: 'string', maxLength: 255, description });
  const links = linksOf(registry, record).map(({ name, target }): [string, Schema] => [
    `${name}SubscriberID`,
    text(`Instead of ${name}ID: the external ID of the ${target.name}.`),
  ]);
  const template =
    record.template !== undefined && registry.record(record.template)
      ? { Template: text(`The name of a ${record.template}, instead of its ID.`) }
      : {};
  return { SubscriberID: text(own), ...Object.fromEntries(links), ...template };
}

/** Returns what a save of a record type accepts as flat names: its columns, and alternatives to IDs. */
export function fieldsSchema(registry: Registry, record: RecordType): Schema {
  const columns = settable(record).map(({ name, field }) => [
    name,
    {
      ...sentSchema(field),
      ...(field.required ? { description: `${describe(field)} Required to create a record.` } : {}),
    },
  ]);
  const featureFields = registry.saveFeatures(record).flatMap(({ fields }) => Object.entries(fields ?? {}));
  return {
    type: 'object',
    description:
      `Columns of ${record.name} that a save accepts. Only the columns sent are changed; an empty value ` +
      'becomes null.',
    properties: {
      ID: {
        type: 'integer',
        format: 'int64',
        minimum: 1,
        description:
          `The ${record.name} to change; ${record.idField} means the same. Without it and SubscriberID a new ` +
          'one is created.',
      },
      ...identifiers(
        registry,
        record,
        'An external ID: the record that it identifies is changed; if there is none, a new record is created ' +
          'and gets it.',
      ),
      ...Object.fromEntries(featureFields.map(([name, field]) => [name, sentSchema(field)])),
      ...Object.fromEntries(columns),
    },
    xml: { name: `${record.name}Item` },
  };
}

function saveSchema(registry: Registry, record: RecordType): Schema {
  const links = linksOf(registry, record)
    .filter(({ target }) => isSaved(target))
    .map(({ name, target }) => [
      name,
      {
        ...ref('schemas', `${target.name}.Save`),
        description:
          `Saves the linked ${target.name} first and sets ${name}ID; ` + `as flat names, its fields are ${name}_….`,
        xml: { name },
      },
    ]);
  const collections = [...registry.collections(record).values()].flatMap(({ name, record: child }) => {
    const type = registry.record(child);
    return type && isSaved(type)
      ? [
          [
            name,
            {
              type: 'array',
              items: ref('schemas', `${child}.Save`),
              description: `Children that are saved with it; as flat names, their fields are ${name}_0_….`,
              xml: { wrapped: true },
            },
          ],
        ]
      : [];
  });
  return {
    type: 'object',
    allOf: [ref('schemas', `${record.name}.Fields`)],
    properties: Object.fromEntries([...links, ...collections]) as Schema,
    xml: { name: `${record.name}Item` },
  };
}

/** Returns the columns shown in the example of a response. */
export function shownInExample(record: RecordType): readonly Column[] {
  return record.shown.filter(isInExample).slice(0, EXAMPLE_FIELDS_MAX);
}

function isInExample({ name, field }: Column): boolean {
  return (
    field.kind !== 'json' && field.kind !== 'xml' && name !== 'RecordClass' && name !== 'ObjectID' && name !== 'Object'
  );
}

/**
 * Returns the example of a save: the required fields of a new record and some optional ones; IDs of other records only
 * if required.
 */
export function saveExample(record: RecordType): Readonly<Record<string, unknown>> {
  const { name } = record;
  const usual = settable(record).filter(
    (column) =>
      isInExample(column) &&
      column.field.kind !== 'id' &&
      column.field.classification !== 'secret' &&
      ![`${name}Type`, 'Version'].includes(column.name),
  );
  const needed = settable(record).filter((column) => column.field.required);
  const chosen = [...new Set([...needed, ...usual])].slice(0, EXAMPLE_FIELDS_MAX);
  return Object.fromEntries(chosen.map((column) => [column.name, sentExample(column.name, column.field)]));
}

/** Returns the example of a call with declared parameters: the required ones, or else the first. */
export function callExample(fields: ParameterFields): Readonly<Record<string, unknown>> {
  const required = Object.entries(fields).filter(([, field]) => field.required);
  const chosen = required.length > 0 ? required : Object.entries(fields).slice(0, 1);
  return Object.fromEntries(chosen.map(([name, field]) => [name, field.default ?? sentExample(name, field)]));
}

/** Returns the example of a search: one filter on the label. */
export function filterExample(record: RecordType): Readonly<Record<string, unknown>> {
  const column = record.columns.get(record.table);
  return column ? { [column.name]: `${String(sentExample(column.name, column.field)).slice(0, 6).trimEnd()}*` } : {};
}

/** Returns the example of a change: the record and its status. */
export function updateExample(record: RecordType): Readonly<Record<string, unknown>> {
  const status = record.valueColumns.get('Status');
  return {
    ID: 1,
    ...(status && status.field.computed !== true ? { Status: sentExample('Status', status.field) } : {}),
  };
}
