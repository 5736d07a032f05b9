import { errorTable } from '../../kernel/door/errors.ts';
import type { FieldDescription, JsonSchema, OperationDescription, RecordDescription } from '../shared/description.ts';
import type { Field, FieldKind, ParameterFields } from '../../kernel/declare/field-types.ts';
import type { Free, Operation } from '../../kernel/declare/operation.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import type { Registry } from '../../kernel/declare/registry.ts';
import { exampleAnswer } from './example-answer.ts';
import { callExampleOf } from './example-call.ts';
import { answeredExample, sentExample } from './examples.ts';
import { takesId } from './operations.ts';
import { fieldsSchema, plainFilters, settable } from './records.ts';
import { sentObject } from './schema.ts';

const kindWords: Readonly<Record<FieldKind, string>> = {
  text: 'text',
  integer: 'whole number',
  id: 'id',
  idList: 'ids',
  textList: 'words',
  decimal: 'number',
  money: 'money',
  boolean: 'true or false',
  date: 'date',
  timestamp: 'instant',
  xml: 'XML',
  json: 'JSON',
  ssn: 'protected number',
};

/** Returns a field's type in words. */
export function typeWords(field: Field): string {
  if (field.values) return 'choice';
  return field.max === undefined ? kindWords[field.kind] : `${kindWords[field.kind]}, at most ${field.max}`;
}

function describeField(name: string, field: Field, direction: 'sent' | 'answered'): FieldDescription {
  return {
    name,
    kind: field.kind,
    type: typeWords(field),
    required: field.required === true,
    computed: field.computed === true,
    classification: field.classification,
    grantsReach: field.grantsReach === true,
    doc: field.doc,
    ...(field.values === undefined ? {} : { values: field.values }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.max === undefined ? {} : { max: field.max }),
    ...(field.to === undefined ? {} : { to: field.to }),
    example: direction === 'sent' ? (field.default ?? sentExample(name, field)) : answeredExample(name, field),
  };
}

const describeFields = (fields: ParameterFields, direction: 'sent' | 'answered'): FieldDescription[] =>
  Object.entries(fields).map(([name, field]) => describeField(name, field, direction));

const freeWords: Readonly<Record<Free, string>> = {
  fields: "Values for the record's fields, its children, linked records and parent.",
  filters: "Filters on the record's fields.",
  any: 'All other parameters are passed on unchanged.',
};

/** Returns what an operation accepts besides its declared parameters, by name. */
function freeProperties(registry: Registry, { free, record }: Operation): Record<string, JsonSchema> {
  if (free === 'filters' && record) return plainFilters(registry, record);
  if (free === 'fields' && record) return fieldsSchema(registry, record)['properties'] as Record<string, JsonSchema>;
  return {};
}

/**
 * Describes one operation for its page, the command line and agents. The same declaration yields the OpenAPI document.
 */
export function describeOperation(registry: Registry, operation: Operation): OperationDescription {
  const { route, module, name, method, summary, effect, idempotent, access, params, free } = operation;
  const properties = freeProperties(registry, operation);
  const declared = sentObject(params);
  return {
    route,
    module,
    name,
    method,
    summary,
    effect,
    idempotent,
    access,
    permission: access === 'permission' ? operation.permissionName : undefined,
    parameters: describeFields(params, 'sent'),
    free:
      free === undefined
        ? undefined
        : { kind: free, doc: freeWords[free], names: operation.freeNames ?? Object.keys(properties) },
    headers: operation.headers ?? {},
    rawBody: operation.body === 'raw',
    byId: takesId(operation),
    // Names of children and linked records are composed, so a save accepts more than can be listed.
    schema: {
      ...declared,
      properties: { ...properties, ...(declared['properties'] as JsonSchema) },
      additionalProperties: free === 'fields' || free === 'any',
    },
    answer: { ...answerOf(operation), example: exampleAnswer(operation) },
    form: operation.form,
    errors: operation.errors.map((code) => ({ code, ...errorTable[code] })),
    example: callExampleOf(operation),
  };
}

function answerOf(operation: Operation): Pick<OperationDescription['answer'], 'kind' | 'doc' | 'fields'> {
  const { returns, record, rows, answerName } = operation;
  const columns = record ? record.shown.map((column) => describeField(column.name, column.field, 'answered')) : [];
  if (typeof returns === 'object')
    return { kind: 'result', doc: 'one result', fields: describeFields(returns, 'answered') };
  switch (returns) {
    case 'item':
      return { kind: 'record', doc: 'one record', fields: columns };
    case 'list':
      return {
        kind: 'list',
        doc: rows ? 'a list of rows' : 'a list of records',
        fields: rows ? describeFields(rows, 'answered') : columns,
      };
    case 'tree':
      return { kind: 'tree', doc: answerName === undefined ? 'a tree' : `the document \`${answerName}\``, fields: [] };
    case 'content':
      return { kind: 'file', doc: 'a file', fields: [] };
    case 'nothing':
      return { kind: 'nothing', doc: 'nothing', fields: [] };
  }
}

/** Describes one record type: its fields as returned, those that are only written, and its operations. */
export function describeRecord(registry: Registry, record: RecordType): RecordDescription {
  const secrets = settable(record).filter((column) => !record.shown.includes(column));
  return {
    name: record.name,
    module: record.module,
    doc: record.doc,
    idField: record.idField,
    derivesFrom: record.base?.name,
    template: record.template,
    belowAny: record.parent !== undefined,
    fields: [...record.shown, ...secrets].map((column) => describeField(column.name, column.field, 'answered')),
    collections: [...registry.collections(record).values()].map(({ name, record: child }) => ({ name, record: child })),
    operations: registry
      .operations()
      .filter((operation) => operation.module === record.module)
      .map(({ route, summary, effect }) => ({ route, summary, effect }))
      .sort((a, b) => (a.route < b.route ? -1 : 1)),
  };
}
